//! `Folder`: the files of one run.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use afterstate_values::file::{
    Strength, Trained, open_file, open_file_with, read_file, read_info, replace_file,
};

use super::checkpoint::{self, Progress};
use super::error::{RunError, at};
use super::lock::{is_locked, lock};
use crate::budget::Position;
use crate::metrics::Window;
use crate::recipe::{Recipe, RecipeError};

pub(super) const RECIPE: &str = "recipe.toml";
pub(super) const METRICS: &str = "metrics.jsonl";
const STOP: &str = "stop";
const DASHBOARD: &str = "dashboard";

/// The most bytes of a recipe; a typical one has a few hundred.
pub(crate) const MAX_RECIPE_BYTES: u64 = 1 << 20;

/// The most bytes of metrics that are read: several times what a run writes.
const MAX_METRICS_BYTES: u64 = 1 << 30;

/// A run folder with its recipe.
///
/// ```
/// use afterstate_train::{Folder, Recipe, recipes};
///
/// let recipe = Recipe::parse(recipes::BUILT_IN[0].1, &[])?;
/// let path = std::env::temp_dir().join(format!("folder-{}", std::process::id()));
/// let run = Folder::create(&path, recipe)?;
/// // `train` of `afterstate-engine` trains it; until then it has a recipe and no metrics.
/// assert!(run.metrics()?.is_empty() && !run.finished()?);
/// # std::fs::remove_dir_all(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    recipe: Recipe,
    /// The lock for training; reading needs none.
    lock: Option<Arc<File>>,
}

/// An error of a recipe.
pub(super) fn in_recipe(file: &Path) -> impl Fn(RecipeError) -> RunError {
    let path = file.display().to_string();
    move |error| RunError::Recipe(path.clone(), Box::new(error))
}

