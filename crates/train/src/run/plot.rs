//! The curves of runs: scores, metrics of the learner, and reach rates in games with tiles.

use std::collections::BTreeSet;

use afterstate_agents::statistics::rate;
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

const BANDS: &str = "Bands are 95% intervals over the games of a window.";

const PHASES: &str = "Diamonds mark where a phase of the recipe begins.";

/// The unit of the score of a run, such as `points`.
fn unit(run: &Folder) -> &'static str {
    run.recipe().rules.unit().split(',').next().unwrap_or_default()
}

/// The mean score of each run, which must have the same unit, with its 95% interval.
pub fn scores(runs: &[Folder], against: Against) -> Result<Chart, RunError> {
    let title = match runs {
        [run] => format!("{}: mean score in training", run.recipe().rules),
        _ => "Mean score in training".to_owned(),
    };
    let units: BTreeSet<&str> = runs.iter().map(|run| unit(run)).collect();
    if units.len() > 1 {
        let units = units.into_iter().collect::<Vec<_>>().join(" and ");
        return Err(RunError::Units(units));
    }
    let label = format!("mean score, {}", units.first().copied().unwrap_or("points"));
    let mut chart = curves(runs, against, title, &label, |window| Some(window.mean))?;
    for (line, run) in chart.lines.iter_mut().zip(runs) {
        let windows = run.metrics()?;
        // Windows without an interval have a band of no width.
        let band = windows.iter().map(|window| window.ci95.unwrap_or((window.mean, window.mean)));
        let any = windows.iter().any(|window| window.ci95.is_some());
        line.band = any.then(|| band.collect());
    }
    chart.note = notes(&chart.lines);
    Ok(chart)
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
        let marks = phases(&windows, against);
        lines.push(Line { marks, ..Line::new(run.name(), points.collect()) });
    }
    let note = notes(&lines);
    Ok(Chart { title, x: against.axis(), y: Axis::linear(label), lines, note })
}

/// What a reader must know about bands and marks.
fn notes(lines: &[Line]) -> Option<String> {
    let bands = lines.iter().any(|line| line.band.is_some());
    let marks = lines.iter().any(|line| !line.marks.is_empty());
    let notes = [(bands, BANDS), (marks, PHASES)].into_iter().filter(|(has, _)| *has);
    let notes: Vec<&str> = notes.map(|(_, note)| note).collect();
    (!notes.is_empty()).then(|| notes.join(" "))
}

/// Where the phases of the recipe begin, but for the first.
fn phases(windows: &[Window], against: Against) -> Vec<(f64, String)> {
    let changes = windows.windows(2).filter(|pair| pair[0].phase != pair[1].phase);
    changes.map(|pair| (against.of(&pair[0]), format!("phase {}", pair[1].phase + 1))).collect()
}

/// The reach rates of the largest tiles of a run; `None` in games without tiles.
pub fn reach(run: &Folder, against: Against) -> Result<Option<Chart>, RunError> {
    let windows = run.metrics()?;
    let largest = windows.iter().filter_map(|window| window.reach.keys().next_back()).max();
    let Some(&largest) = largest else { return Ok(None) };
    let tiles = (0..5).map(|halved| largest >> halved).filter(|&tile| tile >= 2);
    let known = windows.iter().any(|window| window.games > 0);
    let line = |tile: u64| {
        let share = |reach: &std::collections::BTreeMap<u64, f64>| {
            // A window lists the tiles at which games ended: games that ended at a larger tile
            // count.
            reach.range(tile..).next().map_or(0.0, |(_, &share)| share)
        };
        let percent = |window: &Window| 100.0 * share(&window.reach);
        let points = windows.iter().map(|window| (against.of(window), percent(window)));
        let band = |window: &Window| {
            let reached = (share(&window.reach) * window.games as f64).round() as u64;
            let rate = rate(reached, window.games);
            rate.map_or((percent(window), percent(window)), |rate| {
                (100.0 * rate.ci95.0, 100.0 * rate.ci95.1)
            })
        };
        let band = known.then(|| windows.iter().map(band).collect());
        Line { band, ..Line::of_tile(tile, points.collect()) }
    };
    let mut lines: Vec<Line> = tiles.map(line).collect();
    // Once is enough.
    if let Some(first) = lines.first_mut() {
        first.marks = phases(&windows, against);
    }
    let note = notes(&lines);
    Ok(Some(Chart {
        title: format!("{}: games that reach a tile", run.name()),
        x: against.axis(),
        y: Axis::linear("games that reach the tile, %"),
        lines,
        note,
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
            Against::Episodes => "games of training",
            Against::Moves => "moves of training",
            Against::Seconds => "seconds of training",
        })
    }
}
