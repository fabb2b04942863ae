//! Training: a run from its recipe to its agent, with progress for a callback.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use afterstate_engine::new_run;
use afterstate_train::recipe::Recipe;
use afterstate_train::recipes::{self, BUILT_IN, RecipeNameError};
use afterstate_train::run::{Folder, Observer, Status};
use afterstate_train::{Hardware, Window};
use pyo3::prelude::*;
use serde::Serialize;

use crate::agent::{parse_device, parse_threads};
use crate::errors::{os_error, run_error, to_python, value_error};
use crate::evaluation::{Played, settings};
use crate::interrupt::{OnInterrupt, interruptible};
use crate::numbers::optional;

/// How often the callback is called.
const EVERY: Duration = Duration::from_millis(500);

/// What the callback is told: the notes of the learner since the last call, and the progress.
#[derive(Clone, Debug, Default, Serialize)]
struct Told {
    run: PathBuf,
    notes: Vec<String>,
    fraction: f64,
    episodes: u64,
    moves: u64,
    seconds: f64,
    moves_per_second: f64,
    window: Option<Window>,
    /// The progress in words, the most important first.
    parts: Vec<String>,
}

/// Leaves the progress where the calling thread finds it.
struct Teller(Arc<Mutex<Told>>);

impl Observer for Teller {
    fn begin(&mut self, note: &str) -> io::Result<()> {
        self.note(note)
    }

    fn note(&mut self, note: &str) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).notes.push(note.to_owned());
        Ok(())
    }

    fn round(&mut self, status: &Status) -> io::Result<()> {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.window = status.windows.last().cloned().or(told.window.take());
        told.parts = status.parts(told.window.as_ref());
        told.fraction = status.fraction;
        told.moves_per_second = status.moves_per_second;
        (told.episodes, told.moves) = (status.position.episodes, status.position.moves);
        told.seconds = status.position.seconds;
        Ok(())
    }
}

/// The recipe of a run: by name or file, or as JSON with the same keys as its TOML.
fn read_recipe(name: &str, json: bool, settings: &[String]) -> PyResult<(String, Recipe)> {
    let (name, text) = if json {
        let table: toml::Table = serde_json::from_str(name)
            .map_err(|error| value_error(format!("the recipe is no table of TOML: {error}")))?;
        let text = toml::to_string(&table).map_err(value_error)?;
        ("run".to_owned(), text)
    } else {
        recipes::find(name).map_err(|error| match &error {
            RecipeNameError::Read(_, io) => os_error(io.kind(), &error),
            _ if name.ends_with(".toml") => {
                os_error(io::ErrorKind::NotFound, format!("{name} is no file"))
            }
            _ => value_error(&error),
        })?
    };
    let recipe = Recipe::parse(&text, settings);
    let recipe = recipe.map_err(|error| value_error(format!("recipe {name}: {error}")))?;
    Ok((name, recipe))
}

/// Trains a new run, or resumes the one in `folder`; calls `progress` a few times a second. Returns the
/// folder and whether the budget is spent. Ctrl-C saves the run before it is raised.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the settings of a training")]
pub(crate) fn train(
    py: Python,
    recipe: Option<&str>,
    json: bool,
    settings: Vec<String>,
    folder: Option<PathBuf>,
    #[pyo3(from_py_with = optional)] threads: Option<usize>,
    device: &str,
    keep_checkpoint: bool,
    progress: Py<PyAny>,
) -> PyResult<(PathBuf, bool)> {
    let device = parse_device(device)?;
    let hardware = Hardware { threads: parse_threads(threads)?, device };
    let failed = |error| run_error(&error);
    let folder = match recipe {
        Some(recipe) => {
            let (name, recipe) = read_recipe(recipe, json, &settings)?;
            new_run(recipe, &name, device, folder.as_deref()).map_err(failed)?
        }
        None => Folder::resume(folder.as_deref().unwrap_or(Path::new(""))).map_err(failed)?,
    };
    let path = folder.path().to_owned();
    if recipe.is_none() && folder.finished().map_err(failed)? {
        return Ok((path, true));
    }
    let told = Arc::new(Mutex::new(Told { run: path.clone(), ..Told::default() }));
    let tell = |py: Python| {
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Told { notes: std::mem::take(&mut told.notes), ..told.clone() };
        drop(told);
        progress.call1(py, (to_python(py, &now)?,)).map(|_| ())
    };
    tell(py)?;
    let mut last = Instant::now();
    let teller = Arc::clone(&told);
    let work = move |stop: &AtomicBool| {
        let engine = afterstate_engine::open(&folder.recipe().rules);
        let outcome = engine.train(&folder, hardware, stop, &mut Teller(teller))?;
        if outcome.finished && !keep_checkpoint {
            folder.drop_large_checkpoint()?;
        }
        Ok(outcome)
    };
    let outcome = interruptible(py, OnInterrupt::Wait, work, |py| {
        if last.elapsed() < EVERY {
            return Ok(());
        }
        last = Instant::now();
        tell(py)
    })?;
    let outcome = outcome.map_err(failed)?;
    tell(py)?;
    Ok((path, outcome.finished))
}

