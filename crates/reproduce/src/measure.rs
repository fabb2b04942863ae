//! Measured figures with their intervals, and the games of a trained agent.

use std::collections::BTreeMap;

use afterstate_agents::statistics::{Exposure, rate};
use afterstate_agents::{Evaluation, EvaluationSettings, Summary};
use serde::{Deserialize, Deserializer, Serialize};

use crate::experiment::Quantity;

/// A figure with its 95% interval, where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// The figure; infinite ones are null in JSON.
    #[serde(deserialize_with = "number_or_infinity")]
    pub value: f64,
    /// Low and high end of its 95% interval.
    pub ci95: Option<(f64, f64)>,
    /// Whether the figure is only known to be at least this, since games were truncated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
}

fn number_or_infinity<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
}

impl Value {
    pub(crate) fn exact(value: f64) -> Value {
        Value { value, ci95: None, at_least: false }
    }

    /// The mean of some samples with its interval, which is not negative if no sample is; NaN
    /// without samples.
    pub(crate) fn mean(samples: &[f64]) -> Value {
        Value::summary(Summary::of_games(samples))
    }

    /// The mean of differences with its interval; NaN without samples.
    pub(crate) fn difference(samples: &[f64]) -> Value {
        Value::summary(Summary::of(samples))
    }

    fn summary(summary: Option<Summary>) -> Value {
        summary.map_or(Value::exact(f64::NAN), |s| Value::within(s.mean, s.ci95))
    }

    /// A figure with its interval.
    pub(crate) fn within(value: f64, ci95: Option<(f64, f64)>) -> Value {
        Value { ci95, ..Value::exact(value) }
    }

    /// A lower bound.
    pub(crate) fn at_least(value: f64) -> Value {
        Value { at_least: true, ..Value::exact(value) }
    }

    /// The mean score of games that end at any move alike; its lower bound (95%) if no game ended.
    pub(crate) fn exposure(exposure: Exposure) -> Option<Value> {
        match exposure.mean.zip(exposure.high) {
            Some((value, high)) => Some(Value::within(value, Some((exposure.low, high)))),
            None => (exposure.low > 0.0).then(|| Value::at_least(exposure.low)),
        }
    }

    /// The ends of its interval. A bound from below has no upper end.
    pub(crate) fn ends(self) -> (f64, f64) {
        match self.ci95 {
            _ if self.at_least => (self.value, f64::INFINITY),
            Some(ends) => ends,
            None => (self.value, self.value),
        }
    }

    /// The same figure so many times.
    pub(crate) fn times(self, factor: f64) -> Value {
        let ci95 = self.ci95.map(|(low, high)| (factor * low, factor * high));
        Value { value: factor * self.value, ci95, ..self }
    }

    /// Whether it is more than another figure; `None` where their intervals overlap.
    pub(crate) fn above(self, other: Value) -> Option<bool> {
        let ((low, high), (least, most)) = (self.ends(), other.ends());
        if low > most {
            Some(true)
        } else if high < least || (low, high) == (least, most) && low == high {
            Some(false)
        } else {
            None
        }
    }

    /// Whether it is more than a number; `None` if its interval contains it.
    pub(crate) fn exceeds(self, number: f64) -> Option<bool> {
        self.above(Value::exact(number))
    }

    /// Whether it lies between two numbers; `None` if an end of its interval does and the other does not.
    pub(crate) fn between(self, least: f64, most: f64) -> Option<bool> {
        let (low, high) = self.ends();
        if low >= least && high <= most {
            Some(true)
        } else {
            (high < least || low > most).then_some(false)
        }
    }

    /// Whether it differs from another by no more than a part of the larger one; `None` where their
    /// intervals leave both.
    pub(crate) fn same(self, other: Value, part: f64) -> Option<bool> {
        let ((low, high), (least, most)) = (self.ends(), other.ends());
        let left = 1.0 - part;
        if low.min(least) >= left * high.max(most) {
            Some(true)
        } else {
            (high < left * least || most < left * low).then_some(false)
        }
    }

    pub(crate) fn percent(successes: f64, trials: f64) -> Option<Value> {
        let rate = rate(successes.round() as u64, trials as u64)?;
        let (low, high) = rate.ci95;
        Some(Value::within(100.0 * rate.rate, Some((100.0 * low, 100.0 * high))))
    }
}

/// Games that a trained agent played without learning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlayedGames {
    games: u64,
    seed: u64,
    mean: Value,
    max: f64,
    /// In percent.
    reach: BTreeMap<u64, Value>,
}

impl PlayedGames {
    pub(crate) fn of(evaluation: &Evaluation, settings: &EvaluationSettings) -> PlayedGames {
        let count = settings.games as f64;
        let percent = |rate: f64| Value::percent(rate * count, count);
        let reach = evaluation.reach.iter();
        PlayedGames {
            games: settings.games,
            seed: settings.seed,
            mean: Value::within(evaluation.score.mean, evaluation.score.ci95),
            max: evaluation.score.max,
            reach: reach.filter_map(|(&tile, r)| Some((tile, percent(r.rate)?))).collect(),
        }
    }

    pub(crate) fn measure(&self, quantity: Quantity) -> Option<Value> {
        match quantity {
            Quantity::Reach(tile) => {
                let none = || Value::percent(0.0, self.games as f64);
                self.reach.get(&tile).copied().or_else(none)
            }
            Quantity::Mean => Some(self.mean),
            Quantity::Max => Some(Value::exact(self.max)),
            _ => None,
        }
    }
}
