//! `Overview`: the progress of a run, from its folder.

use std::collections::BTreeMap;
use std::fs;

use afterstate_values::Strength;
use serde::Serialize;

use super::error::RunError;
use super::folder::Folder;
use crate::budget::Position;
use crate::metrics::Window;
use crate::recipe::{Budget, Recipe};

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RunState {
    /// A process trains it.
    Running,
    /// Its budget is spent.
    Finished,
    /// It can be resumed.
    Stopped,
}

/// The progress of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Overview {
    /// The name of the run.
    pub name: String,
    /// The game and its rules.
    pub game: String,
    /// The seed.
    pub seed: u64,
    /// The state of the run.
    pub state: RunState,
    /// Games so far.
    pub episodes: u64,
    /// Moves so far.
    pub moves: u64,
    /// Seconds of training so far.
    pub seconds: f64,
    /// The budget.
    pub budget: Budget,
    /// The spent share of the budget, from 0 to 1.
    pub fraction: f64,
    /// Moves per second over the last windows.
    pub moves_per_second: Option<f64>,
    /// The estimated remaining seconds, while it runs.
    pub seconds_left: Option<f64>,
    /// The number of windows.
    pub windows: usize,
    /// The mean score of the last window.
    pub mean: Option<f64>,
    /// The best mean score of a window.
    pub best_mean: Option<f64>,
    /// The best score of a game.
    pub max: Option<f64>,
    /// The share of the games of the last window that reached each tile.
    pub reach: BTreeMap<u64, f64>,
    /// The evaluation of the trained agent, once it is finished and measured.
    pub strength: Option<Strength>,
    /// The bytes of disk that its files take.
    pub disk_bytes: u64,
    /// Metrics of the learner in the last window.
    pub extra: BTreeMap<String, f64>,
    /// Where a browser shows the cluster that trains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dashboard: Option<String>,
}

/// The number of windows over which the speed is measured.
const SPEED_WINDOWS: usize = 20;

/// What is known of a run besides its recipe and its windows.
#[derive(Default)]
pub(super) struct Facts {
    name: String,
    /// The position of the checkpoint.
    saved: Option<Position>,
    /// Seconds since the last window, while it runs.
    since_window: f64,
    strength: Option<Strength>,
    disk_bytes: u64,
    dashboard: Option<String>,
}

impl Facts {
    /// The progress of a run in some state.
    pub(super) fn overview(self, recipe: &Recipe, state: RunState, windows: &[Window]) -> Overview {
        let last = windows.last();
        let window = last.map(|&Window { episodes, moves, seconds, .. }| Position {
            episodes,
            moves,
            seconds,
        });
        // The later of the last window and the checkpoint.
        let furthest =
            window.into_iter().chain(self.saved).max_by_key(|position| position.episodes);
        let mut position = furthest.unwrap_or_default();
        if state == RunState::Running {
            position.seconds += self.since_window;
        }
        let fraction = match state {
            RunState::Finished => 1.0,
            _ => position.share_of(&recipe.budget),
        };
        let left = (fraction > 0.0).then(|| position.seconds * (1.0 - fraction) / fraction);
        let best = |value: fn(&Window) -> f64| windows.iter().map(value).reduce(f64::max);
        Overview {
            name: self.name,
            game: recipe.rules.to_string(),
            seed: recipe.seed,
            state,
            episodes: position.episodes,
            moves: position.moves,
            seconds: position.seconds,
            budget: recipe.budget,
            fraction,
            moves_per_second: speed(windows),
            seconds_left: left.filter(|_| state == RunState::Running),
            windows: windows.len(),
            mean: last.map(|window| window.mean),
            best_mean: best(|window| window.mean),
            max: best(|window| window.max),
            strength: self.strength.filter(|_| state == RunState::Finished),
            disk_bytes: self.disk_bytes,
            reach: last.map_or_else(BTreeMap::new, |window| window.reach.clone()),
            extra: last.map_or_else(BTreeMap::new, |window| window.extra.clone()),
            dashboard: self.dashboard.filter(|_| state == RunState::Running),
        }
    }
}

impl Folder {
    /// The progress of the run. Of a training in another process, only the windows and the time
    /// since the last one are known.
    pub fn overview(&self) -> Result<Overview, RunError> {
        let windows = self.metrics()?;
        let state = match self.is_training() {
            true => RunState::Running,
            false if self.finished().unwrap_or(false) => RunState::Finished,
            false => RunState::Stopped,
        };
        let is_running = state == RunState::Running;
        let facts = Facts {
            name: self.name(),
            saved: self.position().ok().flatten(),
            since_window: if is_running { self.seconds_since_window() } else { 0.0 },
            strength: if state == RunState::Finished { self.strength() } else { None },
            disk_bytes: self.disk_bytes(),
            dashboard: is_running.then(|| self.dashboard()).flatten(),
        };
        Ok(facts.overview(self.recipe(), state, &windows))
    }

    /// Seconds since the last window was written, or since the run was created.
    fn seconds_since_window(&self) -> f64 {
        let files = ["metrics.jsonl", "recipe.toml"].map(|name| self.path().join(name));
        let written = files.iter().find_map(|file| fs::metadata(file).ok()?.modified().ok());
        written.and_then(|time| time.elapsed().ok()).map_or(0.0, |time| time.as_secs_f64())
    }
}

fn speed(windows: &[Window]) -> Option<f64> {
    let last = windows.last()?;
    // With few windows the speed is that of the whole run.
    let first = windows.len().checked_sub(SPEED_WINDOWS + 1).map(|index| &windows[index]);
    let (moves, seconds) = first.map_or((0, 0.0), |window| (window.moves, window.seconds));
    let elapsed = last.seconds - seconds;
    (elapsed > 0.0).then(|| last.moves.saturating_sub(moves) as f64 / elapsed)
}
