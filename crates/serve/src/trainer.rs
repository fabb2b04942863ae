//! `Trainer`: the trainings that the page has started, each on its own thread.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use afterstate_agents::evaluate::EvaluateError;
use afterstate_train::Hardware;
use afterstate_train::run::{Folder, Observer, RunError, Status};
use serde::Serialize;

use crate::error::ApiError;
use crate::limits::MAX_TRAININGS;
use crate::lru_store::lock;
use crate::room::{Promise, Room};

/// The trainings of this process by the name of their run.
#[derive(Default)]
pub(crate) struct Trainer {
    trainings: Mutex<HashMap<String, Training>>,
}

struct Training {
    stop: Arc<AtomicBool>,
    status: Arc<Mutex<TrainingStatus>>,
    /// Games that measure its agent.
    games: u64,
    /// Its run.
    folder: Folder,
    /// What it takes at most while it is active.
    promise: Promise,
}

/// The state of a training on its thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TrainingState {
    /// The learner runs.
    #[default]
    Running,
    /// The trained agent plays games.
    Measuring,
    /// The training is finished or was stopped.
    Done,
    /// The training ended with an error.
    Failed,
}

/// The progress of a training of this process.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct TrainingStatus {
    state: TrainingState,
    /// The last note of the learner, or the error.
    note: Option<String>,
    /// Games so far.
    episodes: u64,
    /// Moves so far.
    moves: u64,
    /// Seconds so far.
    seconds: f64,
    /// The fraction of the budget that is spent.
    fraction: f64,
    /// Moves per second in the last round.
    moves_per_second: f64,
}

impl TrainingStatus {
    fn active(&self) -> bool {
        matches!(self.state, TrainingState::Running | TrainingState::Measuring)
    }
}

/// Records the progress of a training in its status.
struct ProgressRecorder(Arc<Mutex<TrainingStatus>>);

impl Observer for ProgressRecorder {
    fn note(&mut self, note: &str) -> io::Result<()> {
        lock(&self.0).note = Some(note.to_owned());
        Ok(())
    }

    fn round(&mut self, round: &Status) -> io::Result<()> {
        let mut status = lock(&self.0);
        status.episodes = round.position.episodes;
        status.moves = round.position.moves;
        status.seconds = round.position.seconds;
        status.fraction = round.fraction;
        status.moves_per_second = round.moves_per_second;
        Ok(())
    }
}

impl Trainer {
    /// Trains a run in the folder of runs, then plays `games` games with its agent. Calls `folder`
    /// only if fewer than [`MAX_TRAININGS`] are active and there is room for what it needs, where all runs
    /// have at most `disk` bytes.
    pub(crate) fn start(
        &self,
        (runs, disk): (&Path, u64),
        folder: impl FnOnce() -> Result<Folder, ApiError>,
        promise: Promise,
        threads: usize,
        games: u64,
    ) -> Result<String, ApiError> {
        let mut trainings = lock(&self.trainings);
        let active = |training: &&Training| lock(&training.status).active();
        let active: Vec<&Training> = trainings.values().filter(active).collect();
        if active.len() >= MAX_TRAININGS {
            let active = active.len();
            let error =
                format!("{active} of {MAX_TRAININGS} trainings are running: stop one first");
            return Err(ApiError::Unavailable(error));
        }
        let mut promised = Promise::default();
        for training in &active {
            promised.memory = promised.memory.saturating_add(training.promise.memory);
            promised.disk = promised.disk.saturating_add(training.promise.disk);
        }
        let written: u64 = active.iter().map(|one| one.folder.disk_bytes()).sum();
        // Runs of before this server started, and of other programs, fill the same disk.
        let all = Folder::all(runs).map_err(ApiError::internal)?;
        let all: u64 = all.iter().map(|path| Folder::disk_bytes_in(path)).sum();
        let room = Room::here(runs, written, disk);
        room.check(promise, promised, all.saturating_sub(written))
            .map_err(ApiError::Unavailable)?;
        let folder = folder()?;
        let name = folder.name();
        let stop = Arc::new(AtomicBool::new(false));
        let status = Arc::<Mutex<TrainingStatus>>::default();
        let training = Training {
            stop: Arc::clone(&stop),
            status: Arc::clone(&status),
            games,
            folder: folder.unlocked(),
            promise,
        };
        trainings.insert(name.clone(), training);
        let work = move || {
            let result = train(&folder, threads, games, &stop, &status);
            let mut status = lock(&status);
            status.state = TrainingState::Done;
            if let Err(error) = result {
                status.state = TrainingState::Failed;
                status.note = Some(error.to_string());
            }
        };
        let thread = thread::Builder::new().name(format!("train {name}"));
        thread.spawn(work).map_err(ApiError::internal)?;
        Ok(name)
    }

    /// The status of a training of this process.
    pub(crate) fn status(&self, name: &str) -> Option<TrainingStatus> {
        lock(&self.trainings).get(name).map(|training| lock(&training.status).clone())
    }

    /// The number of games with which a training of this process measures its agent.
    pub(crate) fn games(&self, name: &str) -> Option<u64> {
        lock(&self.trainings).get(name).map(|training| training.games)
    }

    /// Asks a training of this process to stop, also if its agent is being measured.
    pub(crate) fn stop(&self, name: &str) {
        if let Some(training) = lock(&self.trainings).get(name) {
            training.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Asks all trainings to stop.
    pub(crate) fn stop_all(&self) {
        for training in lock(&self.trainings).values() {
            training.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Waits until the trainings have written their checkpoints.
    pub(crate) fn wait(&self, timeout: Duration) {
        let clock = Instant::now();
        let running = || {
            let trainings = lock(&self.trainings);
            trainings.values().any(|one| lock(&one.status).state == TrainingState::Running)
        };
        while running() && clock.elapsed() < timeout {
            thread::sleep(Duration::from_millis(20));
        }
    }
}

fn train(
    folder: &Folder,
    threads: usize,
    games: u64,
    stop: &AtomicBool,
    status: &Arc<Mutex<TrainingStatus>>,
) -> Result<(), RunError> {
    let engine = afterstate_engine::open(&folder.recipe().rules);
    let mut recorder = ProgressRecorder(Arc::clone(status));
    let finished = folder.finished()?
        || engine.train(folder, Hardware::threads(threads), stop, &mut recorder)?.finished;
    if finished {
        folder.drop_large_checkpoint()?;
    }
    if finished && games > 0 && !stop.load(Ordering::Relaxed) {
        lock(status).state = TrainingState::Measuring;
        match engine.measure_until(folder, games, Hardware::threads(threads), stop) {
            Err(RunError::Measure(EvaluateError::Stopped)) => {}
            measured => _ = measured?,
        }
    }
    Ok(())
}
