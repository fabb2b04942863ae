//! The curves of runs: scores, metrics of the learner, and reach rates in games with tiles.

use std::collections::BTreeSet;

use afterstate_render::chart::{Axis, Chart, Line};

use super::{Folder, RunError};
use crate::metrics::Window;

/// The x axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// Games played.
    Episodes,
    /// Moves played.
    Moves,
    /// Seconds of training.
    Seconds,
}

/// The mean score of each run.
pub fn scores(runs: &[Folder], against: Against) -> Result<Chart, RunError> {
    let title = match runs {
        [run] => format!("{}: mean score in training", run.recipe().rules),
        _ => "Mean score in training".to_owned(),
    };
    curves(runs, against, title, "score", |window| Some(window.mean))
}

/// A metric of the learner, for each run that has it.
pub fn extra(runs: &[Folder], against: Against, name: &str) -> Result<Chart, RunError> {
    curves(runs, against, format!("{name} in training"), name, |window| {
        window.extra.get(name).copied()
    })
}

/// The names of all metrics of the learners of runs.
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
    label: &str,
    of: impl Fn(&Window) -> Option<f64>,
) -> Result<Chart, RunError> {
    let mut lines = Vec::new();
    for run in runs {
        let windows = run.metrics()?;
        let points = windows.iter().filter_map(|window| Some((against.of(window), of(window)?)));
        lines.push(Line::new(run.name(), points.collect()));
    }
    Ok(Chart { title, x: against.axis(), y: Axis::linear(label), lines, note: None })
}

/// The reach rates of the largest tiles of a run; `None` in games without tiles.
pub fn reach(run: &Folder, against: Against) -> Result<Option<Chart>, RunError> {
    let windows = run.metrics()?;
    let largest = windows.iter().filter_map(|window| window.reach.keys().next_back()).max();
    let Some(&largest) = largest else { return Ok(None) };
    let tiles = (0..5).map(|halved| largest >> halved).filter(|&tile| tile >= 2);
    let line = |tile: u64| {
        let share = |reach: &std::collections::BTreeMap<u64, f64>| {
            // A window lists the tiles at which games ended: games that ended at a larger tile
            // count.
            reach.range(tile..).next().map_or(0.0, |(_, &share)| share)
        };
        let points = windows.iter().map(|window| (against.of(window), share(&window.reach)));
        Line::new(tile.to_string(), points.collect())
    };
    Ok(Some(Chart {
        title: format!("{}: games that reach a tile", run.name()),
        x: against.axis(),
        y: Axis::linear("share of games"),
        lines: tiles.map(line).collect(),
        note: None,
    }))
}

impl Against {
    fn of(self, window: &Window) -> f64 {
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
