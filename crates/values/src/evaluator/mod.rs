//! Evaluators of a search by the value functions of this crate.

mod batch;
mod distinct;
mod incremental;
mod network;
mod solved;
#[cfg(test)]
mod tests;

pub use batch::BatchEvaluator;
pub use network::{NetworkEvaluator, NetworkPolicy};
