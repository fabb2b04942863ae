//! `Folder`: the files of one run.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use afterstate_games::spec::GameSpec;
use afterstate_values::AgentFileError;
use afterstate_values::file::{Trained, read_info};

use super::budget::Position;
use super::checkpoint::{self, Progress};
use super::lock::{is_locked, lock};
use super::metrics::Window;
use crate::patterns::PatternError;
use crate::recipe::{Recipe, RecipeError};

const RECIPE: &str = "recipe.toml";
const METRICS: &str = "metrics.jsonl";
const STOP: &str = "stop";

/// The most bytes of a recipe: a real one has a few hundred.
const LARGEST_RECIPE: u64 = 1 << 20;

/// A run folder with its recipe.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    recipe: Recipe,
    /// Held by whoever trains; several may read.
    lock: Option<Arc<File>>,
}

/// Why a run cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The game has no such table.
    #[error("{0}")]
    Table(String),
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// There is a run already.
    #[error("{0} already holds a run, expected a new folder or --resume")]
    Taken(String),
    /// Another program trains it.
    #[error("{0} is being trained by another program, expected a run that nobody trains")]
    Locked(String),
    /// There is no run.
    #[error("{0} holds no run, expected a folder with recipe.toml")]
    Missing(String),
    /// The recipe is wrong.
    #[error("{path}: {source}")]
    Recipe {
        /// The recipe's file.
        path: String,
        /// What is wrong with it.
        source: Box<RecipeError>,
    },
    /// The network cannot be built.
    #[error(transparent)]
    Network(#[from] PatternError),
    /// The network does not fit.
    #[error(transparent)]
    Memory(#[from] afterstate_values::MemoryError),
    /// An agent or checkpoint file is wrong.
    #[error(transparent)]
    Agent(Box<AgentFileError>),
    /// A checkpoint does not belong to its recipe.
    #[error("{path}: {what}")]
    Checkpoint {
        /// The file.
        path: String,
        /// What is wrong with it.
        what: String,
    },
    /// The game has no such features.
    #[error("{game}: met features {met:?}, expected {expected}")]
    Features {
        /// The rules.
        game: String,
        /// The name that was met.
        met: String,
        /// All that there are.
        expected: String,
    },
    /// The equations of least-squares policy iteration cannot be solved.
    #[error(transparent)]
    Lspi(#[from] afterstate_learn::lspi::Unsolvable),
    /// There is not a weight for each feature.
    #[error("met {met} weights, expected {expected}: one for each feature")]
    Start {
        /// Weights.
        met: usize,
        /// Features.
        expected: usize,
    },
    /// The rules of a stage are wrong.
    #[error("a stage of the recipe: {0}")]
    Stage(Box<afterstate_games::spec::SpecError>),
    /// Weights are no numbers to play by.
    #[error(transparent)]
    Weights(#[from] afterstate_values::LinearError),
    /// Least squares have no answer.
    #[error(transparent)]
    LeastSquares(#[from] afterstate_learn::least_squares::LeastSquaresError),
    /// The system gave no threads.
    #[error("no threads to train on: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The agent of an evaluation cannot be measured.
    #[error("evaluation.agent {agent:?}: {what}")]
    Evaluation {
        /// What it is called.
        agent: String,
        /// What is wrong with it.
        what: String,
    },
    /// The trained agent cannot be measured.
    #[error("the trained agent cannot be measured: {0}")]
    Measure(String),
    /// Whoever watches has gone away.
    #[error(transparent)]
    Observer(#[from] io::Error),
}

impl From<AgentFileError> for RunError {
    fn from(error: AgentFileError) -> RunError {
        RunError::Agent(Box::new(error))
    }
}

/// An error of one file.
pub(super) fn at(path: &Path) -> impl Fn(io::Error) -> RunError {
    let path = path.display().to_string();
    move |source| RunError::File { path: path.clone(), source }
}

/// An error of a recipe.
fn in_recipe(file: &Path) -> impl Fn(RecipeError) -> RunError {
    let path = file.display().to_string();
    move |source| RunError::Recipe { path: path.clone(), source: Box::new(source) }
}

impl Folder {
    /// A new run in a folder that does not hold one yet, to be trained by the caller alone.
    pub fn create(path: &Path, recipe: Recipe) -> Result<Folder, RunError> {
        let (file, part) = (path.join(RECIPE), path.join("recipe.part"));
        if file.exists() {
            return Err(RunError::Taken(path.display().to_string()));
        }
        fs::create_dir_all(path).map_err(at(path))?;
        let lock = Some(lock(path)?);
        if file.exists() {
            return Err(RunError::Taken(path.display().to_string()));
        }
        // A folder with the name is always a whole run.
        let written = fs::write(&part, recipe.text()).and_then(|()| fs::rename(&part, &file));
        written.map_err(|error| {
            let _ = fs::remove_file(&part);
            at(&file)(error)
        })?;
        Ok(Folder { path: path.to_owned(), recipe, lock })
    }

    /// A new run in a new folder: `parent/name-1`, `parent/name-2`, ...
    pub fn create_next(parent: &Path, name: &str, recipe: Recipe) -> Result<Folder, RunError> {
        fs::create_dir_all(parent).map_err(at(parent))?;
        let mut number = 1u64;
        loop {
            let path = parent.join(format!("{name}-{number}"));
            // Two programs that start at once get two folders.
            match fs::create_dir(&path) {
                Ok(()) => return Folder::create(&path, recipe),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(at(&path)(error)),
            }
        }
    }

    /// The run in a folder, to be read.
    pub fn open(path: &Path) -> Result<Folder, RunError> {
        let file = path.join(RECIPE);
        let mut text = String::new();
        let read = File::open(&file)
            .and_then(|file| file.take(LARGEST_RECIPE + 1).read_to_string(&mut text));
        match read {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(RunError::Missing(path.display().to_string()));
            }
            Ok(bytes) if bytes as u64 > LARGEST_RECIPE => {
                let met = io::Error::other("met more than 1 MiB, expected a recipe");
                return Err(at(&file)(met));
            }
            read => read.map_err(at(&file))?,
        };
        let recipe = Recipe::parse(&text, &[]).map_err(in_recipe(&file))?;
        Ok(Folder { path: path.to_owned(), recipe, lock: None })
    }

    /// The run in a folder, to be trained by the caller alone.
    pub fn resume(path: &Path) -> Result<Folder, RunError> {
        let folder = Folder::open(path)?;
        Ok(Folder { lock: Some(lock(path)?), ..folder })
    }

    /// The right to train, for as long as it is kept.
    pub(super) fn hold(&self) -> Result<Arc<File>, RunError> {
        self.lock.clone().map_or_else(|| lock(&self.path), Ok)
    }

    /// The folders of all runs below a folder, by name.
    pub fn all(parent: &Path) -> Result<Vec<PathBuf>, RunError> {
        let entries = match fs::read_dir(parent) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(at(parent))?,
        };
        let mut paths: Vec<PathBuf> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.retain(|path| path.join(RECIPE).exists());
        paths.sort();
        Ok(paths)
    }

    /// How far the checkpoint is; `None` before the first.
    pub fn position(&self) -> Result<Option<Position>, RunError> {
        Ok(checkpoint::progress(&self.checkpoint())?.map(|progress| progress.position))
    }

    /// Whether its budget is spent and its agent is the one that came of it.
    pub fn finished(&self) -> Result<bool, RunError> {
        let progress = checkpoint::progress(&self.checkpoint())?;
        let Some(Progress { position, over, .. }) = progress else { return Ok(false) };
        let Position { episodes, moves, .. } = position;
        let spent = over || position.spends(&self.recipe.budget);
        let trained = read_info(&self.agent()).ok().and_then(|info| info.trained);
        let came_of_it = |trained: Trained| (trained.episodes, trained.moves) == (episodes, moves);
        Ok(spent && trained.is_some_and(came_of_it))
    }

    /// Whether a program trains it right now, this one or another.
    pub fn is_training(&self) -> bool {
        is_locked(&self.path)
    }

    /// Asks whoever trains it, in whatever program, to save and stop.
    pub fn ask_to_stop(&self) -> Result<(), RunError> {
        let path = self.path.join(STOP);
        fs::write(&path, "").map_err(at(&path))
    }

    /// Whether somebody has asked.
    pub(super) fn is_asked_to_stop(&self) -> bool {
        self.path.join(STOP).exists()
    }

    /// Forgets that somebody has asked.
    pub(super) fn forget_stop(&self) {
        let _ = fs::remove_file(self.path.join(STOP));
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its last part, by which people call it.
    pub fn name(&self) -> String {
        self.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// How it is trained.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The game and its rules.
    pub fn spec(&self) -> Result<GameSpec, RunError> {
        self.recipe.spec().map_err(in_recipe(&self.path.join(RECIPE)))
    }

    /// The checkpoint.
    pub fn checkpoint(&self) -> PathBuf {
        self.path.join("checkpoint.safetensors")
    }

    /// The result.
    pub fn agent(&self) -> PathBuf {
        self.path.join("agent.safetensors")
    }

    fn metrics_file(&self) -> PathBuf {
        self.path.join(METRICS)
    }

    /// All windows so far. A last line that a killed program left unfinished is passed over.
    pub fn metrics(&self) -> Result<Vec<Window>, RunError> {
        let path = self.metrics_file();
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            bytes => bytes.map_err(at(&path))?,
        };
        let lines = bytes.split(|&byte| byte == b'\n');
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }

    /// Appends windows.
    pub(super) fn add_metrics(&self, windows: &[Window]) -> Result<(), RunError> {
        if windows.is_empty() {
            return Ok(());
        }
        let path = self.metrics_file();
        let mut text = String::new();
        for window in windows {
            text += &serde_json::to_string(window).map_err(|error| at(&path)(error.into()))?;
            text.push('\n');
        }
        let file = OpenOptions::new().create(true).append(true).open(&path);
        file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(at(&path))
    }

    /// How long the metrics are.
    pub(super) fn metrics_bytes(&self) -> Result<u64, RunError> {
        let path = self.metrics_file();
        match fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            data => Ok(data.map_err(at(&path))?.len()),
        }
    }

    /// Forgets what was written after a checkpoint.
    pub(super) fn cut_metrics(&self, bytes: u64) -> Result<(), RunError> {
        let path = self.metrics_file();
        if self.metrics_bytes()? <= bytes {
            return Ok(());
        }
        let file = OpenOptions::new().write(true).open(&path);
        file.and_then(|file| file.set_len(bytes)).map_err(at(&path))
    }
}
