//! Learners, which change the weights of a value function by play, and exact solvers.

pub mod batch_learner;
pub mod blackbox;
pub mod cbmpi;
pub mod compare;
pub mod lambda_pi;
pub mod least_squares;
pub mod lspi;
pub mod neural;
pub mod records;
pub mod resumable_game;
pub mod solution;
pub mod solve;
pub mod state_learner;
pub mod table;
pub mod td_learner;
pub mod update;
pub mod warp;

pub use batch_learner::{Batch, BatchGame, BatchLearner};
pub use records::{RecordTc, Records};
pub use state_learner::StateLearner;
pub use td_learner::TdLearner;
pub use update::{Coherence, Tc, Td, Update};

/// Asked now and then during long work: whether it is given up. Once it says so, it does so always.
pub type Interrupted<'a> = &'a (dyn Fn() -> bool + Sync);

/// The result of one game of learning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpisodeResult<S> {
    /// The sum of all rewards.
    pub score: f64,
    /// The number of moves.
    pub moves: u64,
    /// The last state.
    pub last: S,
}

/// The examples of the README, compiled and run as tests.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct Readme;
