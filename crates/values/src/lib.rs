//! Value functions: how good an afterstate is, as a sum of looked-up weights.

pub mod any;
pub mod file;
pub mod memory;
pub mod network;
pub mod player;
pub mod small;
pub mod table;
#[cfg(test)]
mod test_networks;
pub mod values;

pub use any::AnyNetwork;
pub use file::{AgentFileError, AgentInfo, Precision, Strength, Trained};
pub use memory::{Memory, MemoryError};
pub use network::Network;
pub use player::NetworkPlayer;
pub use small::{Loss, SmallError, SmallNetwork};
pub use table::{AfterPlayer, PairPlayer, Table};
pub use values::Values;
