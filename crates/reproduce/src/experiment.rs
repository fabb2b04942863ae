//! `Experiment`: one published table or figure, as data and a function that measures it.

use std::fmt;

use afterstate_core::Device;
use afterstate_render::chart::Chart;

use crate::files::lock;
use crate::measure::Value;
use crate::report::{Report, Row, Unit};
use crate::verdict::Statement;
use crate::{Cost, Error, GamePoint, TrainingCache, ValuePoint, tetris_controllers, values};

pub use crate::published::Published;
pub(crate) use crate::published::{Sample, published};

/// One published table or figure.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// The paper or report, and where in it.
    pub source: &'static str,
    /// The published figures, and those that were not published and are measured beside them.
    pub published: &'static [Published],
    /// What we do differently, and what the source leaves open: paragraphs of one text.
    pub differences: &'static [&'static str],
    /// Why the measured figures of a case differ from the published ones, and why a statement that begins with
    /// these words, or a figure of this case and quantity, is contradicted or undecided.
    pub reasons: &'static [(&'static str, &'static str)],
    /// Published sentences that the figures bear out or contradict.
    pub statements: &'static [Statement],
    /// Published sentences that no measurement can test, and why: they compare with what the source does
    /// not name.
    pub not_testable: &'static [(&'static str, &'static str)],
    /// The most that a measured figure can be, where games of learning are truncated.
    pub limits: &'static [Limit],
    /// Whether intervals are those of the source's own few games, repeated: then every figure inside of one
    /// is what the source could have found.
    pub repeats: bool,
    /// What the full form takes on two cores, in minutes.
    pub minutes: u32,
    /// The rules.
    pub rules: &'static str,
    pub(crate) measure: fn(&Experiment, &mut TrainingCache) -> Measured,
}

/// The most that a figure measured in training can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The case.
    pub case: &'static str,
    /// Its quantity.
    pub quantity: Quantity,
    /// The figure if every game is truncated, at each scale.
    pub most: [f64; 3],
}

