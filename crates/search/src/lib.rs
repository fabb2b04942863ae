//! Search over moves and chance outcomes, in any game, with any value function.
//!
//! Plies are counted as in the literature on 2048: 1 ply compares the moves of a state by reward
//! plus value of the afterstate (greedy play); 2 plies add, after each move, all chance outcomes
//! and the best reply to each; and so on. An [`Evaluator`] gives a search its values, a [`Search`]
//! such as `expectimax:3` says what to do, and a [`Searcher`] does it.

mod alpha_beta;
mod clock;
pub mod evaluator;
mod expectimax;
mod leaves;
mod parallel;
mod pooled;
pub mod reference;
mod root_move;
mod searcher;
mod spec;
mod transposition_table;
mod tree_search;

pub use clock::{Clock, Deadline};
pub use evaluator::{
    AfterstateFn, EachMove, ErasedEvaluator, Evaluator, LinearEvaluator, MoveValue,
};
pub use expectimax::{max_surprisal, surprisal};
pub use searcher::{Ranking, Searcher};
pub use spec::{Algorithm, Depth, Search, SearchError};
pub use transposition_table::TranspositionTable;

/// The examples of the README, compiled and run as tests.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct Readme;
