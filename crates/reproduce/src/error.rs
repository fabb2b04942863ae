//! `Error`: why an experiment cannot be measured.

use std::io;

use afterstate_agents::AgentError;
use afterstate_agents::agent::UnknownAgent;
use afterstate_agents::evaluate::EvaluateError;
use afterstate_games::spec::SpecError;
use afterstate_games::tetris::contour::ViewError;
use afterstate_learn::least_squares::LeastSquaresError;
use afterstate_learn::lspi::Unsolvable;
use afterstate_learn::solution::SolveError;
use afterstate_render::RenderError;
use afterstate_train::learners::ntuple::patterns::PatternError;
use afterstate_train::recipe::RecipeError;
use afterstate_train::run::RunError;
use afterstate_values::{AgentFileError, LinearError, MemoryError};

/// Why an experiment cannot be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A recipe is invalid.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// A training failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The metrics of a run lack a value that its learner writes.
    #[error("run {run}: a line of its metrics has no {metric:?}")]
    Metric {
        /// The run.
        run: String,
        /// The missing value.
        metric: &'static str,
    },
    /// No agent has this name.
    #[error(transparent)]
    UnknownAgent(#[from] UnknownAgent),
    /// An agent cannot be used with its game.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The file of a trained agent cannot be loaded.
    #[error(transparent)]
    AgentFile(#[from] AgentFileError),
    /// A least-squares problem has no solution.
    #[error(transparent)]
    LeastSquares(#[from] LeastSquaresError),
    /// Weights do not fit their features.
    #[error(transparent)]
    Weights(#[from] LinearError),
    /// A report of an experiment that does not exist.
    #[error("unknown experiment {0:?}")]
    Unknown(String),
    /// An agent cannot be evaluated.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// Rules are invalid.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Rules are of another game than the experiment needs.
    #[error("rules {rules:?} are not rules of {game}")]
    Game {
        /// The rules.
        rules: String,
        /// The game of the experiment.
        game: &'static str,
    },
    /// A view of a well is invalid.
    #[error(transparent)]
    View(#[from] ViewError),
    /// A learned table cannot be built for its game.
    #[error("{0}")]
    Table(String),
    /// The tuples of a network are invalid.
    #[error(transparent)]
    Tuples(#[from] PatternError),
    /// A table does not fit into memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A game cannot be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The equations of least-squares policy iteration have no solution.
    #[error(transparent)]
    Lspi(#[from] Unsolvable),
    /// The states of a game cannot be enumerated.
    #[error("{0} has too many states to enumerate, or no index of them")]
    NotEnumerable(String),
    /// A chart cannot be drawn.
    #[error(transparent)]
    Chart(#[from] RenderError),
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
    /// A value cannot be written as JSON.
    #[error("{path}: {source}")]
    Json {
        /// The file.
        path: String,
        /// The reason.
        source: serde_json::Error,
    },
    /// A file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
    /// A file is not a report, and why.
    #[error("{0} is not a results file, such as those of results/: {1}")]
    Report(String, String),
    /// The observer has failed, for instance because its pipe is closed.
    #[error(transparent)]
    Observer(#[from] io::Error),
    /// The folder of a training holds a run of another recipe.
    #[error("{0} holds a run of another recipe: remove it, or use another folder")]
    OtherRecipe(String),
    /// Another process measures the experiment with the same trainings.
    #[error("{0} is being measured by another process: wait for it, or use another folder of runs")]
    Busy(&'static str),
    /// The experiment was asked for on a GPU and is not made for one.
    #[error("{0} is measured on the processor only: use --device cpu")]
    NotOnGpu(&'static str),
    /// It was stopped.
    #[error("stopped; what was trained or played is saved, and the same command resumes")]
    Stopped,
}
