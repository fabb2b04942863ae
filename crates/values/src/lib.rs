//! Value functions over afterstates, the models that agents play by, and the agent file.

pub mod any;
pub mod coded;
pub mod evaluator;
pub mod file;
pub mod greedy_game;
pub mod greedy_rule;
mod json;
pub mod linear;
pub mod memory;
mod merged;
pub mod model;
pub mod network;
pub mod neural;
mod outcomes;
pub mod quantized;
pub mod solved;
pub mod table;
#[cfg(test)]
mod test_files;
#[cfg(test)]
mod test_networks;
pub mod values;
pub mod weights;

pub use any::AnyNetwork;
pub use evaluator::{BatchEvaluator, NetworkEvaluator, NetworkPolicy};
pub use file::{AgentFileError, AgentInfo, Strength, Trained, claim, replace_file};
pub use greedy_game::{GreedyGame, PlaysGames};
pub use greedy_rule::GreedyRule;
pub use json::read_json;
pub use linear::{Linear, LinearError};
pub use memory::{Memory, MemoryError};
pub use model::{Explanation, Model, Part};
pub use network::Network;
pub use neural::NeuralNetwork;
pub use quantized::{QuantizationLoss, QuantizedError, QuantizedNetwork};
pub use solved::{SolvedTable, SolvedTableError};
pub use table::{ActionTablePolicy, AfterstateTablePolicy, ValueTable};
pub use values::{AfterstateValues, Scratch, Values};

/// The examples of the README, compiled and run as tests.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct Readme;
