//! `Hints`: every legal move with its value to an agent.

use afterstate_agents::LoadedAgent;
use afterstate_games::spec::Spec;
use afterstate_search::Search;
use serde::Serialize;

use crate::SessionError;
use crate::typed::TypedSession;

/// The values of all moves to an agent.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Hints {
    /// The agent.
    pub agent: String,
    /// The search.
    pub search: String,
    /// The depth to which the search was complete.
    pub plies: u32,
    /// States that the search visited.
    pub nodes: u64,
    /// Every legal move, the best first.
    pub moves: Vec<Hint>,
}

/// The value of a move to an agent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hint {
    /// Its number among the options of the view.
    pub number: usize,
    /// Its text.
    #[serde(rename = "move")]
    pub mv: String,
    /// Its value; `None` for an agent without values.
    pub value: Option<f32>,
    /// Whether the agent would play it.
    pub best: bool,
}

/// The hints of an agent in a session.
pub(crate) fn of<G: Spec>(
    session: &TypedSession<G>,
    agent: &LoadedAgent,
    search: &Search,
    threads: usize,
) -> Result<Hints, SessionError> {
    let (model, game, state) = (session.searchable(agent, search)?, &session.game, session.state());
    let mut moves = Vec::new();
    let (mut plies, mut nodes) = (0, 0);
    if session.is_truncated() {
        // No move can be played.
    } else if let Some(mut searcher) = model.searcher(search, threads) {
        let ranking = searcher.rank(game, state);
        (plies, nodes) = (ranking.plies, ranking.nodes);
        for (number, &((mv, _), value)) in ranking.moves.iter().enumerate() {
            let best = ranking.best == Some(number);
            moves.push(Hint { number, mv: game.move_text(mv), value: Some(value), best });
        }
    } else {
        let chosen = model.policy().choose(game, state, &mut session.agent_rng());
        game.for_each_move(state, |mv, _| {
            let best = chosen.is_some_and(|(chosen, _)| chosen == mv);
            moves.push(Hint { number: moves.len(), mv: game.move_text(mv), value: None, best });
        });
    }
    // Stable: ties stay in the order of the rules.
    let value = |hint: &Hint| hint.value.unwrap_or(f32::NEG_INFINITY);
    moves.sort_by(|a, b| b.best.cmp(&a.best).then(value(b).total_cmp(&value(a))));
    let (agent, search) = (agent.name().to_owned(), search.to_string());
    Ok(Hints { agent, search, plies, nodes, moves })
}
