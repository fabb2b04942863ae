//! `Analysis`: what every move of a board is worth, the best first, and why.

use std::ops::ControlFlow;

use afterstate_core::Game;
use afterstate_core::policy::Choice;
use afterstate_core::text::one_line;
use afterstate_games::spec::Spec;
use afterstate_search::{Ranker, Search};
use serde::Serialize;

use crate::agent::Loaded;

/// How many moves of the expected continuation are told.
const CONTINUATION: usize = 3;

/// What there is to say about the moves of a board.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Analysis {
    /// The board, on one line.
    pub state: String,
    /// Whether there is no move left.
    pub over: bool,
    /// How the search looked ahead.
    pub search: String,
    /// How many plies deep it was complete.
    pub plies: u32,
    /// States that it looked at.
    pub nodes: u64,
    /// Every legal move, the best first.
    pub moves: Vec<ScoredMove>,
    /// The best move, then what most likely follows: the likeliest deal and the best reply to it.
    pub continuation: Vec<Turn>,
    /// How the best move differs from the second, the largest difference first.
    pub why: Vec<Reason>,
}

/// A move with what it is worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoredMove {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// What it is worth in all.
    pub value: f32,
    /// What it earns at once.
    pub reward: f32,
    /// The board that it leaves, on one line.
    pub after: String,
}

/// One move of the continuation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Turn {
    /// The board on which it is made, on one line.
    pub state: String,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
}

/// One part of a value that differs between the two best moves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// What it is: the reward, a feature, a tuple, or what lies ahead.
    pub what: String,
    /// Of the best move.
    pub best: f32,
    /// Of the second.
    pub second: f32,
}

/// Somebody who is asked about boards: an agent with a way to look ahead.
pub struct Analyzer<'a, G: Spec> {
    game: &'a G,
    loaded: &'a Loaded<G>,
    ranker: Box<dyn Ranker<G> + 'a>,
    search: Search,
}

impl<'a, G: Spec> Analyzer<'a, G> {
    /// An agent with a search on so many threads; `None` for who plays at random.
    pub fn new(
        game: &'a G,
        loaded: &'a Loaded<G>,
        search: &Search,
        threads: usize,
    ) -> Option<Analyzer<'a, G>> {
        let ranker = loaded.searcher(search, threads)?;
        Some(Analyzer { game, loaded, ranker, search: *search })
    }

    /// What there is to say about a board.
    pub fn advise(&mut self, state: &G::State) -> Analysis {
        let game = self.game;
        let ranking = self.ranker.rank(game, state).clone();
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
            over: moves.is_empty(),
            search: self.search.to_string(),
            plies: ranking.plies,
            nodes: ranking.nodes,
            continuation: self.continuation(state, order.first().map(|&n| ranking.moves[n].0)),
            moves,
            why,
        }
    }

    /// What the value of a move is made of. What the search adds to it is what lies ahead.
    fn parts(&self, state: &G::State, choice: &Choice<G>, value: f32) -> Vec<(String, f32)> {
        let mut parts = self.loaded.parts(self.game, state, choice);
        let ahead = value - parts.iter().map(|part| part.1).sum::<f32>();
        parts.push(("what the search saw ahead".to_owned(), ahead));
        parts
    }

    fn continuation(&mut self, state: &G::State, best: Option<Choice<G>>) -> Vec<Turn> {
        let (game, mut turns) = (self.game, Vec::new());
        let (mut state, mut best) = (*state, best);
        while let Some((mv, step)) = best {
            let text = one_line(&game.state_text(&state));
            turns.push(Turn { state: text, mv: game.move_text(mv) });
            if turns.len() == CONTINUATION {
                break;
            }
            let Some(next) = likeliest(game, &step.after) else { break };
            state = next;
            let ranking = self.ranker.rank(game, &state);
            best = ranking.best.map(|best| ranking.moves[best].0);
        }
        turns
    }
}

/// The state that chance deals most likely; the first of those that are equally likely.
fn likeliest<G: Game>(game: &G, after: &G::After) -> Option<G::State> {
    let mut likeliest: Option<(G::State, f64)> = None;
    let _ = game.try_chance(after, |state, odds| {
        if likeliest.is_none_or(|(_, most)| odds > most + 1e-12) {
            likeliest = Some((state, odds));
        }
        ControlFlow::<()>::Continue(())
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
