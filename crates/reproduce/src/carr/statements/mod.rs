//! What the thesis says of its figures, each sentence decided by the measured ones.

mod contour;
mod melax;
mod studies;

use crate::verdict::not;

pub use contour::FIGURES_OF_OTHER_PAGES;
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

/// The standard deviation of single games at a point of a curve, from its interval: the mean over fifty seeds, one
/// game each.
fn deviation(point: Value) -> f64 {
    // The quantile of Student's distribution with 49 degrees of freedom.
    let (low, high) = point.ends();
    (high - low) / (2.0 * 2.0096) * 50.0_f64.sqrt()
}

/// The same beside their mean.
fn scatter(figures: &Figures, name: &str) -> Option<f64> {
    let points = curve(figures, name)?.into_iter().filter(|point| point.1.value > 0.0);
    let parts = points.map(|point| deviation(point.1) / point.1.value);
    let (sum, count) = parts.fold((0.0, 0.0), |(sum, count), part| (sum + part, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

/// The largest part of the games of a curve after some game that can have fewer rows than a level, where none has more
/// than `most`: what games lack of that has a mean and a mean square, by which few lack much and few lack a little.
fn most_below(figures: &Figures, name: &str, after: f64, level: f64, most: f64) -> Option<f64> {
    let points: Vec<Value> =
        curve(figures, name)?.iter().filter(|point| point.0 > after).map(|point| point.1).collect();
    let count = (!points.is_empty()).then_some(points.len() as f64)?;
    let mean = points.iter().map(|point| most - point.value).sum::<f64>() / count;
    let square =
        |point: &Value| (most - point.value).powi(2) + deviation(*point).powi(2) * 49.0 / 50.0;
    let square = points.iter().map(square).sum::<f64>() / count;
    // The games that lack most: as many as can be lack just what is between, the others everything.
    let least = most - level;
    let all = (square - least * mean) / (most * (most - least));
    Some((mean - most * all) / least + all)
}

/// Whether a curve falls to its end by the same part from game to game, until some game: the logarithms of
/// what is left lie on a line, closer than what is left itself.
fn exponential(figures: &Figures, name: &str, until: f64) -> Option<bool> {
    let curve = curve(figures, name)?;
    let end = mean(curve[curve.len() - curve.len().div_ceil(10)..].iter())?.value;
    let left: Vec<(f64, f64)> = curve
        .iter()
        .filter(|point| point.0 <= until && point.1.value > end)
        .map(|point| (point.0, point.1.value - end))
        .collect();
    let logarithms: Vec<(f64, f64)> = left.iter().map(|&(game, rows)| (game, rows.ln())).collect();
    let (line, of_rows) = (correlation(&logarithms)?, correlation(&left)?);
    Some(line < -0.99 && line < of_rows)
}

/// The correlation of pairs; none of fewer than three.
fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let count = (pairs.len() > 2).then_some(pairs.len() as f64)?;
    let average = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
    let (x, y) = (average(|pair| pair.0), average(|pair| pair.1));
    let sum = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>();
    let both = sum(&|pair| (pair.0 - x) * (pair.1 - y));
    let squares = sum(&|pair| (pair.0 - x).powi(2)) * sum(&|pair| (pair.1 - y).powi(2));
    Some(both / squares.sqrt())
}

/// Whether a curve improves by less than a tenth from some games on until a hundred games.
fn settled_after(figures: &Figures, name: &str, game: f64) -> Option<bool> {
    let early = between(figures, name, game, game + 10.0)?;
    not(early.above(between(figures, name, 90.0, 100.0)?.times(1.0 + ARRIVED)))
}
