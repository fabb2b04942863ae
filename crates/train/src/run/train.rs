//! Training: rounds of play and learning, with metrics, checkpoints and a result.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use afterstate_core::Device;
use afterstate_core::cluster::{Cluster, connected};
use afterstate_games::spec::Spec;
use afterstate_values::{AgentInfo, Trained};

use super::checkpoint::{self, Progress};
use super::error::RunError;
use super::events::Events;
use super::folder::{Folder, in_recipe};
use crate::budget::Position;
use crate::hardware::Hardware;
use crate::learners::{Learner, LearnerError, Round, RoundContext, Training};
use crate::metrics::{Window, Windows};
use crate::recipe::Recipe;

/// The length of a round: short enough for the interval of checkpoints.
const SHORTEST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_millis(400);

/// The bytes of metrics with every window, and with half as many as before.
const ALL_WINDOWS: u64 = 64 << 20;
const THINNED_WINDOWS: u64 = 16 << 20;

/// Of how many windows one is written beside metrics of so many bytes: all, until there are
/// [`ALL_WINDOWS`] bytes; then every second one, every fourth, and so on, so that no run fills the disk.
fn one_of(bytes: u64) -> u64 {
    let halvings = bytes.saturating_sub(ALL_WINDOWS) / THINNED_WINDOWS;
    1 << halvings.min(40)
}

/// The time between two checks that the learner has not diverged, or so many times as long as a check
/// takes.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
const CHECK_RATIO: u32 = 200;

/// The seconds over which the speed is measured.
const SPEED_SECONDS: f64 = 2.0;

/// The status of a training, for its observer.
#[derive(Clone, Debug)]
pub struct Status<'a> {
    /// Its position in the budget.
    pub position: Position,
    /// The spent share of the budget, from 0 to 1.
    pub fraction: f64,
    /// Moves per second in the last round.
    pub moves_per_second: f64,
    /// The windows that this round filled.
    pub windows: &'a [Window],
}

/// Observes a training, for instance to show its progress. Its errors stop the training.
pub trait Observer {
    /// Called before a training, or a part of an experiment, begins, with what it needs or does.
    fn begin(&mut self, note: &str) -> io::Result<()> {
        let _ = note;
        Ok(())
    }

    /// Called with notes of the learner, such as on a singular system of equations.
    fn note(&mut self, note: &str) -> io::Result<()> {
        let _ = note;
        Ok(())
    }

    /// Called after every round.
    fn round(&mut self, status: &Status) -> io::Result<()>;
}

/// How a training ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Its position in the budget.
    pub position: Position,
    /// Whether the budget is spent; otherwise it was stopped.
    pub finished: bool,
}

/// Trains by the recipe of a run folder until its budget is spent or `stop` is set; resumes from
/// the checkpoint if the folder has one. `game` is the game of the recipe.
pub fn train<G: Spec>(
    game: &G,
    folder: &Folder,
    hardware: Hardware,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Outcome, RunError> {
    let _lock = folder.hold()?;
    folder.clear_stop();
    folder.remove_parts();
    let recipe = folder.recipe();
    let training =
        Training { game, recipe, threads: hardware.threads.max(1), device: hardware.device };
    recipe.learner.check_device(game, hardware.device)?;
    let learner = recipe.learner.open(training, observer)?;
    let mut run = Run::open(folder, (game.spec(), G::VERSION), learner)?;
    if hardware.device == Device::Cluster {
        run.cluster = Some(connected().map_err(LearnerError::from)?);
    }
    let status = run.cluster.as_ref().map(|cluster| cluster.status());
    folder.set_dashboard(status.and_then(|status| status.dashboard).as_deref())?;
    run.train(stop, observer)
}

/// A training in progress.
struct Run<'a> {
    folder: &'a Folder,
    recipe: &'a Recipe,
    /// The game's spec and its version.
    rules: (String, u32),
    learner: Box<dyn Learner + 'a>,
    windows: Windows,
    position: Position,
    /// Whether the learner has converged.
    converged: bool,
    saved: Instant,
    /// The machines that play its games, if not this one.
    cluster: Option<Arc<dyn Cluster>>,
    speed: Speed,
    /// Windows since it was opened.
    window_count: u64,
    /// When it is checked next that the learner has not diverged.
    next_check: Instant,
}

