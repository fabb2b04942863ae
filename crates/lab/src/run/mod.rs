//! A run: one training, as a folder that can be followed, stopped, resumed and compared.
//!
//! `recipe.toml` is the whole recipe, `metrics.jsonl` grows by a line a window of games,
//! `checkpoint.safetensors` is written beside and renamed, `agent.safetensors` is the result,
//! `events.out.tfevents.*` is for TensorBoard, and `lock` is held by the program that trains.

mod budget;
mod checkpoint;
mod events;
mod folder;
mod learners;
mod lock;
mod metrics;
pub mod plot;
mod train;
mod training;

pub use budget::Position;
pub use folder::{Folder, RunError};
pub use metrics::Window;
pub use train::{Outcome, Status, Watch, check, train};
