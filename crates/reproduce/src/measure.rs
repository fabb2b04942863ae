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

    /// Of the mean of so many samples: the interval that one more of them lies in with 95%.
    pub(crate) fn of_one_more(self, samples: usize) -> Value {
        let wider = (samples as f64 + 1.0).sqrt();
        let widen = |end: f64| self.value + wider * (end - self.value);
        Value { ci95: self.ci95.map(|(low, high)| (widen(low), widen(high))), ..self }
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

    /// The interval of its difference from another figure that does not depend on it: errors are added as
    /// squares, each side for itself (Zou & Donner 2008). It is within what the ends of both intervals leave.
    fn less(self, other: Value) -> (f64, f64) {
        let ((low, high), (least, most)) = (self.ends(), other.ends());
        // Also of infinite figures, which are exact.
        let from = |one: f64, other: f64| if one == other { 0.0 } else { one - other };
        let difference = from(self.value, other.value);
        let below = from(self.value, low).hypot(from(most, other.value));
        let above = from(high, self.value).hypot(from(other.value, least));
        (difference - below, difference + above)
    }

    /// Whether it is more than another figure that does not depend on it; `None` if the interval of their
    /// difference contains 0.
    pub(crate) fn above(self, other: Value) -> Option<bool> {
        let (low, high) = self.less(other);
        if low > 0.0 {
            Some(true)
        } else if high < 0.0 || low == 0.0 && high == 0.0 {
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

    /// Whether it differs from another by no more than a part of the larger one; `None` where the
    /// intervals of the differences leave both.
    pub(crate) fn same(self, other: Value, part: f64) -> Option<bool> {
        let left = 1.0 - part;
        let (one, two) = (self.less(other.times(left)), other.less(self.times(left)));
        if one.0 >= 0.0 && two.0 >= 0.0 {
            Some(true)
        } else {
            (one.1 < 0.0 || two.1 < 0.0).then_some(false)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn around(value: f64, reach: f64) -> Value {
        Value::within(value, Some((value - reach, value + reach)))
    }

    #[test]
    fn two_figures_are_compared_by_the_interval_of_their_difference() {
        // Of 3 and 4, as of the sides of a triangle: 5.
        for (other, above) in
            [(94.9, Some(true)), (95.1, None), (104.9, None), (105.1, Some(false))]
        {
            assert_eq!(around(100.0, 3.0).above(around(other, 4.0)), above, "{other}");
        }
        // What intervals that do not overlap tell, it tells, too.
        assert_eq!(around(100.0, 3.0).above(around(92.9, 4.0)), Some(true));
        assert_eq!(Value::exact(2.0).above(Value::exact(2.0)), Some(false));
        assert_eq!(Value::exact(2.0).exceeds(1.0), Some(true));
        // The side towards the other one counts, as of long intervals of games without an end.
        let long = Value::within(10.0, Some((8.0, 1_000.0)));
        assert_eq!(long.above(around(5.0, 1.0)), Some(true));
        assert_eq!(long.above(around(20.0, 1.0)), None);
        assert_eq!(Value::at_least(10.0).above(around(5.0, 1.0)), Some(true));
        assert_eq!(Value::at_least(10.0).above(around(50.0, 1.0)), None);
        assert_eq!(Value::exact(f64::INFINITY).exceeds(5.0), Some(true));
    }

    #[test]
    fn figures_are_the_same_up_to_a_part_of_the_larger_one() {
        for (other, same) in
            [(96.0, None), (98.5, Some(true)), (102.0, Some(true)), (90.0, Some(false))]
        {
            assert_eq!(around(100.0, 2.0).same(around(other, 2.0), 0.05), same, "{other}");
            assert_eq!(around(other, 2.0).same(around(100.0, 2.0), 0.05), same, "{other}");
        }
    }
}
