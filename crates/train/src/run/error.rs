//! `RunError`: a run that cannot be read, trained or measured.

use std::io;
use std::path::Path;

use afterstate_agents::evaluate::EvaluateError;
use afterstate_values::AgentFileError;

use crate::learners::{LearnerError, TooLarge};
use crate::recipe::RecipeError;

/// A run that cannot be read, trained or measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A file, by its path, cannot be read or written.
    #[error("{0}: {1}")]
    File(String, #[source] io::Error),
    /// The folder has a run already.
    #[error("{0} already has a run: choose another folder, or resume it with --resume")]
    Taken(String),
    /// Another process trains it.
    #[error("the run {0} is locked by another process")]
    Locked(String),
    /// The folder has no run.
    #[error("{0} has no run: recipe.toml is missing")]
    Missing(String),
    /// The recipe in a file is invalid.
    #[error("{0}: {1}")]
    Recipe(String, #[source] Box<RecipeError>),
    /// The checkpoint in a file cannot be resumed from, and why.
    #[error("{0}: {1}")]
    Checkpoint(String, String),
    /// Something that was learned is not a finite number, and which; whether there is a checkpoint from before.
    #[error(
        "the training has diverged: {0}. Lower the learning rate; {end}",
        end = if *.1 {
            "the last checkpoint, in which all numbers are finite, is kept"
        } else {
            "there is no checkpoint from before"
        }
    )]
    Diverged(String, bool),
    /// The error of the learner.
    #[error("{0}")]
    Learner(LearnerError),
    /// The agent file cannot be written.
    #[error(transparent)]
    Agent(Box<AgentFileError>),
    /// The trained agent cannot be measured.
    #[error("the trained agent cannot be measured: {0}")]
    Measure(#[from] EvaluateError),
    /// Scores of different units cannot share an axis.
    #[error("the scores of these runs are {0}: draw runs of one game in a chart")]
    Units(String),
    /// The observer has failed, for instance because its pipe is closed.
    #[error(transparent)]
    Observer(io::Error),
}

impl RunError {
    /// Whether less memory is free than a training needs: it may be trained later, or elsewhere.
    pub fn lacks_memory(&self) -> bool {
        matches!(self, RunError::Learner(error) if error.is::<TooLarge>())
    }
}

impl From<AgentFileError> for RunError {
    fn from(error: AgentFileError) -> RunError {
        RunError::Agent(Box::new(error))
    }
}

impl From<LearnerError> for RunError {
    /// An error of the observer that a learner passed on stays one.
    fn from(error: LearnerError) -> RunError {
        match error.downcast::<io::Error>() {
            Ok(error) => RunError::Observer(*error),
            Err(error) => RunError::Learner(error),
        }
    }
}

/// An error of one file.
pub(super) fn at(path: &Path) -> impl Fn(io::Error) -> RunError {
    let path = path.display().to_string();
    move |error| RunError::File(path.clone(), error)
}
