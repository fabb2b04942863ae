//! Exact solutions of games that are small enough: value iteration over all their boards.

mod chain;
mod direct;
mod iterate;
mod layers;
mod survival;
mod sweep;

pub use chain::{Chain, Expected};
pub use direct::Direct;
pub use iterate::{Iterated, Settings, Sweep, iterate};
pub use layers::{Forward, ForwardError, Layers};
pub use survival::{Limits, Survival, survive};
pub use sweep::best as sweep;
