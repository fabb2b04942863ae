//! `Published`: a published figure, with the error that its games leave in it.

use crate::experiment::Quantity;
use crate::measure::Value;

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
    /// Of one training, beside the mean of so many figures of ours: the interval that one more of ours lies
    /// in is compared.
    OneOf(u32),
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
            None | Some(Sample::Beside | Sample::OneOf(_)) => Value::exact(value),
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
