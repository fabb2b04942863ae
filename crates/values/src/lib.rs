//! Value functions: how good a move is, as a sum of looked-up weights or of weighted_sum features.

pub mod any;
pub mod evaluator;
pub mod file;
pub mod greedy_rule;
pub mod linear;
pub mod memory;
pub mod network;
pub mod player;
pub mod small;
pub mod solved;
pub mod table;
#[cfg(test)]
mod test_networks;
pub mod values;
pub mod weights;

pub use any::AnyNetwork;
pub use evaluator::{NetworkEvaluator, SolvedEvaluator};
pub use file::{AgentFileError, AgentInfo, FeatureInfo, Precision, Strength, Trained};
pub use greedy_rule::GreedyRule;
pub use linear::{Linear, LinearError, LinearPolicy};
pub use memory::{Memory, MemoryError};
pub use network::Network;
pub use player::NetworkPolicy;
pub use small::{QuantizationLoss, QuantizeError, QuantizedNetwork};
pub use solved::{SolvedPolicy, SolvedTable, SolvedTableError};
pub use table::{ActionTablePolicy, AfterstateTablePolicy, Table};
pub use values::Values;
