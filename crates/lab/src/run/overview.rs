//! `Overview`: where a run stands, as far as its folder tells anybody who looks.

use std::collections::BTreeMap;
use std::fs;

use serde::Serialize;

use super::budget::Position;
use super::folder::{Folder, RunError};
use super::metrics::Window;
use crate::recipe::Budget;

/// Whether a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// A program trains it right now.
    Running,
    /// Its budget is spent.
    Finished,
    /// It can be resumed.
    Stopped,
}

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overview {
    /// What people call it.
    pub name: String,
    /// The game and its rules.
    pub game: String,
    /// The seed.
    pub seed: u64,
    /// Whether it goes on.
    pub stage: Stage,
    /// Games so far.
    pub episodes: u64,
    /// Moves so far.
    pub moves: u64,
    /// Seconds of training so far.
    pub seconds: f64,
    /// The budget.
    pub budget: Budget,
    /// The part of the budget that is spent, from 0 to 1.
    pub fraction: f64,
    /// Moves a second, lately.
    pub moves_per_second: Option<f64>,
    /// How long it will still take, while it runs.
    pub seconds_left: Option<f64>,
    /// How many lines its metrics have.
    pub windows: usize,
    /// The mean score of the last window.
    pub mean: Option<f64>,
    /// The best mean score of a window.
    pub best_mean: Option<f64>,
    /// The best score of a game.
    pub max: Option<f64>,
    /// The part of the games of the last window that reached each tile.
    pub reach: BTreeMap<u64, f64>,
    /// What its learner says besides.
    pub extra: BTreeMap<String, f64>,
}

/// Over how many windows the speed is told.
const LATELY: usize = 20;

impl Folder {
    /// Where the run stands. Between two windows of a training in another program nothing is
    /// known of it but how long ago the last one was.
    pub fn overview(&self) -> Result<Overview, RunError> {
        let (windows, recipe) = (self.metrics()?, self.recipe());
        let last = windows.last();
        let window = last.map(|&Window { episodes, moves, seconds, .. }| Position {
            episodes,
            moves,
            seconds,
        });
        // The last window is full, and the checkpoint is whole: one of them is further.
        let saved = self.position().ok().flatten();
        let furthest = window.into_iter().chain(saved).max_by_key(|position| position.episodes);
        let mut position = furthest.unwrap_or_default();
        let stage = match self.is_training() {
            true => Stage::Running,
            false if self.finished().unwrap_or(false) => Stage::Finished,
            false => Stage::Stopped,
        };
        if stage == Stage::Running {
            position.seconds += self.silence();
        }
        let fraction = match stage {
            Stage::Finished => 1.0,
            _ => position.part_of(&recipe.budget),
        };
        let left = (fraction > 0.0).then(|| position.seconds * (1.0 - fraction) / fraction);
        let best = |value: fn(&Window) -> f64| windows.iter().map(value).reduce(f64::max);
        Ok(Overview {
            name: self.name(),
            game: recipe.game.clone(),
            seed: recipe.seed,
            stage,
            episodes: position.episodes,
            moves: position.moves,
            seconds: position.seconds,
            budget: recipe.budget,
            fraction,
            moves_per_second: speed(&windows),
            seconds_left: left.filter(|_| stage == Stage::Running),
            windows: windows.len(),
            mean: last.map(|window| window.mean),
            best_mean: best(|window| window.mean),
            max: best(|window| window.max),
            reach: last.map_or_else(BTreeMap::new, |window| window.reach.clone()),
            extra: last.map_or_else(BTreeMap::new, |window| window.extra.clone()),
        })
    }

    /// Seconds since its metrics grew, or since it began.
    fn silence(&self) -> f64 {
        let files = ["metrics.jsonl", "recipe.toml"].map(|name| self.path().join(name));
        let written = files.iter().find_map(|file| fs::metadata(file).ok()?.modified().ok());
        written.and_then(|time| time.elapsed().ok()).map_or(0.0, |time| time.as_secs_f64())
    }
}

fn speed(windows: &[Window]) -> Option<f64> {
    let last = windows.last()?;
    // The first window stands for what came before the others.
    let first = windows.len().checked_sub(LATELY + 1).map(|place| &windows[place]);
    let (moves, seconds) = first.map_or((0, 0.0), |window| (window.moves, window.seconds));
    let lasted = last.seconds - seconds;
    (lasted > 0.0).then(|| (last.moves - moves) as f64 / lasted)
}
