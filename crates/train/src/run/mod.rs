//! A run: a training as a folder that can be observed, stopped, resumed and compared.
//!
//! `recipe.toml` is the whole recipe, `metrics.jsonl` has one line per window of games,
//! `checkpoint.safetensors` is replaced as a whole, `agent.safetensors` is the result,
//! `events.out.tfevents.*` is for TensorBoard, `lock` is held by the process that trains, and a
//! file `stop` requests that it stops.

mod checkpoint;
mod disk;
mod error;
mod events;
mod folder;
#[doc(hidden)]
pub mod in_memory;
mod lock;
mod measure;
pub(crate) mod on_cluster;
mod overview;
mod pieces;
#[cfg(feature = "charts")]
pub mod plot;
mod progress;
mod train;

/// The default folder of runs.
pub const RUNS: &str = "runs";

pub use disk::{Deleted, SMALL_CHECKPOINT};
pub use error::RunError;
pub use folder::Folder;
pub(crate) use folder::MAX_RECIPE_BYTES;
pub use measure::{EVALUATION_GAMES, MAX_MOVES, measure, strength};
pub use overview::{Overview, RunState};
pub use pieces::MIN_PIECE;
pub use train::{Observer, Outcome, Status, train};
