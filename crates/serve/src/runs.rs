//! Runs: every training in the folder of runs, whichever process trains it, and their charts.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use afterstate_core::Device;
use afterstate_train::recipe::RequestedRecipe;
use afterstate_train::recipes::{BUILT_IN, about};
use afterstate_train::run::{EVALUATION_GAMES, Folder, Overview, RunError, RunState};
use afterstate_values::Strength;
use afterstate_values::file::read_info;
use axum::Json;
use axum::extract::{self, State};
use serde::{Deserialize, Serialize};

use crate::Settings;
use crate::agents::file_name;
use crate::app::{App, Shared};
use crate::body::Body;
use crate::error::ApiError;
use crate::limits::{MAX_MEASURE_GAMES, MAX_SETTINGS, MAX_TEXT};
use crate::lru_store::lock;
use crate::trainer::TrainingStatus;

/// A recipe in the list.
#[derive(Serialize)]
pub(crate) struct RecipeEntry {
    name: &'static str,
    about: String,
    text: &'static str,
}

/// Lists the recipes in the program.
pub(crate) async fn recipes() -> Json<Vec<RecipeEntry>> {
    let entry = |&(name, text): &(&'static str, &'static str)| {
        let start = text.find("\ngame").map_or(0, |at| at + 1);
        RecipeEntry { name, about: about(text), text: &text[start..] }
    };
    Json(BUILT_IN.iter().map(entry).collect())
}

/// A run, or why it cannot be read.
#[derive(Serialize)]
pub(crate) struct RunEntry {
    name: String,
    #[serde(flatten)]
    overview: Option<Overview>,
    /// The unit of its scores.
    unit: Option<&'static str>,
    /// The evaluation of its agent, once it was measured.
    strength: Option<Strength>,
    /// The progress of its training, if this process trains it or has trained it.
    training: Option<TrainingStatus>,
    /// Why it cannot be read.
    error: Option<String>,
    /// The time of its last change, in seconds since 1970.
    modified: u64,
}

/// Lists every run, the last modified first.
pub(crate) async fn list(State(app): State<Shared>) -> Result<Json<Vec<RunEntry>>, ApiError> {
    let shared = Arc::clone(&app);
    let runs = app.workers.run(move || {
        let mut runs: Vec<RunEntry> =
            all(&shared)?.into_iter().map(|path| entry(&shared, &path)).collect();
        runs.sort_by(|a, b| b.modified.cmp(&a.modified).then(a.name.cmp(&b.name)));
        Ok(runs)
    });
    runs.await.map(Json)
}

/// The overviews of runs that are not being trained, read again only if their files have changed.
#[derive(Default)]
pub(crate) struct OverviewCache(Mutex<HashMap<PathBuf, (Stamp, Known)>>);

/// The progress of a run, the unit of its scores, and the evaluation of its agent.
type Known = (Overview, &'static str, Option<Strength>);

/// The times of modification of a run's files, and the length of its metrics.
type Stamp = ([Option<SystemTime>; 4], u64);

const FILES: [&str; 4] =
    ["metrics.jsonl", "recipe.toml", "checkpoint.safetensors", "agent.safetensors"];

impl OverviewCache {
    fn get(&self, path: &Path, stamp: Stamp) -> Result<Known, RunError> {
        let folder = Folder::open(path)?;
        let unit = folder.recipe().rules.unit();
        if folder.is_training() {
            return Ok((folder.overview()?, unit, None));
        }
        if let Some((cached, known)) = lock(&self.0).get(path)
            && *cached == stamp
            && known.0.state != RunState::Running
        {
            return Ok(known.clone());
        }
        let overview = folder.overview()?;
        // A run without an agent yet has no evaluation.
        let strength = read_info(&folder.agent()).ok().and_then(|info| info.strength);
        let known = (overview, unit, strength);
        lock(&self.0).insert(path.to_owned(), (stamp, known.clone()));
        Ok(known)
    }
}

fn entry(app: &App, path: &Path) -> RunEntry {
    let data = FILES.map(|file| fs::metadata(path.join(file)).ok());
    let length = data[0].as_ref().map_or(0, fs::Metadata::len);
    let times = data.map(|data| data?.modified().ok());
    let known = app.overviews.get(path, (times, length));
    let error = known.as_ref().err().map(ToString::to_string);
    let (overview, unit, strength) = match known {
        Ok((overview, unit, strength)) => (Some(overview), Some(unit), strength),
        Err(_) => (None, None, None),
    };
    let name = file_name(path);
    let since_epoch = |time: &SystemTime| time.duration_since(UNIX_EPOCH).ok();
    let modified = times[..2].iter().flatten().filter_map(since_epoch).max();
    RunEntry {
        training: app.trainer.status(&name),
        name,
        error,
        overview,
        unit,
        strength,
        modified: modified.map_or(0, |time| time.as_secs()),
    }
}

fn all(app: &App) -> Result<Vec<PathBuf>, ApiError> {
    Folder::all(&app.settings.runs).map_err(ApiError::internal)
}

/// The folder of a run. The name is searched among all runs and never used as a path.
pub(crate) fn find(app: &App, name: &str) -> Result<PathBuf, ApiError> {
    let mut paths = all(app)?.into_iter();
    let found = paths.find(|path| path.file_name().is_some_and(|file| file == name));
    found.ok_or_else(|| ApiError::not_found("run", name))
}

/// A training to start.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTraining {
    recipe: String,
    #[serde(default)]
    seconds: Option<f64>,
    #[serde(default)]
    threads: Option<usize>,
    #[serde(default)]
    seed: Option<u64>,
    /// Changes of the recipe, `key=value`.
    #[serde(default)]
    settings: Vec<String>,
    /// Games that measure the trained agent.
    #[serde(default)]
    games: Option<u64>,
}

