//! The layout of a chart on a canvas.

use super::downsample::{band_outline, downsampled};
use super::scale::{ROUND_STEPS, Scale};
use super::ticks::{Tick, fitting, ticks};
use super::{Chart, Line};
use crate::RenderError;
use crate::canvas::{Canvas, Font, Point, Typeface};
use crate::palette::{CHART_MUTED, CHART_TEXT, Color, GRID, SERIES, WHITE, tile_curve};

/// The picture in pixels of its SVG file.
pub(super) const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 480.0;

pub(super) const TITLE: Font = Font { size: 18.0, bold: true };
pub(super) const LABEL: Font = Font { size: 13.0, bold: false };
pub(super) const SMALL: Font = Font { size: 12.0, bold: false };
const NOTE: Font = Font { size: 11.0, bold: false };

pub(super) const MARGIN: f64 = 20.0;
/// The width between the margins.
pub(super) const TEXT_WIDTH: f64 = WIDTH - 2.0 * MARGIN;
const SWATCH: f64 = 22.0;
const LEGEND_ROWS: usize = 4;
/// Width reserved for "and 9 more" in the last row of the legend.
const REST: f64 = 120.0;
/// Curves of up to this many points show each of them.
const MAX_DOTS: usize = 30;

pub(super) fn canvas(chart: &Chart) -> Result<Canvas, RenderError> {
    let mut layout = Layout::new(HEIGHT)?;
    let top = layout.heading(chart);
    let bottom = layout.footing(chart);
    let (x, y) = chart.scales();
    let plot = layout.axes((x, y), top, bottom);
    layout.x_label(chart, &plot, bottom);
    let mut empty = true;
    for (line, color) in colored(chart) {
        layout.band(chart, line, color, &plot);
    }
    for (line, color) in colored(chart) {
        empty &= !layout.curve(chart, line, color, &plot);
    }
    for (number, (line, color)) in colored(chart).enumerate() {
        layout.marks(chart, line, color, &plot, number);
    }
    if empty {
        let middle = f64::midpoint(plot.left, plot.right);
        let middle = (middle, f64::midpoint(top, bottom));
        layout.canvas.text("no data", middle, 0.5, LABEL, CHART_MUTED);
    }
    Ok(layout.canvas)
}

