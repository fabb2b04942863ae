//! Figures of trainings: means over the seeds, with intervals over the trainings.

use afterstate_train::Window;

use super::training::Trained;
use crate::Scale;
use crate::cache::TrainedRun;
use crate::experiment::Quantity;
use crate::measure::Value;
use crate::report::Unit;

/// The mean score of the block of games in the middle of a training.
pub(super) const HALFWAY: Quantity = Quantity::Named("mean score halfway");

/// A figure in training, and of games without learning.
pub(super) type Both = (Option<Value>, Option<Value>);

/// The fraction of a window's games that reach a tile or more. A window lists the largest tiles of
/// its games; those above the tile count, too.
pub(super) fn reach(window: &Window, tile: u64) -> f64 {
    window.reach.range(tile..).next().map_or(0.0, |(_, &part)| part)
}

fn percent(block: &[Window], tile: u64) -> f64 {
    let parts: f64 = block.iter().map(|window| reach(window, tile)).sum();
    100.0 * parts / block.len() as f64
}

fn mean(block: &[Window]) -> f64 {
    block.iter().map(|window| window.mean).sum::<f64>() / block.len() as f64
}

/// A quantity of one training.
fn in_training(run: &TrainedRun, scale: Scale, quantity: Quantity) -> Option<f64> {
    // The last block first.
    let mut blocks = run.windows.rchunks(scale.block());
    let max = |windows: &[Window]| windows.iter().map(|window| window.max).reduce(f64::max);
    let last = blocks.clone().next()?;
    let cost = &run.finished.cost;
    match quantity {
        Quantity::Reach(tile) => Some(percent(last, tile)),
        Quantity::BestReach(tile) => blocks.map(|block| percent(block, tile)).reduce(f64::max),
        Quantity::Mean => Some(mean(last)),
        HALFWAY => blocks.nth(blocks.len() / 2).map(mean),
        Quantity::Max => max(last),
        Quantity::BestScore => max(&run.windows),
        Quantity::Speed => Some(cost.moves as f64 / cost.seconds),
        _ => None,
    }
}

fn played(run: &TrainedRun, quantity: Quantity) -> Option<f64> {
    Some(run.finished.played.as_ref()?.measure(quantity)?.value)
}

/// The mean of some figures with its interval; none if one is missing.
fn over_seeds(figures: impl Iterator<Item = Option<f64>>, unit: Unit) -> Option<Value> {
    let figures: Vec<f64> = figures.collect::<Option<_>>()?;
    let mean = Value::mean(&figures);
    let inside = |(low, high): (f64, f64)| match unit {
        Unit::Percent => (low.max(0.0), high.min(100.0)),
        _ => (low.max(0.0), high),
    };
    (!figures.is_empty()).then_some(Value { ci95: mean.ci95.map(inside), ..mean })
}

impl Trained {
    /// The mean of a quantity over the seeds.
    pub(super) fn measure(&self, quantity: Quantity) -> Both {
        if quantity == Quantity::Memory {
            return (Some(Value::exact(self.mebibytes)), None);
        }
        let (runs, unit) = (|| self.runs.iter(), quantity.unit());
        let training = runs().map(|run| in_training(run, self.scale, quantity));
        (over_seeds(training, unit), over_seeds(runs().map(|run| played(run, quantity)), unit))
    }

    /// How much more of a quantity another training has: the mean over pairs with the same seed.
    pub(super) fn lacks(&self, other: &Trained, quantity: Quantity) -> Both {
        let pairs = || other.runs.iter().zip(&self.runs);
        let mean = |differences: Option<Vec<f64>>| differences.map(|all| Value::difference(&all));
        let training = pairs().map(|(more, less)| {
            Some(
                in_training(more, self.scale, quantity)? - in_training(less, self.scale, quantity)?,
            )
        });
        let played =
            pairs().map(|(more, less)| Some(played(more, quantity)? - played(less, quantity)?));
        (mean(training.collect()), mean(played.collect()))
    }
}
