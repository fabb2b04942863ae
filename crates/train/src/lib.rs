//! Training: recipes, learners, and runs as folders with metrics, checkpoints and a result.

mod budget;
mod hardware;
pub mod learners;
pub mod metrics;
pub mod recipe;
pub mod recipes;
pub mod run;
pub mod tensorboard;

pub use budget::Position;
pub use hardware::Hardware;
pub use learners::{LearnerPlan, Needs};
pub use metrics::Window;
pub use recipe::{Budget, Recipe, RecipeError};
pub use run::{Folder, RunError};

/// The examples of the README, compiled and run as tests.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct Readme;
