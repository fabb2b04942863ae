//! Charts: laid out once, for files, the page, the README and a terminal.
//!
//! ```
//! use afterstate_lab::chart::{Axis, Chart, Line};
//! let points = (0..100).map(|i| (f64::from(i), f64::from(i * i))).collect();
//! let chart = Chart {
//!     title: "Score of 2048".into(),
//!     x: Axis::linear("episodes"),
//!     y: Axis::linear("mean score"),
//!     lines: vec![Line::new("TD(0)", points)],
//!     note: None,
//! };
//! assert!(chart.svg()?.starts_with("<svg "));
//! assert!(chart.terminal(60, 15).contains("Score of 2048"));
//! # Ok::<(), afterstate_lab::chart::ChartError>(())
//! ```
//!
//! Points that no axis can show (not finite, or not positive on a logarithmic axis) are skipped:
//! a curve with a hole in it is worth more than none.

mod comparison;
mod scale;
mod scene;
mod terminal;
#[cfg(test)]
mod tests;
mod thin;
mod ticks;

pub use comparison::{Compared, Comparison, Measured};

pub use crate::drawing::DrawingError as ChartError;

use crate::drawing::plain;

/// Curves over one pair of axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// What the chart shows.
    pub title: String,
    /// The axis across.
    pub x: Axis,
    /// The axis up.
    pub y: Axis,
    /// The curves, in the order of the legend.
    pub lines: Vec<Line>,
    /// Small print below: the command, the seed, the machine.
    pub note: Option<String>,
}

/// One axis: what it measures, and whether by powers of ten.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What is measured, with its unit.
    pub label: String,
    /// Equal ratios, not equal differences, are equally far apart.
    pub log: bool,
}

/// One curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Its name in the legend; an empty name stays out of it.
    pub name: String,
    /// The points (x, y), joined in this order.
    pub points: Vec<(f64, f64)>,
    /// Low and high end at each point, such as a 95% interval; pictures show it, terminals do not.
    pub band: Option<Vec<(f64, f64)>>,
    /// Drawn in dashes, as published or exact values are.
    pub dashed: bool,
}

impl Axis {
    /// An axis on which equal differences are equally far apart.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), log: false }
    }

    /// An axis on which equal ratios are equally far apart.
    pub fn log(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), log: true }
    }
}

impl Line {
    /// A solid curve without a band.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Line {
        Line { name: name.into(), points, ..Line::default() }
    }
}

impl Chart {
    /// The chart as an SVG file of 800 by 480 pixels with a background of its own. The same data
    /// give the same bytes.
    pub fn svg(&self) -> Result<String, ChartError> {
        Ok(scene::layout(self)?.svg(&self.title))
    }

    /// The same picture as a PNG file of 1600 by 960 pixels.
    pub fn png(&self) -> Result<Vec<u8>, ChartError> {
        scene::layout(self)?.png(2.0)
    }

    /// The curves in Unicode's braille dots, without colour, in at most `height` rows of at most
    /// `width` columns. What does not fit is left out, labels first.
    pub fn terminal(&self, width: usize, height: usize) -> String {
        terminal::draw(self, width, height)
    }
}
