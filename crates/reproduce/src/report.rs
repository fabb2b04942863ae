//! `Report`: what an experiment measured, with all that is needed to measure it again.
//!
//! Its JSON holds measurements only. What was published, what differs and what became of it is the
//! [`Experiment`]'s, so that a page follows from both and can be written anew without measuring.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use afterstate_core::Device;
use afterstate_render::chart::{Chart, Line};
use afterstate_values::read_json;
use serde::{Deserialize, Serialize};

use crate::experiment::{Experiment, Published, Results};
use crate::measure::Value;
use crate::{Cost, Error, GamePoint, Scale, TrainingCache, ValuePoint, find};

/// A measured experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The experiment.
    pub name: String,
    /// The scale: `quick` or `full`.
    pub form: String,
    /// The command that measures it again.
    pub command: String,
    /// The seed of the trainings.
    pub seed: u64,
    /// Published beside measured.
    pub rows: Vec<Row>,
    /// Limits, truncated games, and what else a reader should know.
    pub notes: Vec<String>,
    /// The trainings, or the agents that played, and what they took.
    pub trainings: Vec<Cost>,
    /// Whether agents played and nothing was trained.
    #[serde(default)]
    pub played: bool,
    /// Value functions beside exact truth.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValuePoint>,
    /// Value functions on full games.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub games: Vec<GamePoint>,
    /// The curves.
    #[serde(default)]
    pub charts: Vec<ReportChart>,
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The column of a published table, or the curve.
    pub case: String,
    /// What is measured.
    pub what: String,
    /// The published figure, for programs that read the file.
    pub published: Option<f64>,
    /// The same, measured in training as the source did.
    pub measured: Option<Value>,
    /// The same, of games that the trained agent plays without learning.
    pub played: Option<Value>,
}

/// A chart of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportChart {
    /// What its file's name adds to the experiment's.
    pub suffix: String,
    /// What it shows.
    pub title: String,
    /// Its curves, where the report has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chart: Option<Chart>,
}

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Percent.
    Percent,
    /// Points of a score.
    Points,
    /// Moves per second.
    MovesPerSecond,
    /// 2^20 bytes.
    Mebibytes,
    /// Lines of Tetris.
    Lines,
    /// Numbers with one decimal.
    Tenths,
    /// Numbers with two decimals.
    Hundredths,
    /// Weights of features.
    Weight,
    /// Seconds.
    Seconds,
    /// A factor.
    Times,
    /// Numbers with three significant digits.
    Significant,
}

/// From this part of its limit on, a figure is a bound: where lengths are exponential, so many games are
/// truncated then that their mean is short by 5%.
const NEAR_LIMIT: f64 = 0.317;

/// The maximum size of a results file.
const MAX_BYTES: u64 = 16 << 20;

impl Report {
    /// Reads the report in a file.
    pub fn read(path: &Path) -> Result<Report, Error> {
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes));
        read.map_err(|source| Error::Read { path: path.display().to_string(), source })?;
        let report: Report =
            read_json(&bytes).map_err(|error| Error::Report(path.display().to_string(), error))?;
        Ok(report.bounded())
    }

    /// Marks figures as bounds: where many games were truncated, the mean tells of the limit and not of the
    /// agent.
    fn bounded(mut self) -> Report {
        let limits = find(&self.name).map_or(&[][..], |experiment| experiment.limits);
        let Some(scale) = Scale::ALL.into_iter().find(|scale| scale.name() == self.form) else {
            return self;
        };
        for limit in limits {
            let what = limit.quantity.to_string();
            let mut rows = self.rows.iter_mut();
            let row = rows.find(|row| row.case == limit.case && row.what == what);
            if let Some(measured) = row.and_then(|row| row.measured.as_mut())
                && measured.value > NEAR_LIMIT * scale.pick(limit.most)
            {
                *measured = Value::at_least(measured.value);
            }
        }
        self
    }

    pub(crate) fn new(experiment: &Experiment, cache: &TrainingCache, results: Results) -> Report {
        let (scale, seed, threads) = (cache.scale, cache.seed, cache.threads);
        let Experiment { name, rules, .. } = *experiment;
        let full = if scale.is_full() { " --full" } else { "" };
        let hardware = match cache.device {
            Device::Cpu => format!("--threads {threads}"),
            Device::Cuda(_) => format!("--device {}", cache.device),
            Device::Cluster => "--cluster auto".to_owned(),
        };
        let mut notes = results.notes;
        if let Some(general) = scale.note("where games are played, `--full` plays more of them.")
            && !notes.iter().any(|note| note.starts_with("This is the "))
        {
            notes.insert(0, general);
        }
        let charts = results.charts.into_iter().map(|(suffix, chart)| {
            let note = format!("{} form, seed {seed}, rules {rules}", scale.name());
            let lines = chart.lines.into_iter().map(thinned).collect();
            let (suffix, title) = (suffix.to_owned(), chart.title.clone());
            let chart = Some(Chart { note: Some(note), lines, ..chart });
            ReportChart { suffix, title, chart }
        });
        Report {
            name: name.to_owned(),
            form: scale.name().to_owned(),
            command: format!("afterstate reproduce {name}{full} --seed {seed} {hardware}"),
            seed,
            rows: results.rows,
            notes,
            trainings: results.costs,
            played: results.played,
            values: results.values,
            games: results.games,
            charts: charts.collect(),
        }
        .bounded()
    }

    /// Whether the published budget was spent.
    pub fn is_full(&self) -> bool {
        self.form == "full"
    }

    /// Whether it is older than its experiment, which has rows that were not measured.
    pub(crate) fn lacks_rows(&self, experiment: &Experiment) -> bool {
        let measured = |one: &Published| self.row(one.case, &one.quantity.to_string()).is_some();
        !experiment.published.iter().all(measured)
    }

    /// The row of a case and a quantity.
    pub fn row(&self, case: &str, what: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.case == case && row.what == what)
    }
}

/// Points of a curve that a report keeps.
const POINTS: usize = 256;

/// A curve with at most [`POINTS`] points, each the mean of its neighbours, with six digits.
fn thinned(line: Line) -> Line {
    let size = line.points.len().div_ceil(POINTS).max(1);
    let mean = |pairs: &[(f64, f64)]| {
        let count = pairs.len() as f64;
        let sum = pairs.iter().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
        (six_digits(sum.0 / count), six_digits(sum.1 / count))
    };
    let thin = |pairs: &Vec<(f64, f64)>| pairs.chunks(size).map(mean).collect();
    Line { points: thin(&line.points), band: line.band.as_ref().map(thin), ..line }
}

fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}
