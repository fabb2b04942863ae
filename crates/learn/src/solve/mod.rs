//! Exact solutions of small games: value iteration over all their boards.

mod adversary;
mod chain;
mod direct;
mod layers;
mod parallel;
mod survival;
mod sweep;
mod value_iteration;

pub use adversary::{Adversary, FatalSequence};
pub use chain::{Chain, Expected};
pub use direct::Direct;
pub use layers::{Forward, ForwardError, Layers};
pub use survival::{Limits, Survival, survive};
pub use sweep::best as sweep;
pub use value_iteration::{Iterated, Settings, iterate};

/// The progress of a solver after a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveProgress {
    /// Sweeps so far.
    pub sweep: u64,
    /// The largest change of the last sweep.
    pub residual: f64,
    /// The present value of the start.
    pub start: f64,
}
