//! What a training came to: each quantity from its metrics, as the sources measured it (games of
//! the training itself), and from games that the trained agent plays without learning.

use std::collections::BTreeMap;

use afterstate_games::twenty48::Twenty48;
use afterstate_lab::patterns::{self, Pattern};
use afterstate_lab::run::Window;
use afterstate_lab::statistics::rate;
use afterstate_lab::{Evaluation, Plan, Summary};
use afterstate_values::Network;
use serde::{Deserialize, Serialize};

use crate::experiment::Quantity;
use crate::form::Form;
use crate::training::{Trained, Training};

/// A figure with its 95% interval, where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// The figure.
    pub value: f64,
    /// Low and high end of its 95% interval.
    pub ci95: Option<(f64, f64)>,
}

impl Value {
    pub(crate) fn exact(value: f64) -> Value {
        Value { value, ci95: None }
    }

    /// The mean of some numbers, with its interval.
    pub(crate) fn mean(numbers: &[f64]) -> Value {
        let summary = Summary::of(numbers);
        summary.map_or(Value::exact(f64::NAN), |s| Value { value: s.mean, ci95: s.ci95 })
    }

    fn percent(successes: f64, trials: f64) -> Option<Value> {
        let rate = rate(successes.round() as u64, trials as u64)?;
        let (low, high) = rate.ci95;
        Some(Value { value: 100.0 * rate.rate, ci95: Some((100.0 * low, 100.0 * high)) })
    }
}

/// One quantity of one training.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// In training.
    pub training: Option<Value>,
    /// EpisodeResult without learning.
    pub played: Option<Value>,
}

/// Games of the trained agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct EpisodeResult {
    games: u64,
    seed: u64,
    mean: Value,
    max: f64,
    /// In percent.
    reach: BTreeMap<u64, Value>,
}

impl EpisodeResult {
    pub(crate) fn of(evaluation: &Evaluation, plan: &Plan) -> EpisodeResult {
        let count = plan.games as f64;
        let percent = |rate: f64| Value::percent(rate * count, count);
        let reach = evaluation.reach.iter();
        EpisodeResult {
            games: plan.games,
            seed: plan.seed,
            mean: Value { value: evaluation.score.mean, ci95: evaluation.score.ci95 },
            max: evaluation.score.max,
            reach: reach.filter_map(|(&tile, r)| Some((tile, percent(r.rate)?))).collect(),
        }
    }

    fn measure(&self, quantity: Quantity) -> Option<Value> {
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

/// The part of a window's games that reach a tile or more. A window lists the tiles at which games
/// ended; those that ended higher count, too.
pub(crate) fn reach(window: &Window, tile: u64) -> f64 {
    window.reach.range(tile..).next().map_or(0.0, |(_, &part)| part)
}

impl Trained {
    /// Measures a quantity.
    pub fn measure(&self, quantity: Quantity, form: &Form) -> Measured {
        Measured {
            training: self.in_training(quantity, form),
            played: self.finished.played.as_ref().and_then(|played| played.measure(quantity)),
        }
    }

    /// The curve in blocks of games, the last one first.
    pub(crate) fn blocks(&self, form: &Form) -> impl Iterator<Item = &[Window]> {
        self.windows.rchunks((form.block / form.window).max(1) as usize)
    }

    fn in_training(&self, quantity: Quantity, form: &Form) -> Option<Value> {
        let last = self.blocks(form).next()?;
        let most = |windows: &[Window]| windows.iter().map(|window| window.max).reduce(f64::max);
        let reached = |block: &[Window], tile| {
            let games = (block.len() as u64 * form.window) as f64;
            let parts: f64 = block.iter().map(|window| reach(window, tile)).sum();
            Value::percent(parts * form.window as f64, games)
        };
        match quantity {
            Quantity::Reach(tile) => reached(last, tile),
            Quantity::BestReach(tile) => {
                let rates = self.blocks(form).filter_map(|block| reached(block, tile));
                // The best of many has no interval of its own.
                rates.map(|rate| rate.value).reduce(f64::max).map(Value::exact)
            }
            Quantity::Mean => {
                let means: Vec<f64> = last.iter().map(|window| window.mean).collect();
                let Summary { mean, ci95, .. } = Summary::of(&means)?;
                Some(Value { value: mean, ci95 })
            }
            Quantity::Max => most(last).map(Value::exact),
            Quantity::BestScore => most(&self.windows).map(Value::exact),
            Quantity::Speed => {
                Some(Value::exact(self.finished.cost.moves as f64 / self.finished.cost.seconds))
            }
            Quantity::Memory => self.training.mebibytes(form).map(Value::exact),
            Quantity::Named(_)
            | Quantity::Part(_)
            | Quantity::Decimal(_)
            | Quantity::Weight
            | Quantity::Lines => None,
            // Of searches, not of trainings.
            Quantity::Time | Quantity::TimeSaved => None,
            Quantity::StatesSaved | Quantity::Growth => None,
        }
    }
}

impl Training {
    /// The memory of its weights.
    pub(crate) fn mebibytes(&self, form: &Form) -> Option<f64> {
        let game = Twenty48::standard();
        let words = [Pattern::Word(self.tuples(form).to_owned())];
        let tuples = patterns::tuples(&game, &words).ok()?;
        Some(Network::<Twenty48>::bytes(&tuples) as f64 / f64::from(1 << 20))
    }
}
