//! `AnalyzeBoard`: boards, given as text, analyzed by an agent.

use afterstate_agents::{Analysis, Analyzer, LoadedAgent, OtherRules};
use afterstate_core::TextError;
use afterstate_games::spec::Spec;
use afterstate_search::Search;

/// An analyzer of boards of some rules by an agent.
pub trait AnalyzeBoard {
    /// Analyzes a board, given as text.
    fn analyze(&mut self, board: &str) -> Result<Analysis, TextError>;
}

/// An analyzer by a loaded agent; `None` if the agent has no values.
pub(crate) fn analyzer<'a, G: Spec>(
    game: &'a G,
    agent: &'a LoadedAgent,
    search: &Search,
    threads: usize,
) -> Result<Option<Box<dyn AnalyzeBoard + 'a>>, OtherRules> {
    let analyzer = Analyzer::new(game, agent.model(game)?, search, threads);
    Ok(analyzer.map(|analyzer| -> Box<dyn AnalyzeBoard + 'a> {
        Box::new(TypedAnalyzer { game, analyzer })
    }))
}

/// The same with the types of a game.
struct TypedAnalyzer<'a, G: Spec> {
    game: &'a G,
    analyzer: Analyzer<'a, G>,
}

impl<G: Spec> AnalyzeBoard for TypedAnalyzer<'_, G> {
    fn analyze(&mut self, board: &str) -> Result<Analysis, TextError> {
        let state = self.game.parse_state(board)?;
        Ok(self.analyzer.analyze(&state))
    }
}
