//! Learners: they play, and change the weights of a value function by what they meet; and solvers,
//! which need not play.

pub mod blackbox;
pub mod cbmpi;
pub mod exact;
pub mod lambda_pi;
pub mod least_squares;
pub mod lspi;
pub mod play;
pub mod solve;
pub mod states;
pub mod table;
pub mod td;
pub mod update;

pub use states::StateLearner;
pub use td::TdLearner;
pub use update::{Coherence, Rate, Tc, Td, Update};

/// What one game of learning came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpisodeResult<S> {
    /// The sum of all rewards.
    pub score: f64,
    /// How many moves were made.
    pub moves: u64,
    /// The state in which it ended.
    pub last: S,
}
