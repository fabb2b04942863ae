//! Search: looks ahead over moves and chance, in any game, by any value function.
//!
//! Plies are counted as in the literature of 2048: 1 ply weighs the moves of a state by what they
//! leave (greedy play); 2 plies look, after each move, at everything that chance may deal and at the
//! best reply; and so on. What a search asks of a value function is a [`Evaluator`]; what it shall do
//! is a [`Search`], such as `expectimax:3`; a [`Searcher`] does it.

mod alpha_beta;
mod clock;
pub mod evaluator;
mod expectimax;
pub mod reference;
mod searcher;
mod spec;
mod transposition_table;
mod walk;

pub use clock::{Clock, Deadline};
pub use evaluator::{AfterstateFn, Evaluator, LinearEvaluator, MoveValue};
pub use searcher::{Ranker, Ranking, Searcher};
pub use spec::{Algorithm, Depth, Search, SearchError};
pub use transposition_table::TranspositionTable;