/// The run that was started.
#[derive(Serialize)]
pub(crate) struct Started {
    name: String,
}

/// Starts a training in a new run folder, as `afterstate train` does.
pub(crate) async fn start(
    State(app): State<Shared>,
    Body(new): Body<NewTraining>,
) -> Result<Json<Started>, ApiError> {
    let recipe = BUILT_IN.iter().find(|recipe| recipe.0 == new.recipe);
    let &(name, text) = recipe.ok_or_else(|| ApiError::not_found("recipe", &new.recipe))?;
    let mut settings = new.settings;
    if settings.len() > MAX_SETTINGS || settings.iter().any(|setting| setting.len() > MAX_TEXT) {
        return Err(ApiError::BadRequest(format!(
            "too many or too long settings: at most {MAX_SETTINGS} of {MAX_TEXT} bytes"
        )));
    }
    settings.extend(new.seconds.map(|seconds| format!("budget.seconds={seconds:?}")));
    settings.extend(new.seed.map(|seed| format!("seed={seed}")));
    let (threads, games) = (threads(new.threads)?, measuring(new.games.unwrap_or(0))?);
    let shared = Arc::clone(&app);
    let started = app.workers.run(move || {
        // The path of a file is never taken from a request, not even to see whether it exists.
        let recipe = RequestedRecipe::parse(text, &settings).map_err(ApiError::bad_request)?;
        let recipe = recipe.into_recipe();
        let engine = afterstate_engine::open(&recipe.rules);
        engine.check(&recipe, Device::Cpu).map_err(|error| match error.lacks_memory() {
            true => ApiError::Unavailable(error.to_string()),
            false => ApiError::bad_request(error),
        })?;
        let promise = engine.needs(&recipe).map_err(ApiError::bad_request)?.into();
        let runs = &shared.settings.runs;
        let count = all(&shared)?.len();
        let max = shared.settings.limits.runs;
        if count >= max {
            return Err(ApiError::Unavailable(format!(
                "there are {count} runs, at most {max} are allowed: delete some with afterstate \
                 runs --delete"
            )));
        }
        let folder = || Folder::create_next(runs, name, recipe).map_err(ApiError::internal);
        let place = (&**runs, shared.settings.limits.disk);
        shared.trainer.start(place, folder, promise, threads, games)
    });
    Ok(Json(Started { name: started.await? }))
}

/// The number of threads: one per core by default.
fn threads(requested: Option<usize>) -> Result<usize, ApiError> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (threads, max) = (requested.unwrap_or(cores), cores.max(64));
    if !(1..=max).contains(&threads) {
        let error = format!("invalid number of threads {threads}: 1 to {max} are possible");
        return Err(ApiError::BadRequest(error));
    }
    Ok(threads)
}

/// The number of games that measure an agent, within its limit.
fn measuring(games: u64) -> Result<u64, ApiError> {
    if games > MAX_MEASURE_GAMES {
        let error =
            format!("too many games to measure the agent: {games}, at most {MAX_MEASURE_GAMES}");
        return Err(ApiError::BadRequest(error));
    }
    Ok(games)
}

/// Asks the process that trains a run to save and stop.
pub(crate) async fn stop(
    State(app): State<Shared>,
    extract::Path(name): extract::Path<String>,
) -> Result<Json<()>, ApiError> {
    let shared = Arc::clone(&app);
    let stopped = app.workers.run(move || {
        let folder = Folder::open(&find(&shared, &name)?).map_err(ApiError::internal)?;
        if !folder.is_training() {
            return Err(ApiError::Conflict(format!("{name} is not being trained")));
        }
        shared.trainer.stop(&name);
        folder.request_stop().map_err(ApiError::internal)
    });
    stopped.await.map(Json)
}

/// Options of a training that is resumed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Resume {
    #[serde(default)]
    threads: Option<usize>,
    /// Games that measure the trained agent; those it was started with by default.
    #[serde(default)]
    games: Option<u64>,
}

/// Resumes a run that was stopped, then measures its agent. A finished run is only measured.
pub(crate) async fn resume(
    State(app): State<Shared>,
    extract::Path(name): extract::Path<String>,
    Body(resume): Body<Resume>,
) -> Result<Json<Started>, ApiError> {
    let (shared, threads) = (Arc::clone(&app), threads(resume.threads)?);
    let games = resume.games.map(measuring).transpose()?;
    let started = app.workers.run(move || {
        let path = find(&shared, &name)?;
        let recipe = Folder::open(&path).map_err(ApiError::internal)?.recipe().clone();
        let needs = afterstate_engine::open(&recipe.rules).needs(&recipe);
        let promise = needs.map_err(ApiError::bad_request)?.into();
        let folder = || {
            let folder = Folder::resume(&path).map_err(|error| match error {
                RunError::Locked(_) => ApiError::Conflict(error.to_string()),
                error => ApiError::internal(error),
            })?;
            // A finished run may be measured, or lack the evaluation that it was started with.
            let measured = folder.strength().is_some() && games.unwrap_or(0) == 0;
            match folder.finished().unwrap_or(false) && measured {
                true => Err(ApiError::Conflict(format!(
                    "{name} is finished already: with games its agent is measured"
                ))),
                false => Ok(folder),
            }
        };
        let games = games.or(shared.trainer.games(&name)).unwrap_or(EVALUATION_GAMES);
        let Settings { runs, limits, .. } = &shared.settings;
        shared.trainer.start((runs, limits.disk), folder, promise, threads, games)
    });
    Ok(Json(Started { name: started.await? }))
}
