//! `Analysis`: the value of every move of a board, the best first, and the reasons.

use afterstate_core::Game;
use afterstate_core::policy::Choice;
use afterstate_core::text::one_line;
use afterstate_games::spec::Spec;
use afterstate_search::{Search, Searcher};
use afterstate_values::{Explanation, Model};
use serde::Serialize;

/// The length of the continuation in moves.
const CONTINUATION: usize = 3;

/// The moves of a board with their values.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Analysis {
    /// The board, on one line.
    pub state: String,
    /// Whether the state is terminal.
    pub terminal: bool,
    /// The search, such as `expectimax:2`.
    pub search: String,
    /// The depth in plies to which the search was complete.
    pub plies: u32,
    /// States that the search visited.
    pub nodes: u64,
    /// Every legal move, the best first.
    pub moves: Vec<ScoredMove>,
    /// The best move, then the most likely chance outcome and the best move after it, and so on.
    pub continuation: Vec<ContinuationMove>,
    /// The parts of the value in which the two best moves differ, the largest difference first.
    pub why: Vec<Reason>,
}

/// A move with its value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoredMove {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Its value: the immediate reward plus the value of the afterstate.
    pub value: f32,
    /// Its immediate reward.
    pub reward: f32,
    /// Its afterstate, on one line.
    pub after: String,
}

/// One move of the continuation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContinuationMove {
    /// The state in which it is played, on one line.
    pub state: String,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
}

/// A part of the value that differs between the two best moves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// The part: the reward, a feature, a tuple, or the difference made by the search.
    pub what: String,
    /// Its share of the value of the best move.
    pub best: f32,
    /// Its share of the value of the second-best move.
    pub second: f32,
}

/// Analyzes boards by the values of an agent and a search.
pub struct Analyzer<'a, G: Spec> {
    game: &'a G,
    model: &'a dyn Model<G>,
    searcher: Searcher<'a, G>,
    search: Search,
}

impl<'a, G: Spec> Analyzer<'a, G> {
    /// An analyzer that searches on that many threads; `None` if the model has no values.
    pub fn new(
        game: &'a G,
        model: &'a dyn Model<G>,
        search: &Search,
        threads: usize,
    ) -> Option<Analyzer<'a, G>> {
        let searcher = model.searcher(search, threads)?;
        Some(Analyzer { game, model, searcher, search: *search })
    }

    /// Analyzes a state.
    pub fn analyze(&mut self, state: &G::State) -> Analysis {
        let game = self.game;
        let ranking = self.searcher.rank(game, state).clone();
        let mut order: Vec<usize> = (0..ranking.moves.len()).collect();
        // Stable: ties stay in the order of the rules.
        order.sort_by(|&a, &b| ranking.moves[b].1.total_cmp(&ranking.moves[a].1));
        let moves = order.iter().map(|&number| {
            let ((mv, step), value) = ranking.moves[number];
            let after = one_line(&game.after_text(&step.after));
            ScoredMove { mv: game.move_text(mv), value, reward: step.reward, after }
        });
        let moves: Vec<ScoredMove> = moves.collect();
        let why = match order[..] {
            [best, second, ..] => {
                let [best, second] = [best, second].map(|number| {
                    let (choice, value) = ranking.moves[number];
                    self.parts(state, &choice, value)
                });
                reasons(best, &second)
            }
            _ => Vec::new(),
        };
        Analysis {
            state: one_line(&game.state_text(state)),
            terminal: moves.is_empty(),
            search: self.search.to_string(),
            plies: ranking.plies,
            nodes: ranking.nodes,
            continuation: self.continuation(state, order.first().map(|&n| ranking.moves[n].0)),
            moves,
            why,
        }
    }

    /// The parts of the value of a move. The last one is the difference made by the search.
    fn parts(&self, state: &G::State, choice: &Choice<G>, value: f32) -> Vec<(String, f32)> {
        let explained = self.model.explain(self.game, state, choice);
        let mut parts = match explained {
            Some(parts) => Explanation::new(String::new(), parts).shares(),
            None => vec![("reward".to_owned(), choice.1.reward)],
        };
        let difference = value - parts.iter().map(|part| part.1).sum::<f32>();
        parts.push(("look-ahead".to_owned(), difference));
        parts
    }

    fn continuation(&mut self, state: &G::State, best: Option<Choice<G>>) -> Vec<ContinuationMove> {
        let (game, mut moves) = (self.game, Vec::new());
        let (mut state, mut best) = (*state, best);
        while let Some((mv, step)) = best {
            let text = one_line(&game.state_text(&state));
            moves.push(ContinuationMove { state: text, mv: game.move_text(mv) });
            if moves.len() == CONTINUATION {
                break;
            }
            let Some(next) = likeliest(game, &step.after) else { break };
            state = next;
            let ranking = self.searcher.rank(game, &state);
            best = ranking.best.map(|best| ranking.moves[best].0);
        }
        moves
    }
}

/// The most likely chance outcome, ties to the first.
fn likeliest<G: Game>(game: &G, after: &G::After) -> Option<G::State> {
    let mut likeliest: Option<(G::State, f64)> = None;
    game.for_each_chance(after, |state, probability| {
        if likeliest.is_none_or(|(_, highest)| probability > highest + 1e-12) {
            likeliest = Some((state, probability));
        }
    });
    likeliest.map(|(state, _)| state)
}

/// The parts that differ, the largest difference first.
fn reasons(best: Vec<(String, f32)>, second: &[(String, f32)]) -> Vec<Reason> {
    let pairs = best.into_iter().zip(second);
    let reasons = pairs.map(|((what, best), &(_, second))| Reason { what, best, second });
    let mut reasons: Vec<Reason> = reasons.filter(|part| part.best != part.second).collect();
    let difference = |part: &Reason| (part.best - part.second).abs();
    reasons.sort_by(|a, b| difference(b).total_cmp(&difference(a)));
    reasons
}
