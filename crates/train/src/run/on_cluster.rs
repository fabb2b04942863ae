//! Whole trainings on a cluster, each on one thread of a worker: for many seeds and settings of recipes
//! whose games cannot be shared out.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, mem};

use afterstate_core::cluster::{Job, Work, WorkError, connected};
use afterstate_games::spec::Spec;
use afterstate_values::file::replace_file;
use serde::{Deserialize, Serialize};

use super::error::{RunError, at};
use super::folder::{Folder, METRICS};
use super::train::{Observer, Outcome, Status, train};
use crate::budget::Position;
use crate::hardware::Hardware;
use crate::learners::LearnerError;
use crate::metrics::Window;
use crate::recipe::Recipe;

/// The kind of these jobs.
pub(crate) const RUN: &str = "run";

/// How long the answer is waited for between two looks at the stop flag.
const WAIT: Duration = Duration::from_millis(500);

/// A worker answers what it has trained after so many intervals of checkpoints: with it or with its
/// machine no more is lost, and large checkpoints travel seldom.
const CHECKPOINTS: f64 = 5.0;

/// After so many times as long, and so many seconds for files to travel, another worker trains it, too.
const SLOW: f64 = 3.0;
const TRAVEL_SECONDS: f64 = 120.0;

/// The files of a run that travel, and its position in the budget; their bytes follow one another.
#[derive(Serialize, Deserialize)]
struct Files {
    /// The recipe, on the way to the worker.
    recipe: String,
    position: Position,
    /// Whether the run is finished.
    finished: bool,
    /// Names and lengths.
    files: Vec<(String, usize)>,
}

