//! The agent file: a network or weighted_sum features, and where they come from, in one safetensors
//! file.
//!
//! The file's metadata has one key, `afterstate`, with the [`AgentInfo`] as JSON. The weights of
//! each tuple are a tensor `tuple.N` of one dimension, in the order in which the network numbers
//! them, F32 or I16; 16-bit weights come with `scale`, one F32 for each tuple. The weights lie one
//! after the other from a multiple of 64 bytes on, so that a file can be mapped and played from as
//! it is. An agent that weighs features has no tuples, but their names in its description and one
//! tensor `weights` (`linear.rs`); a solved game has its boards (`table.rs`); a
//! learned table has its entries (`entries.rs`).

mod entries;
mod error;
mod header;
mod info;
mod linear;
mod load;
mod save;
mod source;
mod strength;
mod table;
#[cfg(test)]
mod tests;

pub use entries::{load_entries, save_entries};
pub use error::{AgentFileError, Problem};
pub use header::read_info;
pub use info::{
    AgentInfo, CombineInfo, EntriesInfo, FeatureInfo, Precision, Strength, TableInfo, Trained,
};
pub use linear::{load_linear, save_linear};
pub use load::{Place, load, load_to};
pub use save::{Stored, save};
pub use source::Source;
pub use strength::save_strength;
pub use table::{load_table, save_table};

#[cfg(target_endian = "big")]
compile_error!("agent files hold little-endian numbers, which are mapped as they are");

/// The one key of the metadata.
const KEY: &str = "afterstate";

/// The most bytes of a header: a real one has a few thousand.
const LARGEST_HEADER: u64 = 1 << 20;

/// The tensor of the scales of 16-bit weights.
const SCALE: &str = "scale";

/// The tensor of a tuple's weights.
fn tensor_name(tuple: usize) -> String {
    format!("tuple.{tuple}")
}
