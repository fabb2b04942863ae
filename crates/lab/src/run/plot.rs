//! The curves of runs: score, and reach rates where the game has tiles.

use std::collections::BTreeSet;

use super::{Folder, RunError};
use crate::chart::{Axis, Chart, Line};

/// What stands on the x axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// Games played.
    Episodes,
    /// Moves made.
    Moves,
    /// Seconds of training.
    Seconds,
}

/// The mean score of each run.
pub fn scores(runs: &[Folder], against: Against) -> Result<Chart, RunError> {
    let title = match runs {
        [run] => format!("{}: mean score in training", run.recipe().game),
        _ => "Mean score in training".to_owned(),
    };
    curves(runs, against, title, "score", |window| Some(window.mean))
}

/// One of the figures that learners add to their windows, for each run that has it.
pub fn extra(runs: &[Folder], against: Against, name: &str) -> Result<Chart, RunError> {
    curves(runs, against, format!("{name} in training"), name, |window| {
        window.extra.get(name).copied()
    })
}

/// The names of all figures that the learners of runs add to their windows.
pub fn extras(runs: &[Folder]) -> Result<BTreeSet<String>, RunError> {
    let mut names = BTreeSet::new();
    for run in runs {
        names.extend(run.metrics()?.into_iter().flat_map(|window| window.extra.into_keys()));
    }
    Ok(names)
}

fn curves(
    runs: &[Folder],
    against: Against,
    title: String,
    up: &str,
    of: impl Fn(&super::Window) -> Option<f64>,
) -> Result<Chart, RunError> {
    let mut lines = Vec::new();
    for run in runs {
        let windows = run.metrics()?;
        let points = windows.iter().filter_map(|window| Some((against.of(window), of(window)?)));
        lines.push(Line::new(run.name(), points.collect()));
    }
    Ok(Chart { title, x: against.axis(), y: Axis::linear(up), lines, note: None })
}

/// The reach rates of the largest tiles of one run; `None` where the game has none.
pub fn reach(run: &Folder, against: Against) -> Result<Option<Chart>, RunError> {
    let windows = run.metrics()?;
    let largest = windows.iter().filter_map(|window| window.reach.keys().next_back()).max();
    let Some(&largest) = largest else { return Ok(None) };
    let tiles = (0..5).map(|halved| largest >> halved).filter(|&tile| tile >= 2);
    let line = |tile: u64| {
        let part = |reach: &std::collections::BTreeMap<u64, f64>| {
            // A window lists the tiles at which games ended; those that ended higher count, too.
            reach.range(tile..).next().map_or(0.0, |(_, &part)| part)
        };
        let points = windows.iter().map(|window| (against.of(window), part(&window.reach)));
        Line::new(tile.to_string(), points.collect())
    };
    Ok(Some(Chart {
        title: format!("{}: games that reach a tile", run.name()),
        x: against.axis(),
        y: Axis::linear("part of the games"),
        lines: tiles.map(line).collect(),
        note: None,
    }))
}

impl Against {
    fn of(self, window: &super::Window) -> f64 {
        match self {
            Against::Episodes => window.episodes as f64,
            Against::Moves => window.moves as f64,
            Against::Seconds => window.seconds,
        }
    }

    fn axis(self) -> Axis {
        Axis::linear(match self {
            Against::Episodes => "games",
            Against::Moves => "moves",
            Against::Seconds => "seconds",
        })
    }
}
