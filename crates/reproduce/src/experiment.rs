//! `Experiment`: one published table or figure, as data and a function that measures it.

use std::fmt;

use afterstate_core::Device;
use afterstate_render::chart::Chart;

use crate::files::lock;
use crate::measure::Value;
use crate::report::{Report, Row, Unit};
use crate::verdict::Statement;
use crate::{Cost, Error, GamePoint, TrainingCache, ValuePoint, tetris_controllers, values};

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
    /// Why the measured figures of a case differ from the published ones, and why a statement that
    /// begins with these words is contradicted or undecided.
    pub reasons: &'static [(&'static str, &'static str)],
    /// Published sentences that the figures bear out or contradict.
    pub statements: &'static [Statement],
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

/// One published figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The column of the table, or the curve.
    pub case: &'static str,
    /// What was measured.
    pub quantity: Quantity,
    /// The figure; `None` if it was not published.
    pub value: Option<f64>,
    /// The games that it is of, where they are published and few.
    pub sample: Option<Sample>,
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

/// The games of a published figure, which leave an error in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sample {
    /// The mean of so many games that end at any move alike.
    Mean(u64),
    /// The median of such games.
    Median(u64),
    /// A percentage of so many games.
    Share(u64),
    /// The largest of so many games that end at any move alike.
    Largest(u64),
    /// By how many percent the mean of so many such games is above that of so many others.
    MeanGain(u64, u64),
    /// The same of their medians.
    MedianGain(u64, u64),
    /// Another learner's, or one that ours was fitted to: it is shown and not compared.
    Beside,
}

impl Published {
    /// A figure that was not published.
    pub(crate) const fn nothing(case: &'static str, quantity: Quantity) -> Published {
        Published { case, quantity, value: None, sample: None }
    }

    /// The same figure with its published value.
    pub(crate) const fn with(self, value: f64) -> Published {
        Published { value: Some(value), ..self }
    }

    /// The same of few games.
    pub(crate) const fn of(self, sample: Sample) -> Published {
        Published { sample: Some(sample), ..self }
    }

    /// The published figure, with the 95% interval that its games leave.
    pub(crate) fn figure(&self) -> Option<Value> {
        let value = self.value?;
        let relative = |error: f64| {
            let half = 1.96 * error * value;
            Value::within(value, Some((value - half, value + half)))
        };
        // The relative errors of both means, of a ratio that is one more than the gain.
        let gain = |games: u64, others: u64, error: f64| {
            let error = error * (1.0 / games as f64 + 1.0 / others as f64).sqrt();
            let half = 1.96 * error * (value + 100.0);
            Value::within(value, Some((value - half, value + half)))
        };
        Some(match self.sample {
            None | Some(Sample::Beside) => Value::exact(value),
            Some(Sample::MeanGain(games, others)) => gain(games, others, 1.0),
            Some(Sample::MedianGain(games, others)) => {
                gain(games, others, 1.0 / std::f64::consts::LN_2)
            }
            Some(Sample::Largest(games)) => {
                // In units of the mean, the largest of n exponential lengths is below q with the
                // probability (1 - exp(-q))^n and is expected to be 1 + 1/2 + ... + 1/n.
                let quantile = |part: f64| -(1.0 - part.powf(1.0 / games as f64)).ln();
                let expected: f64 = (1..=games).map(|number| 1.0 / number as f64).sum();
                let end = |part: f64| value * expected / quantile(part);
                Value::within(value, Some((end(0.975), end(0.025))))
            }
            Some(Sample::Mean(games)) => relative(1.0 / (games as f64).sqrt()),
            Some(Sample::Median(games)) => {
                relative(1.0 / (std::f64::consts::LN_2 * (games as f64).sqrt()))
            }
            Some(Sample::Share(games)) => {
                let share = Value::percent(value / 100.0 * games as f64, games as f64)?;
                Value { value, ..share }
            }
        })
    }
}

/// A table of published figures, `case => quantity = value, quantity; case => ...`: a quantity
/// without a value was not published, and a value can have its games, `= value of Mean(80)`, or stand
/// `= value of Beside` ours.
macro_rules! published {
    ($($case:expr => $(
        $quantity:ident $(($tile:literal))? $(= $value:literal $(of $sample:ident $(($($games:literal),+))?)?)?
    ),+);+ $(;)?) => {
        &[$($(
            $crate::experiment::Published::nothing($case, $quantity $(($tile))?)
                $(.with($value) $(.of($crate::experiment::Sample::$sample $(($($games),+))?))?)?
        ),+),+]
    };
}
pub(crate) use published;

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
            Quantity::Mean | Quantity::Max | Quantity::BestScore => Unit::Points,
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
            Quantity::Mean | Quantity::Max | Quantity::BestScore => "points".to_owned(),
            Quantity::Speed => "moves per second".to_owned(),
            Quantity::Memory => "memory, MiB".to_owned(),
            Quantity::Time => "seconds".to_owned(),
            _ => self.to_string(),
        }
    }

    /// Whether it hangs on a single game.
    pub(crate) fn is_maximum(self) -> bool {
        matches!(self, Quantity::Max | Quantity::BestScore)
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
