//! Figures of trainings: means over the seeds, with intervals over the trainings.

use afterstate_train::Window;
use afterstate_train::learners::ntuple::patterns::NAMED;

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

/// The blocks at the end of each training whose maxima are taken: a thirtieth of it, in which it learns
/// little more.
const LAST_BLOCKS: usize = 10;

/// The maximum of each of the last blocks of a training.
fn maxima(run: &TrainedRun, scale: Scale) -> impl Iterator<Item = Option<f64>> {
    let blocks = run.windows.rchunks(scale.block()).take(LAST_BLOCKS);
    blocks.map(|block| block.iter().map(|window| window.max).reduce(f64::max))
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
        if quantity == Quantity::Maxima {
            return (over_seeds(runs().flat_map(|run| maxima(run, self.scale)), unit), None);
        }
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

/// Whether a tuple lies inside of another one or of one of its images on the board of 4x4.
fn inside(small: &str, large: &str) -> bool {
    let cells =
        |tuple: &str| -> Vec<u32> { tuple.chars().filter_map(|c| c.to_digit(16)).collect() };
    let (small, large) = (cells(small), cells(large));
    (0..8).any(|image| {
        let moved = |&cell: &u32| {
            let (row, column) = (cell / 4, cell % 4);
            let (row, column) = if image & 1 == 0 { (row, column) } else { (column, row) };
            let row = if image & 2 == 0 { row } else { 3 - row };
            4 * row + if image & 4 == 0 { column } else { 3 - column }
        };
        let large: Vec<u32> = large.iter().map(moved).collect();
        small.iter().all(|cell| large.contains(cell))
    })
}

/// Whether the two tuples of six cells that replaced the straight lines contain these, and none of
/// the rectangles.
pub(super) fn lines_are_covered_and_rectangles_are_not() -> Option<bool> {
    let of = |name| NAMED.iter().find(|named| named.0 == name).map(|named| named.1);
    let (new, lines, old) = (of("4x6")?, of("lines")?, of("lines-rectangles")?);
    // Both sets have the rectangles.
    let (bent, rectangles): (Vec<&str>, Vec<&str>) = new.iter().partition(|one| !old.contains(one));
    let covered = |tuple: &str| bent.iter().any(|bent| inside(tuple, bent));
    Some(lines.iter().all(|line| covered(line)) && !rectangles.iter().any(|one| covered(one)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuples_lie_inside_of_images() {
        // The left column lies in an image of a tuple with the upper row; a corner square does not lie
        // in a line, nor a row in two columns of three cells.
        assert!(inside("048c", "012345") && inside("0123", "012345"));
        assert!(!inside("0145", "0123") && !inside("0123", "012456"));
        assert_eq!(lines_are_covered_and_rectangles_are_not(), Some(true));
    }
}