fn colored<'a>(chart: &'a Chart) -> impl Iterator<Item = (&'a Line, Color)> {
    let colored = |(line, color): (&'a Line, Color)| (line, line.tile.map_or(color, tile_curve));
    chart.lines.iter().zip(SERIES.into_iter().cycle()).map(colored)
}

/// The rectangle of the curves, and the scales of its axes.
struct Plot {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Scale,
    y: Scale,
}

impl Plot {
    fn x_at(&self, place: f64) -> f64 {
        self.left + place * (self.right - self.left)
    }

    fn y_at(&self, place: f64) -> f64 {
        self.bottom - place * (self.bottom - self.top)
    }
}

/// A canvas, and the typeface to measure texts with.
pub(super) struct Layout {
    pub(super) typeface: Typeface,
    pub(super) canvas: Canvas,
}

impl Layout {
    pub(super) fn new(height: f64) -> Result<Layout, RenderError> {
        let canvas = Canvas::new(WIDTH, height, WHITE);
        Ok(Layout { typeface: Typeface::embedded()?, canvas })
    }

    pub(super) fn line(&mut self, from: Point, to: Point, color: Color, width: f64) {
        self.canvas.polyline(vec![from, to], color, width, false);
    }

    /// The title below `y`, in at most two rows; returns its baseline.
    pub(super) fn title(&mut self, title: &str, mut y: f64, row_height: f64) -> f64 {
        for row in self.typeface.wrap(TITLE, title, TEXT_WIDTH, 2) {
            y += row_height;
            self.canvas.text(&row, (MARGIN, y), 0.0, TITLE, CHART_TEXT);
        }
        y
    }

    /// At most `max` ticks of a horizontal axis, so that their labels have gaps between them.
    pub(super) fn x_ticks(
        &self,
        scale: &Scale,
        max: usize,
        gap: f64,
        x_at: impl Fn(f64) -> f64,
    ) -> Vec<Tick> {
        let half = |tick: &Tick| self.typeface.width(SMALL, &tick.label) / 2.0;
        let apart = |a: &Tick, b: &Tick| x_at(b.place) - x_at(a.place) >= half(a) + half(b) + gap;
        fitting(scale, max, |ticks| ticks.windows(2).all(|pair| apart(&pair[0], &pair[1])))
    }

    /// Title, legend and the label of the vertical axis; returns the top of the plot.
    fn heading(&mut self, chart: &Chart) -> f64 {
        let y = self.title(&chart.title, MARGIN - 4.0, 23.0);
        let mut y = self.legend(chart, y + 4.0);
        let label = self.typeface.fit(SMALL, &chart.y.label, TEXT_WIDTH);
        if !label.is_empty() {
            y += 22.0;
            self.canvas.text(&label, (MARGIN, y), 0.0, SMALL, CHART_MUTED);
        }
        y + 14.0
    }

    /// Names beside samples of their curves, in rows; returns the bottom.
    fn legend(&mut self, chart: &Chart, top: f64) -> f64 {
        let named = colored(chart).filter(|(line, _)| !line.name.trim().is_empty());
        let named: Vec<_> = named.collect();
        let (mut x, mut y, mut row) = (MARGIN, top + 18.0, 1);
        for (i, (line, color)) in named.iter().enumerate() {
            let name = self.typeface.fit(LABEL, &line.name, TEXT_WIDTH - SWATCH - 7.0 - REST);
            let width = SWATCH + 7.0 + self.typeface.width(LABEL, &name);
            let last = i + 1 == named.len();
            let keep = if row == LEGEND_ROWS && !last { REST } else { 0.0 };
            if x > MARGIN && x + width + keep > WIDTH - MARGIN {
                if row == LEGEND_ROWS {
                    let rest = format!("and {} more", named.len() - i);
                    self.canvas.text(&rest, (x, y), 0.0, LABEL, CHART_MUTED);
                    break;
                }
                (x, y, row) = (MARGIN, y + 20.0, row + 1);
            }
            let points = vec![(x, y - 4.5), (x + SWATCH, y - 4.5)];
            self.canvas.polyline(points, *color, 3.0, line.dashed);
            self.canvas.text(&name, (x + SWATCH + 7.0, y), 0.0, LABEL, CHART_TEXT);
            x += width + 20.0;
        }
        if named.is_empty() { top } else { y }
    }

    /// The note; returns the bottom of the horizontal axis, its labels included.
    fn footing(&mut self, chart: &Chart) -> f64 {
        let rows =
            self.typeface.wrap(NOTE, chart.note.as_deref().unwrap_or_default(), TEXT_WIDTH, 3);
        let space = if rows.is_empty() { 0.0 } else { 7.0 };
        let mut y = HEIGHT - MARGIN + 6.0;
        for row in rows.into_iter().rev() {
            self.canvas.text(&row, (MARGIN, y), 0.0, NOTE, CHART_MUTED);
            y -= 15.0;
        }
        y - space - if chart.x.label.trim().is_empty() { 10.0 } else { 30.0 }
    }

    /// Grid, ticks and tick labels.
    fn axes(&mut self, (x, y): (Scale, Scale), top: f64, bottom: f64) -> Plot {
        let y_ticks = ticks(&y, ROUND_STEPS);
        let widest = y_ticks.iter().map(|tick| self.typeface.width(SMALL, &tick.label));
        let left = MARGIN + widest.fold(0.0, f64::max).min(WIDTH / 4.0) + 8.0;
        let bottom = (bottom - 10.0).round();
        let mut plot = Plot { left, right: WIDTH - MARGIN - 10.0, top, bottom, x, y };
        let x_ticks = self.x_ticks(&x, 9, 20.0, |place| plot.x_at(place));
        // The label below the right end extends to both sides.
        if let Some(last) = x_ticks.last() {
            let half = self.typeface.width(SMALL, &last.label) / 2.0;
            let excess = plot.x_at(last.place) + half - (WIDTH - 6.0);
            plot.right -= excess.max(0.0);
        }
        // A line of one pixel is sharp where it covers exactly one row of pixels.
        let sharp = |place: f64| place.floor() + 0.5;
        for tick in &x_ticks {
            let x = plot.x_at(tick.place);
            self.line((sharp(x), top), (sharp(x), bottom), GRID, 1.0);
            self.canvas.text(&tick.label, (x, bottom + 18.0), 0.5, SMALL, CHART_MUTED);
        }
        for tick in &y_ticks {
            let y = plot.y_at(tick.place);
            self.line((left, sharp(y)), (plot.right, sharp(y)), GRID, 1.0);
            let label = self.typeface.fit(SMALL, &tick.label, left - MARGIN);
            self.canvas.text(&label, (left - 8.0, y + 4.2), 1.0, SMALL, CHART_MUTED);
        }
        self.line((left, sharp(bottom)), (plot.right, sharp(bottom)), CHART_MUTED, 1.0);
        plot
    }

    fn x_label(&mut self, chart: &Chart, plot: &Plot, bottom: f64) {
        let label = self.typeface.fit(SMALL, &chart.x.label, TEXT_WIDTH);
        if label.is_empty() {
            return;
        }
        // Centred below the plot, unless it is wider than the plot.
        let half = self.typeface.width(SMALL, &label) / 2.0;
        let middle = f64::midpoint(plot.left, plot.right);
        let middle = middle.clamp(MARGIN + half, (WIDTH - MARGIN - half).max(MARGIN + half));
        self.canvas.text(&label, (middle, bottom + 28.0), 0.5, SMALL, CHART_MUTED);
    }

    fn band(&mut self, chart: &Chart, line: &Line, color: Color, plot: &Plot) {
        let place = |(x, low, high)| {
            let (low, high) = (plot.y.place(low), plot.y.place(high));
            (plot.x_at(plot.x.place(x)), plot.y_at(low), plot.y_at(high))
        };
        let band: Vec<_> = line.band_coordinates(chart).map(place).collect();
        if band.len() > 1 {
            self.canvas.polygon(band_outline(&band), color, 0.18);
        } else if let [(x, low, high)] = band[..] {
            self.line((x, low), (x, high), color, 1.0);
        }
    }

    /// A diamond on the curve at each mark, with its label above; those of later curves lie higher.
    fn marks(&mut self, chart: &Chart, line: &Line, color: Color, plot: &Plot, number: usize) {
        let place = |(x, y)| (plot.x_at(plot.x.place(x)), plot.y_at(plot.y.place(y)));
        let above = 11.0 + 14.0 * (number % 4) as f64;
        for (at, label) in &line.marks {
            let distance = |point: &(f64, f64)| (point.0 - at).abs();
            let nearest =
                line.coordinates(chart).min_by(|a, b| distance(a).total_cmp(&distance(b)));
            let Some((x, y)) = nearest.map(place) else { return };
            let diamond = [(x - 6.0, y), (x, y - 6.0), (x + 6.0, y), (x, y + 6.0)];
            self.canvas.polygon(diamond.to_vec(), color, 1.0);
            let label = self.typeface.fit(SMALL, label, plot.right - plot.left);
            let half = self.typeface.width(SMALL, &label) / 2.0;
            let middle = x.clamp(plot.left + half, (plot.right - half).max(plot.left + half));
            self.canvas.text(&label, (middle, (y - above).max(plot.top + 11.0)), 0.5, SMALL, color);
        }
    }

    /// Returns whether the curve has any points to draw.
    fn curve(&mut self, chart: &Chart, line: &Line, color: Color, plot: &Plot) -> bool {
        let place = |(x, y)| (plot.x_at(plot.x.place(x)), plot.y_at(plot.y.place(y)));
        let points: Vec<_> = line.coordinates(chart).map(place).collect();
        let count = points.len();
        if count > 1 {
            self.canvas.polyline(downsampled(&points), color, 2.0, line.dashed);
        }
        if count == 1 || (2..=MAX_DOTS).contains(&count) && !line.dashed {
            let radius = if count == 1 { 4.0 } else { 3.0 };
            self.canvas.circles(points, color, radius);
        }
        count > 0
    }
}