/// Plays games with the agent of a run and writes its strength into its file.
#[pyfunction]
pub(crate) fn measure_run(
    py: Python,
    path: PathBuf,
    games: u64,
    threads: Option<usize>,
    device: &str,
) -> PyResult<Played> {
    let device = parse_device(device)?;
    let hardware = Hardware { threads: parse_threads(threads)?, device };
    let games = settings(games, 0, None)?.games;
    let folder = Folder::open(&path).map_err(|error| run_error(&error))?;
    let (rules, agent) = (folder.recipe().rules.clone(), folder.agent().display().to_string());
    let engine = afterstate_engine::open(&rules);
    let work = move |_: &AtomicBool| engine.measure(&folder, games, hardware);
    let measured = interruptible(py, OnInterrupt::Leave, work, |_| Ok(()))?;
    let (settings, evaluation) = measured.map_err(|error| run_error(&error))?;
    Ok(Played { rules, agent, search: "greedy".to_owned(), settings, evaluation })
}

/// The progress of a run from its folder, as a dictionary, and its recipe as TOML.
#[pyfunction]
pub(crate) fn run_overview(py: Python<'_>, path: PathBuf) -> PyResult<(Bound<'_, PyAny>, String)> {
    let folder = Folder::open(&path).map_err(|error| run_error(&error))?;
    let overview = folder.overview().map_err(|error| run_error(&error))?;
    Ok((to_python(py, &overview)?, folder.recipe().text().map_err(value_error)?))
}

/// The windows of a run, as dictionaries.
#[pyfunction]
pub(crate) fn run_metrics(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyAny>> {
    let folder = Folder::open(&path).map_err(|error| run_error(&error))?;
    to_python(py, &folder.metrics().map_err(|error| run_error(&error))?)
}

/// A recipe, by name or file, as a dictionary.
#[pyfunction]
#[pyo3(signature = (name, table=false, settings=None))]
pub(crate) fn recipe_table<'py>(
    py: Python<'py>,
    name: &str,
    table: bool,
    settings: Option<Vec<String>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (_, recipe) = read_recipe(name, table, &settings.unwrap_or_default())?;
    let text = recipe.text().map_err(value_error)?;
    to_python(py, &text.parse::<toml::Table>().map_err(value_error)?)
}

/// Replaces a file by the writer of the program: it is whole at any time, and what is no file is refused.
#[pyfunction]
pub(crate) fn replace_file(py: Python, path: PathBuf, data: &[u8]) -> PyResult<()> {
    let replaced = py.detach(|| afterstate_values::replace_file(&path, |to| to.write_all(data)));
    replaced.map_err(|error| os_error(error.kind(), format!("{}: {error}", path.display())))
}

/// The recipes of the program: names, rules, descriptions and texts.
#[pyfunction]
pub(crate) fn recipe_list() -> PyResult<Vec<(&'static str, String, String, &'static str)>> {
    let recipe = |&(name, text): &(&'static str, &'static str)| {
        let rules = Recipe::parse(text, &[]).map_err(value_error)?.rules.to_string();
        Ok((name, rules, recipes::about(text), text))
    };
    BUILT_IN.iter().map(recipe).collect()
}