/// The windows in the bytes of metrics; incomplete lines are skipped.
pub(super) fn windows(bytes: &[u8]) -> Vec<Window> {
    let lines = bytes.split(|&byte| byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

impl Folder {
    /// A new run in a folder that has none, locked for training.
    pub fn create(path: &Path, recipe: Recipe) -> Result<Folder, RunError> {
        let file = path.join(RECIPE);
        if file.exists() {
            return Err(RunError::Taken(path.display().to_string()));
        }
        fs::create_dir_all(path).map_err(at(path))?;
        let lock = Some(lock(path)?);
        if file.exists() {
            return Err(RunError::Taken(path.display().to_string()));
        }
        let text = recipe.text().map_err(in_recipe(&file))?;
        replace_file(&file, |to| to.write_all(text.as_bytes())).map_err(at(&file))?;
        Ok(Folder { path: path.to_owned(), recipe, lock })
    }

    /// A new run in a new folder: `parent/name-1`, `parent/name-2`, ...
    pub fn create_next(parent: &Path, name: &str, recipe: Recipe) -> Result<Folder, RunError> {
        fs::create_dir_all(parent).map_err(at(parent))?;
        let mut number = 1u64;
        loop {
            let path = parent.join(format!("{name}-{number}"));
            // `create_dir` is atomic: programs that start at once get different folders.
            match fs::create_dir(&path) {
                Ok(()) => return Folder::create(&path, recipe),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(at(&path)(error)),
            }
        }
    }

    /// The run in a folder, for reading.
    pub fn open(path: &Path) -> Result<Folder, RunError> {
        let file = path.join(RECIPE);
        let mut text = String::new();
        let read = open_file(&file)
            .and_then(|file| file.take(MAX_RECIPE_BYTES + 1).read_to_string(&mut text));
        match read {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(RunError::Missing(path.display().to_string()));
            }
            Ok(bytes) if bytes as u64 > MAX_RECIPE_BYTES => {
                let error = io::Error::other("the recipe is larger than 1 MiB");
                return Err(at(&file)(error));
            }
            read => read.map_err(at(&file))?,
        };
        let recipe = Recipe::parse(&text, &[]).map_err(in_recipe(&file))?;
        Ok(Folder { path: path.to_owned(), recipe, lock: None })
    }

    /// The run in a folder, locked for training.
    pub fn resume(path: &Path) -> Result<Folder, RunError> {
        let folder = Folder::open(path)?;
        Ok(Folder { lock: Some(lock(path)?), ..folder })
    }

    /// The same run, locked for training.
    pub fn locked(&self) -> Result<Folder, RunError> {
        Ok(Folder { lock: Some(self.hold()?), ..self.clone() })
    }

    /// The same run for reading only.
    pub fn unlocked(&self) -> Folder {
        Folder { lock: None, ..self.clone() }
    }

    /// The lock for training, held until it is dropped.
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

    /// The position of the checkpoint; `None` before the first.
    pub fn position(&self) -> Result<Option<Position>, RunError> {
        Ok(checkpoint::progress(&self.checkpoint())?.map(|progress| progress.position))
    }

    /// Whether the budget is spent and the agent is that of the whole training.
    pub fn finished(&self) -> Result<bool, RunError> {
        let progress = checkpoint::progress(&self.checkpoint())?;
        let Some(Progress { position, converged, .. }) = progress else { return Ok(false) };
        let Position { episodes, moves, .. } = position;
        let spent = converged || position.spends(&self.recipe.budget);
        let trained = read_info(&self.agent()).ok().and_then(|info| info.trained);
        let current = |trained: Trained| (trained.episodes, trained.moves) == (episodes, moves);
        Ok(spent && trained.is_some_and(current))
    }

    /// The strength of its agent, if it was measured since it was last trained.
    pub fn strength(&self) -> Option<Strength> {
        read_info(&self.agent()).ok().and_then(|info| info.strength)
    }

    /// Whether a process trains the run.
    pub fn is_training(&self) -> bool {
        is_locked(&self.path)
    }

    /// Requests that the process that trains the run saves and stops.
    pub fn request_stop(&self) -> Result<(), RunError> {
        let path = self.path.join(STOP);
        let made = open_file_with(&path, OpenOptions::new().create(true).append(true));
        made.map(drop).map_err(at(&path))
    }

    /// Whether a stop was requested.
    pub(super) fn stop_requested(&self) -> bool {
        self.path.join(STOP).exists()
    }

    /// Withdraws the request to stop.
    pub(super) fn clear_stop(&self) {
        let _ = fs::remove_file(self.path.join(STOP));
    }

    /// Keeps the address of the page that shows the cluster which trains the run; none if none does.
    pub(super) fn set_dashboard(&self, url: Option<&str>) -> Result<(), RunError> {
        let path = self.path.join(DASHBOARD);
        match url {
            Some(url) => replace_file(&path, |to| to.write_all(url.as_bytes())).map_err(at(&path)),
            None => {
                let _ = fs::remove_file(path);
                Ok(())
            }
        }
    }

    /// That address, if it is one.
    pub(super) fn dashboard(&self) -> Option<String> {
        let url = String::from_utf8(read_file(&self.path.join(DASHBOARD), 1 << 10).ok()?).ok()?;
        let plain = url.bytes().all(|byte| byte.is_ascii_graphic());
        (plain && (url.starts_with("http://") || url.starts_with("https://"))).then_some(url)
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the run: the last part of its path.
    pub fn name(&self) -> String {
        self.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// The recipe.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The path of the checkpoint.
    pub fn checkpoint(&self) -> PathBuf {
        self.path.join("checkpoint.safetensors")
    }

    /// The path of the trained agent.
    pub fn agent(&self) -> PathBuf {
        self.path.join("agent.safetensors")
    }

    fn metrics_file(&self) -> PathBuf {
        self.path.join(METRICS)
    }

    /// All windows so far. Incomplete lines, as a killed process leaves them, are skipped.
    pub fn metrics(&self) -> Result<Vec<Window>, RunError> {
        let path = self.metrics_file();
        let bytes = match read_file(&path, MAX_METRICS_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            bytes => bytes.map_err(at(&path))?,
        };
        Ok(windows(&bytes))
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
        let file = open_file_with(&path, OpenOptions::new().create(true).append(true));
        file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(at(&path))
    }

    /// The length of the metrics in bytes.
    pub(super) fn metrics_bytes(&self) -> Result<u64, RunError> {
        let path = self.metrics_file();
        match fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            data => Ok(data.map_err(at(&path))?.len()),
        }
    }

    /// Removes the metrics that were written after a checkpoint, and a line that is cut: the next
    /// window would continue it.
    pub(super) fn truncate_metrics(&self, bytes: u64) -> Result<(), RunError> {
        let path = self.metrics_file();
        let mut written = match read_file(&path, MAX_METRICS_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            written => written.map_err(at(&path))?,
        };
        let length = written.len();
        written.truncate(usize::try_from(bytes).unwrap_or(usize::MAX));
        let whole = written.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        if whole == length {
            return Ok(());
        }
        let file = open_file_with(&path, OpenOptions::new().write(true));
        file.and_then(|file| file.set_len(whole as u64)).map_err(at(&path))
    }
}
