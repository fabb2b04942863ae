//! `Folder`: the files of one run.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use afterstate_games::spec::GameSpec;
use afterstate_values::AgentFileError;

use super::metrics::Window;
use crate::patterns::PatternError;
use crate::recipe::{Recipe, RecipeError};

const RECIPE: &str = "recipe.toml";
const METRICS: &str = "metrics.jsonl";

/// A run folder with its recipe.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    recipe: Recipe,
}

/// Why a run cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
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
    /// Whoever watches has gone away.
    #[error(transparent)]
    Watch(#[from] io::Error),
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
    /// A new run in a folder that does not hold one yet.
    pub fn create(path: &Path, recipe: Recipe) -> Result<Folder, RunError> {
        let file = path.join(RECIPE);
        if file.exists() {
            return Err(RunError::Taken(path.display().to_string()));
        }
        fs::create_dir_all(path).map_err(at(path))?;
        fs::write(&file, recipe.text()).map_err(at(&file))?;
        Ok(Folder { path: path.to_owned(), recipe })
    }

    /// The run in a folder.
    pub fn open(path: &Path) -> Result<Folder, RunError> {
        let file = path.join(RECIPE);
        let text = match fs::read_to_string(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(RunError::Missing(path.display().to_string()));
            }
            read => read.map_err(at(&file))?,
        };
        let recipe = Recipe::parse(&text, &[]).map_err(in_recipe(&file))?;
        Ok(Folder { path: path.to_owned(), recipe })
    }

    /// All runs below a folder, by name.
    pub fn all(parent: &Path) -> Result<Vec<Folder>, RunError> {
        let mut found = Vec::new();
        let entries = match fs::read_dir(parent) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
            entries => entries.map_err(at(parent))?,
        };
        let mut paths: Vec<PathBuf> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.join(RECIPE).exists()) {
            found.push(Folder::open(path)?);
        }
        Ok(found)
    }

    /// A new folder for a run of a recipe: `parent/name-1`, `parent/name-2`, ...
    pub fn next(parent: &Path, name: &str) -> PathBuf {
        let mut numbered = (1u32..).map(|number| parent.join(format!("{name}-{number}")));
        numbered.find(|path| !path.exists()).unwrap_or_else(|| parent.join(name))
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

    /// The error of a checkpoint that does not belong to its recipe.
    pub(super) fn damaged(&self, what: &str) -> RunError {
        RunError::Checkpoint {
            path: self.checkpoint().display().to_string(),
            what: what.to_owned(),
        }
    }

    fn metrics_file(&self) -> PathBuf {
        self.path.join(METRICS)
    }

    /// All windows so far. A last line that a killed program left unfinished is passed over.
    pub fn metrics(&self) -> Result<Vec<Window>, RunError> {
        let path = self.metrics_file();
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            file => file.map_err(at(&path))?,
        };
        let mut windows = Vec::new();
        for line in BufReader::new(file).lines() {
            let line = line.map_err(at(&path))?;
            windows.extend(serde_json::from_str::<Window>(&line).ok());
        }
        Ok(windows)
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
