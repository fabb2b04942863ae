//! Runs: every training in the runs folder, wherever it was started; new ones; their curves.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use afterstate_lab::recipe::Recipe;
use afterstate_lab::recipes::{BUILT_IN, about};
use afterstate_lab::run::plot::{self, Against};
use afterstate_lab::run::{Folder, Overview, RunError, Stage, check};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

use crate::app::{App, Shared};
use crate::body::{Asked, Body};
use crate::failure::Failure;
use crate::limits::{COMPARED, LONGEST_WORD};
use crate::page::SVG;
use crate::shelf::locked;
use crate::trainer::Now;

/// A recipe in the list.
#[derive(Serialize)]
pub(crate) struct Listed {
    name: &'static str,
    about: String,
    text: &'static str,
}

/// The recipes inside the program.
pub(crate) async fn recipes() -> Json<Vec<Listed>> {
    let listed = |&(name, text): &(&'static str, &'static str)| {
        let start = text.find("\ngame").map_or(0, |at| at + 1);
        Listed { name, about: about(text), text: &text[start..] }
    };
    Json(BUILT_IN.iter().map(listed).collect())
}

/// A run, or why it cannot be read.
#[derive(Serialize)]
pub(crate) struct Run {
    name: String,
    #[serde(flatten)]
    overview: Option<Overview>,
    /// What this program itself knows of it, because it trains it.
    now: Option<Now>,
    /// Why it cannot be read.
    error: Option<String>,
    /// When anything last happened, in seconds since 1970: the newest stand first.
    written: u64,
}

/// Every run, the newest first.
pub(crate) async fn list(State(app): State<Shared>) -> Result<Json<Vec<Run>>, Failure> {
    let on = Arc::clone(&app);
    let runs = app.work.run(move || {
        let mut runs: Vec<Run> = all(&on)?.into_iter().map(|path| run(&on, &path)).collect();
        runs.sort_by(|a, b| b.written.cmp(&a.written).then(a.name.cmp(&b.name)));
        Ok(runs)
    });
    Ok(Json(runs.await?))
}

/// What runs that nobody trains came to when they were last looked at: their files are read again
/// only when they have changed.
#[derive(Default)]
pub(crate) struct Overviews(Mutex<HashMap<PathBuf, (Stamp, Overview)>>);

/// When the files of a run were written, and how long its metrics are.
type Stamp = ([Option<SystemTime>; 4], u64);

const FILES: [&str; 4] =
    ["metrics.jsonl", "recipe.toml", "checkpoint.safetensors", "agent.safetensors"];

impl Overviews {
    fn of(&self, path: &std::path::Path, stamp: Stamp) -> Result<Overview, RunError> {
        let folder = Folder::open(path)?;
        if folder.is_training() {
            return folder.overview();
        }
        if let Some((seen, overview)) = locked(&self.0).get(path)
            && *seen == stamp
            && overview.stage != Stage::Running
        {
            return Ok(overview.clone());
        }
        let overview = folder.overview()?;
        locked(&self.0).insert(path.to_owned(), (stamp, overview.clone()));
        Ok(overview)
    }
}

fn run(app: &App, path: &std::path::Path) -> Run {
    let data = FILES.map(|file| fs::metadata(path.join(file)).ok());
    let length = data[0].as_ref().map_or(0, fs::Metadata::len);
    let times = data.map(|data| data?.modified().ok());
    let overview = app.overviews.of(path, (times, length));
    let name = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let since = |time: &SystemTime| time.duration_since(UNIX_EPOCH).ok();
    let written = times[..2].iter().flatten().filter_map(since).map(|time| time.as_secs()).max();
    let error = overview.as_ref().err().map(ToString::to_string);
    let (now, written) = (app.trainer.now(&name), written.unwrap_or(0));
    Run { now, name, overview: overview.ok(), error, written }
}

fn all(app: &App) -> Result<Vec<PathBuf>, Failure> {
    Folder::all(&app.settings.runs).map_err(Failure::broken)
}

/// The folder of a run. The name is looked up among all runs and never used as a path.
fn named(app: &App, name: &str) -> Result<PathBuf, Failure> {
    let mut paths = all(app)?.into_iter();
    let found = paths.find(|path| path.file_name().is_some_and(|own| own == name));
    found.ok_or_else(|| Failure::unknown("run", name))
}

/// A training to start.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct New {
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
    /// Games to play with the trained agent.
    #[serde(default)]
    games: Option<u64>,
}

/// The run that was started.
#[derive(Serialize)]
pub(crate) struct Started {
    name: String,
}

/// The most games after a training of the page.
const MAX_GAMES: u64 = 10_000;

