//! `Trainer`: the trainings that the page has started, each on a thread of its own.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use afterstate_lab::run::{self, Folder, Observer, RunError, Status};
use serde::Serialize;

use crate::failure::Failure;
use crate::limits::TRAININGS;
use crate::shelf::locked;

/// All trainings of this program, by the name of their run.
pub(crate) struct Trainer {
    all: Mutex<HashMap<String, Training>>,
}

struct Training {
    stop: Arc<AtomicBool>,
    now: Arc<Mutex<Now>>,
}

/// Where a training of this program stands.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Now {
    /// `running`, `measuring`, `done` or `failed`.
    pub(crate) stage: &'static str,
    /// What went wrong, or what is worth knowing.
    pub(crate) note: Option<String>,
    /// Games so far.
    pub(crate) episodes: u64,
    /// Moves so far.
    pub(crate) moves: u64,
    /// Seconds so far.
    pub(crate) seconds: f64,
    /// The part of the budget that is spent.
    pub(crate) fraction: f64,
    /// Moves a second in the last round.
    pub(crate) moves_per_second: f64,
}

impl Now {
    fn goes_on(&self) -> bool {
        ["running", "measuring"].contains(&self.stage)
    }
}

/// Writes down what a training tells.
struct Scribe(Arc<Mutex<Now>>);

impl Observer for Scribe {
    fn note(&mut self, note: &str) -> Result<(), RunError> {
        locked(&self.0).note = Some(note.to_owned());
        Ok(())
    }

    fn round(&mut self, status: &Status) -> Result<(), RunError> {
        let mut now = locked(&self.0);
        let position = status.position;
        now.episodes = position.episodes;
        now.moves = position.moves;
        now.seconds = position.seconds;
        now.fraction = status.fraction;
        now.moves_per_second = status.moves_per_second;
        Ok(())
    }
}

impl Trainer {
    pub(crate) fn new() -> Trainer {
        Trainer { all: Mutex::new(HashMap::new()) }
    }

    /// Trains a run that this program holds, then plays so many games with its agent. `folder` is
    /// asked for only if there is room.
    pub(crate) fn start(
        &self,
        folder: impl FnOnce() -> Result<Folder, Failure>,
        threads: usize,
        games: u64,
    ) -> Result<String, Failure> {
        let mut all = locked(&self.all);
        let busy = all.values().filter(|training| locked(&training.now).goes_on()).count();
        if busy >= TRAININGS {
            return Err(Failure::Busy(format!(
                "met {busy} trainings that go on, expected fewer than {TRAININGS}: stop one first"
            )));
        }
        let folder = folder()?;
        let name = folder.name();
        let stop = Arc::new(AtomicBool::new(false));
        let now = Arc::new(Mutex::new(Now { stage: "running", ..Now::default() }));
        all.insert(name.clone(), Training { stop: Arc::clone(&stop), now: Arc::clone(&now) });
        let work = move || {
            let trained = train(&folder, threads, games, &stop, &now);
            let mut now = locked(&now);
            now.stage = "done";
            if let Err(error) = trained {
                now.stage = "failed";
                now.note = Some(error.to_string());
            }
        };
        thread::Builder::new()
            .name(format!("train {name}"))
            .spawn(work)
            .map_err(Failure::broken)?;
        Ok(name)
    }

    /// Where a training of this program stands; `None` if it has none of that name.
    pub(crate) fn now(&self, name: &str) -> Option<Now> {
        locked(&self.all).get(name).map(|training| locked(&training.now).clone())
    }

    /// Asks all trainings to end.
    pub(crate) fn stop_all(&self) {
        for training in locked(&self.all).values() {
            training.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Waits for trainings to write their checkpoints.
    pub(crate) fn wait(&self, most: Duration) {
        let clock = Instant::now();
        let busy = || locked(&self.all).values().any(|one| locked(&one.now).stage == "running");
        while busy() && clock.elapsed() < most {
            thread::sleep(Duration::from_millis(20));
        }
    }
}

fn train(
    folder: &Folder,
    threads: usize,
    games: u64,
    stop: &AtomicBool,
    now: &Arc<Mutex<Now>>,
) -> Result<(), RunError> {
    let outcome = run::train(folder, threads, stop, &mut Scribe(Arc::clone(now)))?;
    if outcome.finished && games > 0 && !stop.load(Ordering::Relaxed) {
        locked(now).stage = "measuring";
        run::measure(folder, games, threads)?;
    }
    Ok(())
}
