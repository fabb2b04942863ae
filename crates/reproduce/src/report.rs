//! `Report`: what an experiment found, with all that is needed to find it again.

use afterstate_lab::chart::Chart;
use serde::Serialize;

use crate::experiment::{Experiment, Findings, Published};
use crate::measure::Value;
use crate::session::Session;
use crate::training::Cost;

/// A measured experiment.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The experiment.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// `quick` or `full`.
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
    pub differences: &'static str,
    /// What a reader should know besides.
    pub notes: Vec<String>,
    /// Whether agents played and nothing was trained.
    #[serde(skip)]
    pub(crate) played: bool,
    /// What a form adds to the names of its files.
    #[serde(skip)]
    pub(crate) suffix: String,
    /// The curves, each with what its file's name adds.
    #[serde(skip)]
    pub charts: Vec<(&'static str, Chart)>,
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Which column of a published table, or which curve.
    pub case: String,
    /// What is measured.
    pub what: String,
    /// In what it is counted.
    pub unit: Unit,
    /// The published figure.
    pub published: Option<f64>,
    /// The same, measured in training as the source did.
    pub measured: Option<Value>,
    /// The same, of games that the trained agent plays without learning.
    pub played: Option<Value>,
}

/// In what something is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Parts of a hundred games.
    Percent,
    /// Points of a score.
    Points,
    /// Moves in a second.
    MovesPerSecond,
    /// 2^20 bytes.
    Mebibytes,
    /// Lines of Tetris.
    Lines,
    /// Numbers that are told to a tenth.
    Tenths,
    /// Weights of features.
    Weight,
    /// Seconds.
    Seconds,
    /// How many times as much.
    Times,
}

impl Row {
    /// A published figure beside what was found for it, learning and playing.
    pub(crate) fn of(published: &Published, measured: Option<Value>, played: Option<Value>) -> Row {
        Row {
            case: published.case.to_owned(),
            what: published.quantity.to_string(),
            unit: published.quantity.unit(),
            published: published.value,
            measured,
            played,
        }
    }
}

const COLUMNS: [&str; 5] = ["case", "what", "published", "measured", "played without learning"];

impl Report {
    pub(crate) fn new(experiment: &Experiment, session: &Session, findings: Findings) -> Report {
        let (form, seed, threads) = (session.form, session.seed, session.threads);
        let Experiment { name, title, source, differences, rules, .. } = *experiment;
        let full = if form.is_full() { " --full" } else { "" };
        let mut notes = findings.notes;
        let this = format!("This is the {} form", form.name);
        if !form.is_full() && !notes.iter().any(|note| note.starts_with(&this)) {
            let note = format!("{this}: where games are played, `--full` plays more of them.");
            notes.insert(0, note);
        }
        let charts = findings.charts.into_iter().map(|(suffix, chart)| {
            let note = format!("{} form, seed {seed}, rules {rules}", form.name);
            (suffix, Chart { note: Some(note), ..chart })
        });
        Report {
            name,
            title,
            source,
            form: form.name,
            games_divided_by: findings.divided_by,
            command: format!("afterstate reproduce {name}{full} --seed {seed} --threads {threads}"),
            seed,
            rules,
            trainings: findings.trainings,
            columns: COLUMNS,
            rows: findings.rows,
            differences,
            notes,
            played: findings.played,
            suffix: form.suffix(),
            charts: charts.collect(),
        }
    }
}