/// Starts a training in a new run folder, as `afterstate train` does.
pub(crate) async fn start(
    State(app): State<Shared>,
    Body(new): Body<New>,
) -> Result<Json<Started>, Failure> {
    let known = BUILT_IN.iter().find(|recipe| recipe.0 == new.recipe);
    let &(name, text) = known.ok_or_else(|| Failure::unknown("recipe", &new.recipe))?;
    let mut settings = new.settings;
    if settings.len() > 64 || settings.iter().any(|setting| setting.len() > LONGEST_WORD) {
        return Err(Failure::Wrong("met too many or too long settings, expected a few".into()));
    }
    // The only setting that names a file.
    if settings.iter().any(|setting| setting.trim_start().starts_with("evaluation")) {
        return Err(Failure::Wrong(
            "met a setting of [evaluation], expected it on the command line: it names a file"
                .into(),
        ));
    }
    settings.extend(new.seconds.map(|seconds| format!("budget.seconds={seconds:?}")));
    settings.extend(new.seed.map(|seed| format!("seed={seed}")));
    let (threads, games) = (threads(new.threads)?, new.games.unwrap_or(0));
    if games > MAX_GAMES {
        return Err(Failure::Wrong(format!("met {games} games, expected at most {MAX_GAMES}")));
    }
    let on = Arc::clone(&app);
    let started = app.work.run(move || {
        let recipe = Recipe::parse(text, &settings).map_err(Failure::wrong)?;
        check(&recipe).map_err(Failure::wrong)?;
        let runs = &on.settings.runs;
        let folder = || Folder::create_next(runs, name, recipe).map_err(Failure::broken);
        on.trainer.start(folder, threads, games)
    });
    Ok(Json(Started { name: started.await? }))
}

fn threads(asked: Option<usize>) -> Result<usize, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    match asked {
        None => Ok(cores),
        Some(threads) if (1..=cores.max(64)).contains(&threads) => Ok(threads),
        Some(threads) => {
            Err(Failure::Wrong(format!("met {threads} threads, expected 1 to {}", cores.max(64))))
        }
    }
}

/// Asks whoever trains a run to save and stop.
pub(crate) async fn stop(
    State(app): State<Shared>,
    Path(name): Path<String>,
) -> Result<Json<()>, Failure> {
    let on = Arc::clone(&app);
    let stopped = app.work.run(move || {
        let folder = Folder::open(&named(&on, &name)?).map_err(Failure::broken)?;
        if !folder.is_training() {
            return Err(Failure::Conflict(format!("{name} is not being trained")));
        }
        folder.ask_to_stop().map_err(Failure::broken)
    });
    stopped.await.map(Json)
}

/// How to go on.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Resume {
    #[serde(default)]
    threads: Option<usize>,
}

/// Goes on with a run that was stopped.
pub(crate) async fn resume(
    State(app): State<Shared>,
    Path(name): Path<String>,
    Body(resume): Body<Resume>,
) -> Result<Json<Started>, Failure> {
    let (on, threads) = (Arc::clone(&app), threads(resume.threads)?);
    let started = app.work.run(move || {
        let path = named(&on, &name)?;
        let folder = || {
            let folder = Folder::resume(&path).map_err(|error| match error {
                RunError::Locked(_) => Failure::Conflict(error.to_string()),
                error => Failure::broken(error),
            })?;
            match folder.finished() {
                Ok(true) => Err(Failure::Conflict(format!("{name} is finished already"))),
                _ => Ok(folder),
            }
        };
        on.trainer.start(folder, threads, 0)
    });
    Ok(Json(Started { name: started.await? }))
}

/// What to draw.
#[derive(Deserialize)]
pub(crate) struct Drawn {
    /// Names of runs, divided by commas.
    runs: String,
    /// `games`, `moves` or `seconds`.
    against: String,
    /// `score`, `reach` (of the first run) or a figure of the learner.
    of: String,
}

/// The curves of runs, drawn as everywhere.
pub(crate) async fn chart(
    State(app): State<Shared>,
    Asked(Drawn { runs, against, of }): Asked<Drawn>,
) -> Result<Response, Failure> {
    let against = match &*against {
        "games" => Against::Episodes,
        "moves" => Against::Moves,
        "seconds" => Against::Seconds,
        other => {
            let met: String = other.chars().take(40).collect();
            return Err(Failure::Wrong(format!("met {met:?}, expected games, moves or seconds")));
        }
    };
    let on = Arc::clone(&app);
    let drawn = app.work.run(move || {
        let names: Vec<&str> = runs.split(',').filter(|name| !name.is_empty()).collect();
        if names.is_empty() || names.len() > COMPARED {
            let met = names.len();
            return Err(Failure::Wrong(format!("met {met} runs, expected 1 to {COMPARED}")));
        }
        let open = |name: &&str| Folder::open(&named(&on, name)?).map_err(Failure::broken);
        let folders: Vec<Folder> = names.iter().map(open).collect::<Result<_, _>>()?;
        let chart = match &*of {
            "score" => plot::scores(&folders, against),
            "reach" => match plot::reach(&folders[0], against) {
                Ok(None) => return Err(Failure::Wrong("this game has no tiles to reach".into())),
                Ok(Some(chart)) => Ok(chart),
                Err(error) => Err(error),
            },
            figure => {
                if !plot::extras(&folders).map_err(Failure::broken)?.contains(figure) {
                    return Err(Failure::unknown("figure", figure));
                }
                plot::extra(&folders, against, figure)
            }
        };
        chart.map_err(Failure::broken)?.svg().map_err(Failure::broken)
    });
    Ok(([(header::CONTENT_TYPE, SVG)], drawn.await?).into_response())
}