/// A measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Quantity {
    /// The percentage of the last block of games that reach a tile or more.
    Reach(u64),
    /// The same of the best block of the training.
    BestReach(u64),
    /// The mean score of the last block.
    Mean,
    /// The best score of the last block.
    Max,
    /// The best score of each of the last blocks.
    Maxima,
    /// The best score of the whole training.
    BestScore,
    /// Moves in each second of training.
    Speed,
    /// The memory of the weights.
    Memory,
    /// Seconds for so many moves of a search.
    Time,
    /// The percentage of that time that pruning saves.
    TimeSaved,
    /// The percentage of the states that pruning skips.
    StatesSaved,
    /// The factor by which the time grows from one depth to the next.
    Growth,
    /// A number of rows or games with a name of its own.
    Named(&'static str),
    /// The same of which fewer are better, such as games until something is learned.
    Fewer(&'static str),
    /// A percentage with a name of its own.
    Part(&'static str),
    /// Lines of Tetris per game: all lines over all ends.
    Lines,
    /// The same by published weights, which can be confirmed and not beaten.
    LinesByWeights,
    /// A number with one decimal and a name of its own.
    Decimal(&'static str),
    /// A ratio with two decimals and a name of its own.
    Ratio(&'static str),
    /// A number with three significant digits and a name of its own, of which less is better.
    Small(&'static str),
    /// The weight of a feature.
    Weight,
}

impl Quantity {
    /// Its unit.
    pub fn unit(self) -> Unit {
        match self {
            Quantity::Reach(_) | Quantity::BestReach(_) | Quantity::Part(_) => Unit::Percent,
            Quantity::TimeSaved | Quantity::StatesSaved => Unit::Percent,
            Quantity::Mean | Quantity::Max | Quantity::Maxima | Quantity::BestScore => Unit::Points,
            Quantity::Named(_) | Quantity::Fewer(_) => Unit::Points,
            Quantity::Speed => Unit::MovesPerSecond,
            Quantity::Memory => Unit::Mebibytes,
            Quantity::Time => Unit::Seconds,
            Quantity::Growth => Unit::Times,
            Quantity::Lines | Quantity::LinesByWeights => Unit::Lines,
            Quantity::Decimal(_) => Unit::Tenths,
            Quantity::Ratio(_) => Unit::Hundredths,
            Quantity::Weight => Unit::Weight,
            Quantity::Small(_) => Unit::Significant,
        }
    }
}

impl Quantity {
    /// The label of an axis of it: quantities with the same label can share one.
    pub fn axis(self) -> String {
        match self {
            Quantity::Reach(_) | Quantity::BestReach(_) => "games, %".to_owned(),
            Quantity::TimeSaved | Quantity::StatesSaved | Quantity::Part(_) => format!("{self}, %"),
            Quantity::Mean | Quantity::Max | Quantity::Maxima | Quantity::BestScore => {
                "points".to_owned()
            }
            Quantity::Speed => "moves per second".to_owned(),
            Quantity::Memory => "memory, MiB".to_owned(),
            Quantity::Time => "seconds".to_owned(),
            _ => self.to_string(),
        }
    }

    /// Whether it hangs on a single game.
    pub(crate) fn is_maximum(self) -> bool {
        matches!(self, Quantity::Max | Quantity::Maxima | Quantity::BestScore)
    }

    /// Whether more of it is better; `None` if neither is.
    pub fn larger_is_better(self) -> Option<bool> {
        match self {
            Quantity::Time | Quantity::Memory | Quantity::Fewer(_) | Quantity::Small(_) => {
                Some(false)
            }
            Quantity::Growth | Quantity::Weight | Quantity::Part(_) => None,
            Quantity::Decimal(_) | Quantity::Ratio(_) | Quantity::LinesByWeights => None,
            _ => Some(true),
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Quantity::Reach(tile) => return write!(f, "reach {tile}"),
            Quantity::BestReach(tile) => return write!(f, "reach {tile}, best block"),
            Quantity::Mean => "mean score",
            Quantity::Max => "maximum",
            Quantity::Maxima => "maximum of 1,000 games",
            Quantity::BestScore => "maximum of the whole training",
            Quantity::Speed => "training speed",
            Quantity::Memory => "memory of the weights",
            Quantity::Named(name) | Quantity::Fewer(name) => name,
            Quantity::Part(name) | Quantity::Decimal(name) | Quantity::Ratio(name) => name,
            Quantity::Small(name) => name,
            Quantity::Weight => "weight",
            Quantity::Lines | Quantity::LinesByWeights => "lines a game",
            Quantity::Time => "time",
            Quantity::TimeSaved => "time saved by pruning",
            Quantity::StatesSaved => "states not looked at",
            Quantity::Growth => "growth of the time a ply",
        })
    }
}

/// What an experiment measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct Results {
    /// Published beside measured.
    pub(crate) rows: Vec<Row>,
    /// The curves, each with what its file's name adds to the experiment's.
    pub(crate) charts: Vec<(&'static str, Chart)>,
    /// The trainings that were measured, or the agents that played.
    pub(crate) costs: Vec<Cost>,
    /// Whether agents played and nothing was trained.
    pub(crate) played: bool,
    /// Value functions beside exact truth.
    pub(crate) values: Vec<ValuePoint>,
    /// Value functions on full games.
    pub(crate) games: Vec<GamePoint>,
    /// Further notes for a reader.
    pub(crate) notes: Vec<String>,
}

/// What a function that measures an experiment returns.
pub(crate) type Measured = Result<Results, Error>;

/// A measured figure, for the row of the same case and quantity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measurement {
    case: &'static str,
    quantity: Quantity,
    /// In training, as the source measured.
    training: Option<Value>,
    /// Of games without learning.
    played: Option<Value>,
}

impl Measurement {
    /// A figure of a training, or an exact one.
    pub(crate) fn training(case: &'static str, quantity: Quantity, value: Value) -> Measurement {
        Measurement { case, quantity, training: Some(value), played: None }
    }

    /// A figure of games without learning.
    pub(crate) fn played(case: &'static str, quantity: Quantity, value: Value) -> Measurement {
        Measurement { case, quantity, training: None, played: Some(value) }
    }

    /// Adds the same figure of games without learning.
    pub(crate) fn and_played(self, value: Value) -> Measurement {
        Measurement { played: Some(value), ..self }
    }
}

impl Experiment {
    /// An experiment without reasons and statements, to be completed.
    pub(crate) const NONE: Experiment = Experiment {
        name: "",
        title: "",
        source: "",
        published: &[],
        differences: &[],
        reasons: &[],
        statements: &[],
        not_testable: &[],
        limits: &[],
        repeats: false,
        minutes: 1,
        rules: "",
        measure: |_, _| Ok(Results::default()),
    };

    /// Whether its agents can play on a GPU.
    pub fn plays_on_gpu(&self) -> bool {
        let controllers = tetris_controllers::EXPERIMENTS.iter();
        self.name == values::CUDA || controllers.map(|one| one.name).any(|name| name == self.name)
    }

    /// Measures it, reusing the trainings that the cache already holds.
    pub fn run(&self, cache: &mut TrainingCache) -> Result<Report, Error> {
        if matches!(cache.device, Device::Cuda(_)) && !self.plays_on_gpu() {
            return Err(Error::NotOnGpu(self.name));
        }
        // Held until the report is made: two processes would play the same games into the same files.
        let name = format!("{}.lock", self.name);
        let _lock = lock(&cache.path(&name))?.ok_or(Error::Busy(self.name))?;
        let results = (self.measure)(self, cache)?;
        Ok(Report::new(self, cache, results))
    }

    /// The published figures beside their measurements.
    pub(crate) fn rows(&self, measurements: &[Measurement]) -> Vec<Row> {
        self.rows_by(|published| {
            let mut all = measurements.iter();
            let own = all.find(|m| m.case == published.case && m.quantity == published.quantity);
            own.map_or((None, None), |own| (own.training, own.played))
        })
    }

    /// The published figures beside figures of training and of games without learning.
    pub(crate) fn rows_by(
        &self,
        mut measure: impl FnMut(&Published) -> (Option<Value>, Option<Value>),
    ) -> Vec<Row> {
        let row = |published: &Published| {
            let (measured, played) = measure(published);
            Row {
                case: published.case.to_owned(),
                what: published.quantity.to_string(),
                published: published.value,
                measured,
                played,
            }
        };
        self.published.iter().map(row).collect()
    }
}
