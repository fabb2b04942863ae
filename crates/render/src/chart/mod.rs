//! Charts of curves and comparisons, for files, the page and a terminal.
//!
//! ```
//! use afterstate_render::chart::{Axis, Chart, Line};
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
//! # Ok::<(), afterstate_render::RenderError>(())
//! ```
//!
//! Points that no axis can show (not finite, or not positive on a logarithmic axis) are skipped.

mod comparison;
mod downsample;
mod layout;
mod scale;
mod terminal;
#[cfg(test)]
mod tests;
mod ticks;

pub use comparison::{Compared, Comparison, Measured};

use serde::{Deserialize, Serialize};

use crate::RenderError;

/// Curves over one pair of axes.
///
/// ```
/// use afterstate_render::chart::{Axis, Chart, Line};
///
/// let points = (1..100).map(|x| (f64::from(x), f64::from(x).ln())).collect();
/// let chart = Chart {
///     title: "A curve".to_owned(),
///     x: Axis::linear("games, thousands"),
///     y: Axis::linear("score"),
///     lines: vec![Line::new("agent", points)],
///     note: None,
/// };
/// assert!(chart.svg()?.contains("A curve"));
/// assert!(chart.png()?.starts_with(b"\x89PNG"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// What the chart shows.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves, in the order of the legend.
    pub lines: Vec<Line>,
    /// Small text below: the command, the seed, the machine.
    pub note: Option<String>,
}

/// One axis, linear or logarithmic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// The quantity and its unit.
    pub label: String,
    /// Whether the axis is logarithmic.
    pub log: bool,
}

/// One curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Its name in the legend; an empty name is left out of it.
    pub name: String,
    /// The points (x, y), joined in this order.
    pub points: Vec<(f64, f64)>,
    /// Low and high end at each point, such as a 95% interval; not shown in terminals.
    pub band: Option<Vec<(f64, f64)>>,
    /// Whether the curve is dashed, as published and exact values are.
    pub dashed: bool,
    /// Places on the curve, such as the beginnings of phases: x and a label. Not shown in terminals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<(f64, String)>,
    /// The tile that it stands for: a tile has the same colour in all charts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tile: Option<u64>,
}

impl Axis {
    /// A linear axis.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), log: false }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), log: true }
    }
}

impl Line {
    /// A solid curve without a band.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Line {
        Line { name: name.into(), points, ..Line::default() }
    }

    /// The curve of a tile, in its colour.
    pub fn of_tile(tile: u64, points: Vec<(f64, f64)>) -> Line {
        Line { tile: Some(tile), ..Line::new(tile.to_string(), points) }
    }
}

impl Chart {
    /// The chart as an SVG file of 800 by 480 pixels. The same data give the same bytes.
    pub fn svg(&self) -> Result<String, RenderError> {
        Ok(layout::canvas(self)?.svg(&self.title))
    }

    /// The chart as a PNG file of 1600 by 960 pixels.
    pub fn png(&self) -> Result<Vec<u8>, RenderError> {
        layout::canvas(self)?.png(2.0)
    }

    /// The curves in braille characters, without colour, in at most `height` rows of at most
    /// `width` columns. What does not fit is left out, labels first.
    pub fn terminal(&self, width: usize, height: usize) -> String {
        terminal::draw(self, width, height)
    }
}