impl Files {
    /// The files that a run has.
    fn of(
        folder: &Folder,
        recipe: String,
        &Outcome { position, finished }: &Outcome,
    ) -> Result<(Files, Vec<u8>), RunError> {
        let (mut files, mut data) = (Vec::new(), Vec::new());
        // Metrics that are further than the checkpoint are cut when it is resumed.
        for path in [folder.path().join(METRICS), folder.checkpoint(), folder.agent()] {
            match fs::read(&path) {
                Ok(bytes) => {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    files.push((name.into_owned(), bytes.len()));
                    data.extend(bytes);
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(at(&path)(error)),
            }
        }
        Ok((Files { recipe, position, finished, files }, data))
    }

    fn outcome(&self) -> Outcome {
        Outcome { position: self.position, finished: self.finished }
    }

    /// Writes them into the folder of a run.
    fn write(&self, mut data: &[u8], folder: &Folder) -> Result<(), RunError> {
        let known = [folder.checkpoint(), folder.agent(), folder.path().join(METRICS)];
        for (name, length) in &self.files {
            let other = || io::Error::new(io::ErrorKind::InvalidData, "no file of a run");
            let path = known.iter().find(|path| path.file_name() == Some(name.as_ref()));
            let path = path.ok_or_else(|| at(folder.path())(other()))?;
            let (own, rest) =
                data.split_at_checked(*length).ok_or_else(|| at(folder.path())(other()))?;
            replace_file(path, |to| to.write_all(own)).map_err(at(path))?;
            data = rest;
        }
        Ok(())
    }
}

fn failed(error: impl Into<LearnerError>) -> RunError {
    RunError::Learner(error.into())
}

impl Folder {
    /// Trains the run on one thread of workers of the cluster of this process, from its checkpoint if
    /// it has one. It comes back every few checkpoints: a worker that is lost costs what came later.
    pub fn train_on_cluster(
        &self,
        rules: &str,
        stop: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, RunError> {
        let _lock = self.hold()?;
        self.clear_stop();
        let recipe = self.recipe().text().map_err(failed)?;
        let cluster = connected().map_err(failed)?;
        self.set_dashboard(cluster.status().dashboard.as_deref())?;
        let seconds =
            Some(SLOW * CHECKPOINTS * self.recipe().log.checkpoint_seconds + TRAVEL_SECONDS);
        let position = self.position()?.unwrap_or_default();
        let mut outcome = Outcome { position, finished: false };
        while !outcome.finished {
            let (files, data) = Files::of(self, recipe.clone(), &outcome)?;
            let settings = serde_json::to_string(&files).map_err(failed)?;
            let (kind, rules) = (RUN.to_owned(), rules.to_owned());
            let job = Job { kind, rules, settings, data, seconds };
            let mut job = cluster.open(&job).map_err(failed)?;
            job.submit(0, "").map_err(failed)?;
            let answer = loop {
                if stop.load(Ordering::Relaxed) || self.stop_requested() {
                    self.clear_stop();
                    return Ok(outcome);
                }
                if let Some(answer) = job.answers(WAIT).map_err(failed)?.pop() {
                    break answer.bytes;
                }
            };
            let end = answer.iter().position(|&byte| byte == b'\n').unwrap_or(answer.len());
            let files: Files = serde_json::from_slice(&answer[..end]).map_err(failed)?;
            files.write(answer.get(end + 1..).unwrap_or_default(), self)?;
            let before = mem::replace(&mut outcome, files.outcome());
            self.tell(before.position, &outcome, observer)?;
        }
        Ok(outcome)
    }

    /// Tells what has come back since a position.
    fn tell(
        &self,
        before: Position,
        &Outcome { position, finished }: &Outcome,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        let windows: Vec<Window> = self
            .metrics()?
            .into_iter()
            .filter(|window| window.episodes > before.episodes)
            .collect();
        let fraction = if finished { 1.0 } else { position.share_of(&self.recipe().budget) };
        let (moves, seconds) = (position.moves - before.moves, position.seconds - before.seconds);
        let moves_per_second = if seconds > 0.0 { moves as f64 / seconds } else { 0.0 };
        let status = Status { position, fraction, moves_per_second, windows: &windows };
        observer.round(&status).map_err(RunError::Observer)
    }
}

/// A training as a worker has prepared it.
struct Prepared<G: Spec> {
    game: G,
    files: Files,
    data: Vec<u8>,
}

/// Prepares a training.
pub(crate) fn prepare<G: Spec>(game: &G, job: &Job) -> Result<Box<dyn Work>, WorkError> {
    let files = serde_json::from_str(&job.settings)?;
    Ok(Box::new(Prepared { game: game.clone(), files, data: job.data.clone() }))
}

/// Stops a training when it has come far enough.
struct Until<'a> {
    end: Option<Instant>,
    stop: &'a AtomicBool,
}

impl Observer for Until<'_> {
    fn round(&mut self, _: &Status) -> io::Result<()> {
        if self.end.is_some_and(|end| Instant::now() >= end) {
            self.stop.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

impl<G: Spec> Work for Prepared<G> {
    fn perform(&self, _: &str) -> Result<Vec<u8>, WorkError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("afterstate-run-{}-{number}", std::process::id()));
        let run = || -> Result<Vec<u8>, WorkError> {
            let folder = Folder::create(&path, Recipe::parse(&self.files.recipe, &[])?)?;
            self.files.write(&self.data, &folder)?;
            let seconds = CHECKPOINTS * folder.recipe().log.checkpoint_seconds;
            let end = Duration::try_from_secs_f64(seconds)
                .ok()
                .and_then(|seconds| Instant::now().checked_add(seconds));
            let stop = AtomicBool::new(false);
            let mut until = Until { end, stop: &stop };
            let outcome = train(&self.game, &folder, Hardware::threads(1), &stop, &mut until)?;
            let (files, data) = Files::of(&folder, String::new(), &outcome)?;
            let mut answer = serde_json::to_vec(&files)?;
            answer.push(b'\n');
            answer.extend(data);
            Ok(answer)
        };
        let answer = run();
        let _ = fs::remove_dir_all(&path);
        answer
    }
}
