//! What the thesis says of its figures, each sentence decided by the measured ones.

mod contour;
mod melax;
mod studies;

pub(super) use contour::*;
pub(super) use melax::*;
pub(super) use studies::*;

use super::ROWS;
use crate::experiment::Quantity;
use crate::verdict::Figures;

/// Figures that differ by less than this part count as the same, as in every verdict.
const SAME: f64 = 0.05;

/// The part of a level within which a curve has arrived there, as in the rows of this thesis.
const ARRIVED: f64 = 0.1;

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * a.abs().max(b.abs())
}

/// A figure of games without learning; bounds from below count as figures.
fn played(figures: &Figures, case: &str, quantity: Quantity) -> Option<f64> {
    Some(figures.0.row(case, &quantity.to_string())?.played?.value)
}

/// The mean of a curve of the first chart between two games, the later one included.
fn between(figures: &Figures, name: &str, after: f64, until: f64) -> Option<f64> {
    let lines = &figures.0.charts.first()?.chart.as_ref()?.lines;
    let curve = lines.iter().find(|line| line.name == name)?;
    let points = curve.points.iter().filter(|point| point.0 > after && point.0 <= until);
    let (sum, count) = points.fold((0.0, 0.0), |(sum, count), point| (sum + point.1, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

/// The first rows of a curve: those of its first point.
fn first(figures: &Figures, name: &str) -> Option<f64> {
    let lines = &figures.0.charts.first()?.chart.as_ref()?.lines;
    Some(lines.iter().find(|line| line.name == name)?.points.first()?.1)
}

/// Whether a curve improves by less than a tenth from some games on until a hundred games.
fn settled_after(figures: &Figures, name: &str, game: f64) -> Option<bool> {
    let early = between(figures, name, game, game + 10.0)?;
    Some(early <= (1.0 + ARRIVED) * between(figures, name, 90.0, 100.0)?)
}

fn all(sides: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    sides.into_iter().try_fold(true, |all, one| Some(all && one?))
}

/// Whether one case has more rows than another, with intervals that do not overlap.
fn distinctly_more(figures: &Figures, case: &str, than: &str) -> Option<bool> {
    let value = |case: &str| {
        let row = figures.0.row(case, &ROWS.to_string())?;
        row.measured.or(row.played)
    };
    let low = value(case).map(|value| value.ci95.map_or(value.value, |ends| ends.0))?;
    let high = value(than).map(|value| value.ci95.map_or(value.value, |ends| ends.1))?;
    Some(low > high)
}
