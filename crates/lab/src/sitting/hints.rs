//! `Hints`: every move of a sitting with what it is worth to an agent.

use afterstate_games::spec::Spec;
use afterstate_search::Search;
use serde::Serialize;

use super::course::TypedSession;
use super::{LoadedAgent, SessionError};
use crate::advice::{Analysis, Analyzer};

/// What an agent says of all moves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hints {
    /// The agent.
    pub agent: String,
    /// How it looked ahead.
    pub search: String,
    /// How many plies deep that was complete.
    pub plies: u32,
    /// States that it looked at.
    pub nodes: u64,
    /// Every legal move, the best first.
    pub moves: Vec<Hint>,
}

/// What an agent says of a move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hint {
    /// Its number among the options of the view.
    pub number: usize,
    /// Its text.
    #[serde(rename = "move")]
    pub mv: String,
    /// What it is worth; nothing to an agent without values.
    pub value: Option<f32>,
    /// Whether the agent would make it.
    pub best: bool,
}

impl<G: Spec> TypedSession<G> {
    pub(super) fn hints_by(
        &self,
        by: &LoadedAgent,
        search: &Search,
        threads: usize,
    ) -> Result<Hints, SessionError> {
        let (loaded, game) = (by.loaded(&self.game)?, &self.game);
        let mut moves = Vec::new();
        let (mut plies, mut nodes) = (0, 0);
        if self.is_cut_off() {
            // There is nothing to choose.
        } else if let Some(mut ranker) = loaded.searcher(search, threads) {
            let ranking = ranker.rank(game, self.state());
            (plies, nodes) = (ranking.plies, ranking.nodes);
            for (number, &((mv, _), value)) in ranking.moves.iter().enumerate() {
                let best = ranking.best == Some(number);
                moves.push(Hint { number, mv: game.move_text(mv), value: Some(value), best });
            }
        } else {
            let chosen = loaded.player().choose(game, self.state(), &mut self.agent_rng());
            let mut number = 0;
            game.for_each_move(self.state(), |mv, _| {
                let best = chosen.is_some_and(|(chosen, _)| chosen == mv);
                moves.push(Hint { number, mv: game.move_text(mv), value: None, best });
                number += 1;
            });
        }
        // Stable: ties stay in the order of the rules.
        let value = |hint: &Hint| hint.value.unwrap_or(f32::NEG_INFINITY);
        moves.sort_by(|a, b| b.best.cmp(&a.best).then(value(b).total_cmp(&value(a))));
        let (agent, search) = (by.name().to_owned(), search.to_string());
        Ok(Hints { agent, search, plies, nodes, moves })
    }

    pub(super) fn advise_by(
        &self,
        by: &LoadedAgent,
        search: &Search,
        threads: usize,
    ) -> Result<Option<Analysis>, SessionError> {
        let loaded = by.loaded(&self.game)?;
        let adviser = Analyzer::new(&self.game, loaded, search, threads);
        Ok(adviser.map(|mut adviser| adviser.advise(self.state())))
    }
}
