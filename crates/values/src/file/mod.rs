//! The agent file: a model of some kind with its description, in one safetensors file.
//!
//! The file's metadata has one key, `afterstate`, with the [`AgentInfo`] as JSON: rules, the kind
//! of model, the fields of that kind, training and strength. Tensors have one dimension. Which
//! tensors and fields a kind has stands in its file of [`model`](crate::model).

mod agent_file;
mod error;
mod info;
mod part;
mod replace;
mod source;
mod target;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use agent_file::check_finite;
pub use agent_file::{AgentFile, Place, first_not_finite, read_info};
pub(crate) use error::shown;
pub use error::{AgentFileError, Problem};
pub use info::{AgentInfo, Strength, Trained};
pub use replace::{replace_file, write_with_holes};
pub use source::{Source, open_file, open_file_with, read_file};
pub use target::{OTHER_WRITER, claim};
pub use write::save_strength;
pub(crate) use write::{Tensors, agent_size, bytes_of, write_agent};

#[cfg(target_endian = "big")]
compile_error!("agent files hold little-endian numbers, which are mapped as they are");

/// The one key of the metadata.
const KEY: &str = "afterstate";

/// The maximum length of a header in bytes: a real one has a few thousand.
const MAX_HEADER: u64 = 1 << 20;
