//! Value functions: how good an afterstate is, as a sum of looked-up weights.

pub mod memory;
pub mod network;

pub use memory::{Memory, MemoryError};
pub use network::Network;
