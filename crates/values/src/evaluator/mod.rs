//! Evaluators: how a search evaluates moves by the value functions of this crate.

mod leaves;
mod network;
mod solved;

pub use network::NetworkEvaluator;
pub use solved::SolvedEvaluator;