/// How fast a training is. Rounds are short, and in some of them no game ends.
struct Speed {
    since: Position,
    moves_per_second: f64,
}

impl Speed {
    /// The moves of a second in the last few seconds.
    fn at(&mut self, now: Position) -> f64 {
        let seconds = now.seconds - self.since.seconds;
        let measured = (now.moves - self.since.moves) as f64 / seconds;
        if seconds >= SPEED_SECONDS {
            *self = Speed { since: now, moves_per_second: measured };
        } else if self.moves_per_second == 0.0 && measured.is_finite() {
            return measured;
        }
        self.moves_per_second
    }
}

impl<'a> Run<'a> {
    fn open(
        folder: &'a Folder,
        rules: (String, u32),
        mut learner: Box<dyn Learner + 'a>,
    ) -> Result<Run<'a>, RunError> {
        let recipe = folder.recipe();
        let window = if learner.iterates() { u64::MAX } else { recipe.log.window };
        let (mut windows, mut position) = (Windows::new(window), Position::default());
        let (mut metrics_bytes, mut converged) = (0, false);
        if let Some(progress) = checkpoint::load(&folder.checkpoint(), &rules.0, &mut *learner)? {
            (position, windows) = (progress.position, progress.windows);
            (metrics_bytes, converged) = (progress.metrics_bytes, progress.converged);
        }
        folder.truncate_metrics(metrics_bytes)?;
        let saved = Instant::now();
        let next_check = saved + CHECK_INTERVAL;
        Ok(Run {
            folder,
            recipe,
            rules,
            learner,
            windows,
            position,
            converged,
            saved,
            window_count: 0,
            next_check,
            cluster: None,
            speed: Speed { since: position, moves_per_second: 0.0 },
        })
    }

    fn train(
        mut self,
        stop: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, RunError> {
        let mut events = Events::open(self.folder.path(), self.position)?;
        let length = Duration::try_from_secs_f64(self.recipe.log.checkpoint_seconds);
        let length = length.unwrap_or(LONGEST).clamp(SHORTEST, LONGEST);
        let (folder, began) = (self.folder, self.position);
        let requested = || folder.stop_requested();
        let stopped = || stop.load(Ordering::Relaxed) || requested();
        while !self.finished() && !stopped() {
            let before = self.position;
            let context = RoundContext::new(self.recipe.budget, before, length, stop, &requested);
            let mut round = match self.learner.round(&context) {
                Ok(round) => round,
                Err(error) => {
                    // A device that was lost has nothing to save: the last checkpoint stays.
                    if self.learner.synchronize().is_ok() {
                        self.save()?;
                    }
                    return Err(error.into());
                }
            };
            self.position = context.position();
            self.converged = round.converged;
            self.measure_cluster(&mut round, began);
            let full = self.windows.add(&round, self.position.seconds);
            let kept = self.thinned(&full)?;
            self.folder.add_metrics(&kept)?;
            events.add(&kept)?;
            let status = Status {
                position: self.position,
                fraction: if self.finished() {
                    1.0
                } else {
                    self.position.share_of(&self.recipe.budget)
                },
                moves_per_second: self.speed.at(self.position),
                windows: &full,
            };
            let notes = round.notes.iter().try_for_each(|note| observer.note(note));
            if let Err(error) = notes.and_then(|()| observer.round(&status)) {
                // The training is saved although its observer has failed.
                self.save()?;
                return Err(RunError::Observer(error));
            }
            if self.saved.elapsed().as_secs_f64() > self.recipe.log.checkpoint_seconds {
                self.save()?;
            } else if Instant::now() >= self.next_check {
                let clock = Instant::now();
                checkpoint::check_finite(&self.folder.checkpoint(), &mut *self.learner)?;
                self.next_check = clock + CHECK_INTERVAL.max(clock.elapsed() * CHECK_RATIO);
            }
        }
        self.save()?;
        let Position { episodes, moves, .. } = self.position;
        let text = self.recipe.text().map_err(in_recipe(folder.path()))?;
        let trained = Some(Trained {
            recipe: text,
            seed: self.recipe.seed,
            episodes,
            moves,
            gpu: self.learner.gpu(),
            quantized: Vec::new(),
        });
        let info = AgentInfo { trained, ..AgentInfo::new(&*self.rules.0, self.rules.1) };
        self.learner.save_agent(&self.folder.agent(), &info)?;
        folder.clear_stop();
        Ok(Outcome { position: self.position, finished: self.finished() })
    }

    /// Adds what the cluster does to the metrics of a round.
    fn measure_cluster(&self, round: &mut Round, began: Position) {
        let Some(cluster) = &self.cluster else { return };
        let (status, now) = (cluster.status(), self.position);
        let games = (now.episodes - began.episodes) as f64 / (now.seconds - began.seconds);
        let measured = [
            ("workers", status.workers as f64),
            ("lost tasks", status.lost as f64),
            ("copied tasks", status.copies as f64),
            ("games/s", games),
        ];
        let finite = measured.into_iter().filter(|(_, value)| value.is_finite());
        round.extra.extend(finite.map(|(name, value)| (name.to_owned(), value)));
    }

    /// The windows that are written.
    fn thinned(&mut self, windows: &[Window]) -> Result<Vec<Window>, RunError> {
        let every = one_of(self.folder.metrics_bytes()?);
        let first = self.window_count;
        self.window_count += windows.len() as u64;
        let kept = (first..).zip(windows).filter(|(number, _)| number.is_multiple_of(every));
        Ok(kept.map(|(_, window)| window.clone()).collect())
    }

    fn finished(&self) -> bool {
        self.converged || self.position.spends(&self.recipe.budget)
    }

    fn save(&mut self) -> Result<(), RunError> {
        self.learner.synchronize()?;
        let progress = Progress {
            game: self.rules.0.clone(),
            learner: self.learner.identity(),
            position: self.position,
            windows: self.windows.clone(),
            metrics_bytes: self.folder.metrics_bytes()?,
            converged: self.converged,
            state: serde_json::Value::Null,
        };
        checkpoint::save(&self.folder.checkpoint(), progress, &mut *self.learner)?;
        self.saved = Instant::now();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_thinned_out_before_they_fill_the_disk() {
        assert_eq!((one_of(0), one_of(ALL_WINDOWS), one_of(u64::MAX)), (1, 1, 1 << 40));
        assert_eq!(one_of(ALL_WINDOWS + 3 * THINNED_WINDOWS), 8);
        // A window of 200 bytes for every game of a billion, in rounds of 50,000 games.
        let (mut bytes, mut most) = (0u64, 0);
        for round in 0..20_000u64 {
            let games = round * 50_000..(round + 1) * 50_000;
            let every = one_of(bytes);
            let kept = games.end.div_ceil(every) - games.start.div_ceil(every);
            bytes += 200 * kept;
            most = most.max(bytes);
        }
        assert!((ALL_WINDOWS..5 * ALL_WINDOWS).contains(&most), "{most} bytes");
    }

    #[test]
    fn the_speed_is_not_that_of_a_round_without_an_end() {
        let at = |seconds: f64, moves: u64| Position { seconds, moves, ..Position::default() };
        let mut speed = Speed { since: at(10.0, 1000), moves_per_second: 0.0 };
        assert_eq!(speed.at(at(10.0, 1000)), 0.0);
        assert_eq!(speed.at(at(10.5, 1100)), 200.0);
        assert_eq!(speed.at(at(12.0, 1800)), 400.0);
        assert_eq!(speed.at(at(12.4, 1800)), 400.0);
        assert_eq!(speed.at(at(16.0, 2200)), 100.0);
    }
}
