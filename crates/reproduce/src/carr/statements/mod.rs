//! What the thesis says of its figures, each sentence decided by the measured ones.

mod contour;
mod melax;
mod studies;

use crate::verdict::not;

pub(super) use contour::*;
pub(super) use melax::*;
pub(super) use studies::*;

use crate::experiment::Quantity;
use crate::measure::Value;
use crate::verdict::Figures;

/// Figures that differ by less than this part count as the same, as in every verdict.
const SAME: f64 = 0.05;

/// The part of a level within which a curve has arrived there, as in the rows of this thesis.
const ARRIVED: f64 = 0.1;

/// A figure of games without learning.
fn played(figures: &Figures, case: &str, quantity: Quantity) -> Option<Value> {
    figures.played(case, quantity)
}

/// The points of a curve of the first chart, each with the interval over the seeds.
fn curve(figures: &Figures, name: &str) -> Option<Vec<(f64, Value)>> {
    let lines = &figures.0.charts.first()?.chart.as_ref()?.lines;
    let line = lines.iter().find(|line| line.name == name)?;
    let ends = |at: usize| line.band.as_ref().and_then(|band| band.get(at).copied());
    let points = line.points.iter().enumerate();
    Some(points.map(|(at, point)| (point.0, Value::within(point.1, ends(at)))).collect())
}

/// The mean of some points, and of the ends of their intervals.
fn mean<'a>(points: impl Iterator<Item = &'a (f64, Value)>) -> Option<Value> {
    let (mut sum, mut low, mut high, mut count) = (0.0, 0.0, 0.0, 0.0);
    for (_, value) in points {
        let ends = value.ends();
        (sum, low, high) = (sum + value.value, low + ends.0, high + ends.1);
        count += 1.0;
    }
    (count > 0.0).then(|| Value::within(sum / count, Some((low / count, high / count))))
}

/// The mean of a curve of the first chart between two games, the later one included.
fn between(figures: &Figures, name: &str, after: f64, until: f64) -> Option<Value> {
    let inside = |point: &&(f64, Value)| point.0 > after && point.0 <= until;
    mean(curve(figures, name)?.iter().filter(inside))
}

/// The first rows of a curve: those of its first point.
fn first(figures: &Figures, name: &str) -> Option<Value> {
    Some(curve(figures, name)?.first()?.1)
}

/// The games after which a falling curve is within a tenth of its end, the last fifth.
fn arrival(figures: &Figures, name: &str) -> Option<f64> {
    let curve = curve(figures, name)?;
    let end = mean(curve[curve.len() - curve.len().div_ceil(5)..].iter())?.value;
    curve.iter().find(|point| point.1.value <= (1.0 + ARRIVED) * end).map(|point| point.0)
}

/// Whether a curve improves by less than a tenth from some games on until a hundred games.
fn settled_after(figures: &Figures, name: &str, game: f64) -> Option<bool> {
    let early = between(figures, name, game, game + 10.0)?;
    not(early.above(between(figures, name, 90.0, 100.0)?.times(1.0 + ARRIVED)))
}
