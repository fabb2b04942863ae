//! `Experiment`: one published table or figure, as data and a way to measure it.

use std::fmt;

use afterstate_lab::chart::Chart;

use crate::report::{Report, Row, Unit};
use crate::{Cost, Error, Session};

/// One published table or figure.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// The paper or report, and where in it.
    pub source: &'static str,
    /// The published figures, and those that were not published and are measured beside them.
    pub published: &'static [Published],
    /// What we do differently, and what the source leaves open.
    pub differences: &'static str,
    /// The rules.
    pub rules: &'static str,
    pub(crate) measure: fn(&mut Session, &[Published]) -> Result<Findings, Error>,
}

/// One published figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// Which column of the table, or which curve.
    pub case: &'static str,
    /// What was measured.
    pub quantity: Quantity,
    /// The figure; `None` for what was not published.
    pub value: Option<f64>,
}

impl Published {
    /// A figure that was published.
    pub const fn new(case: &'static str, quantity: Quantity, value: f64) -> Published {
        Published { case, quantity, value: Some(value) }
    }

    /// A figure that was not published.
    pub const fn not(case: &'static str, quantity: Quantity) -> Published {
        Published { case, quantity, value: None }
    }
}

/// What is measured of a training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The part of the last block of games that reach a tile or more.
    Reach(u64),
    /// The same of the best block of the training.
    BestReach(u64),
    /// The mean score of the last block.
    Mean,
    /// The best score of the last block.
    Max,
    /// The best score of the whole training.
    BestScore,
    /// Moves in each second of training.
    Speed,
    /// The memory of the weights.
    Memory,
    /// Seconds for so many moves of a search.
    Time,
    /// The part of that time that cutting off saves.
    TimeSaved,
    /// The part of the states that need not be looked at.
    StatesSaved,
    /// By how much the time grows from one depth to the next.
    Growth,
    /// A number of rows or games, in words.
    Named(&'static str),
    /// A part of something, in words.
    Part(&'static str),
    /// Lines of Tetris to the end of a game: all lines over all ends.
    Lines,
    /// A number that is told to a tenth, in words.
    Decimal(&'static str),
    /// The weight of a feature.
    Weight,
}

impl Quantity {
    /// In what it is counted.
    pub fn unit(self) -> Unit {
        match self {
            Quantity::Reach(_) | Quantity::BestReach(_) => Unit::Percent,
            Quantity::Mean | Quantity::Max | Quantity::BestScore => Unit::Points,
            Quantity::Speed => Unit::MovesPerSecond,
            Quantity::Memory => Unit::Mebibytes,
            Quantity::Time => Unit::Seconds,
            Quantity::TimeSaved | Quantity::StatesSaved => Unit::Percent,
            Quantity::Growth => Unit::Times,
            Quantity::Named(_) => Unit::Points,
            Quantity::Part(_) => Unit::Percent,
            Quantity::Lines => Unit::Lines,
            Quantity::Decimal(_) => Unit::Tenths,
            Quantity::Weight => Unit::Weight,
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::Reach(tile) => write!(f, "reach {tile}"),
            Quantity::BestReach(tile) => write!(f, "reach {tile}, best block"),
            Quantity::Mean => f.write_str("mean score"),
            Quantity::Max => f.write_str("maximum"),
            Quantity::BestScore => f.write_str("maximum of the whole training"),
            Quantity::Speed => f.write_str("training speed"),
            Quantity::Memory => f.write_str("memory of the weights"),
            Quantity::Named(name) | Quantity::Part(name) | Quantity::Decimal(name) => {
                f.write_str(name)
            }
            Quantity::Weight => f.write_str("weight"),
            Quantity::Lines => f.write_str("lines a game"),
            Quantity::Time => f.write_str("time"),
            Quantity::TimeSaved => f.write_str("time saved by pruning"),
            Quantity::StatesSaved => f.write_str("states not looked at"),
            Quantity::Growth => f.write_str("growth of the time a ply"),
        }
    }
}

/// What an experiment found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Published beside measured.
    pub rows: Vec<Row>,
    /// The curves, each with what its file's name adds to the experiment's.
    pub charts: Vec<(&'static str, Chart)>,
    /// The trainings that were measured, or the agents that played.
    pub trainings: Vec<Cost>,
    /// Whether agents played and nothing was trained.
    pub played: bool,
    /// What a reader should know besides.
    pub notes: Vec<String>,
    /// By how much the published number of games was divided, if it was.
    pub divided_by: Option<u64>,
}

impl Experiment {
    /// Measures it, reusing what the session's work folder already holds.
    pub fn run(&self, session: &mut Session) -> Result<Report, Error> {
        let findings = (self.measure)(session, self.published)?;
        Ok(Report::new(self, session, findings))
    }
}
