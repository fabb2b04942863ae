//! A run: one training, as a folder that can be followed, stopped, resumed and compared.
//!
//! `recipe.toml` is the whole recipe, `metrics.jsonl` grows by a line a window of games,
//! `checkpoint.safetensors` is written beside and renamed, `agent.safetensors` is the result,
//! `events.out.tfevents.*` is for TensorBoard, `lock` is held by the program that trains, and a
//! file `stop` asks it to stop.

mod budget;
mod checkpoint;
mod events;
mod folder;
mod learners;
mod lock;
mod measure;
mod metrics;
mod overview;
pub mod plot;
mod train;
mod training;

pub use budget::Position;
pub use folder::{Folder, RunError};
pub use measure::{LONGEST, measure};
pub use metrics::Window;
pub use overview::{Overview, Stage};
pub use train::{Observer, Outcome, Status, check, train};
