//! `Report`: what an experiment measured, with all that is needed to measure it again.

use afterstate_render::chart::Chart;
use serde::Serialize;

use crate::experiment::{Experiment, Results};
use crate::measure::Value;
use crate::{Cost, TrainingCache};

/// A measured experiment.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The experiment.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// The scale: `quick` or `full`.
    pub form: &'static str,
    /// By how much the published number of games was divided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games_divided_by: Option<u64>,
    /// The command that measures it again.
    pub command: String,
    /// The seed of the trainings.
    pub seed: u64,
    /// The rules.
    pub rules: &'static str,
    /// The trainings, and what they took.
    pub trainings: Vec<Cost>,
    /// The names of the columns of the table.
    pub columns: [&'static str; 5],
    /// Published beside measured.
    pub rows: Vec<Row>,
    /// What differs from the source.
    pub differences: String,
    /// Further notes for a reader.
    pub notes: Vec<String>,
    /// Whether agents played and nothing was trained.
    #[serde(skip)]
    pub(crate) played: bool,
    /// What the scale adds to the names of its files.
    #[serde(skip)]
    pub(crate) suffix: String,
    /// The curves, each with what its file's name adds.
    #[serde(skip)]
    pub charts: Vec<(&'static str, Chart)>,
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The column of a published table, or the curve.
    pub case: String,
    /// What is measured.
    pub what: String,
    /// Its unit.
    pub unit: Unit,
    /// The published figure.
    pub published: Option<f64>,
    /// The same, measured in training as the source did.
    pub measured: Option<Value>,
    /// The same, of games that the trained agent plays without learning.
    pub played: Option<Value>,
}

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
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
    /// Weights of features.
    Weight,
    /// Seconds.
    Seconds,
    /// A factor.
    Times,
}

const COLUMNS: [&str; 5] = ["case", "what", "published", "measured", "played without learning"];

impl Report {
    pub(crate) fn new(experiment: &Experiment, cache: &TrainingCache, results: Results) -> Report {
        let (scale, seed, threads) = (cache.scale, cache.seed, cache.threads);
        let Experiment { name, title, source, differences, rules, .. } = *experiment;
        let full = if scale.is_full() { " --full" } else { "" };
        let mut notes = results.notes;
        if let Some(general) = scale.note("where games are played, `--full` plays more of them.")
            && !notes.iter().any(|note| note.starts_with("This is the "))
        {
            notes.insert(0, general);
        }
        let charts = results.charts.into_iter().map(|(suffix, chart)| {
            let note = format!("{} form, seed {seed}, rules {rules}", scale.name());
            (suffix, Chart { note: Some(note), ..chart })
        });
        Report {
            name,
            title,
            source,
            form: scale.name(),
            games_divided_by: results.divided_by,
            command: format!("afterstate reproduce {name}{full} --seed {seed} --threads {threads}"),
            seed,
            rules,
            trainings: results.costs,
            columns: COLUMNS,
            rows: results.rows,
            differences: differences.join(" "),
            notes,
            played: results.played,
            suffix: scale.suffix(),
            charts: charts.collect(),
        }
    }
}
