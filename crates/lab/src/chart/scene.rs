//! The layout of a picture: what is drawn where, before it becomes SVG or PNG.

use super::scale::{ROUND_STEPS, Scale};
use super::thin::{outline, thinned};
use super::ticks::{Tick, fitting, ticks};
use super::{Chart, ChartError, Line};
use crate::drawing::{Color, Font, Mark, Point, Sheet, Typeface, plain};

/// The picture in pixels of its SVG file.
const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 480.0;

/// Okabe and Ito's colours, told apart by colour-blind readers, without the yellow that white
/// swallows.
const PALETTE: [Color; 7] = [
    Color([0x00, 0x72, 0xb2]),
    Color([0xd5, 0x5e, 0x00]),
    Color([0x00, 0x9e, 0x73]),
    Color([0xcc, 0x79, 0xa7]),
    Color([0xe6, 0x9f, 0x00]),
    Color([0x56, 0xb4, 0xe9]),
    Color([0x33, 0x33, 0x33]),
];
const PAPER: Color = Color([0xff, 0xff, 0xff]);
const INK: Color = Color([0x1f, 0x29, 0x37]);
const GREY: Color = Color([0x5b, 0x64, 0x72]);
const GRID: Color = Color([0xe3, 0xe6, 0xea]);

const TITLE: Font = Font { size: 18.0, bold: true };
const LABEL: Font = Font { size: 13.0, bold: false };
const SMALL: Font = Font { size: 12.0, bold: false };
const NOTE: Font = Font { size: 11.0, bold: false };

const MARGIN: f64 = 20.0;
const SWATCH: f64 = 22.0;
const LEGEND_ROWS: usize = 4;
/// Room to say how many names the last row of the legend lacks.
const REST: f64 = 120.0;
/// Up to so many points are worth a dot each.
const DOTTED: usize = 30;

/// Everything in a chart's picture.
pub(super) fn layout(chart: &Chart) -> Result<Sheet, ChartError> {
    let mut page = Page { typeface: Typeface::embedded()?, marks: Vec::new() };
    let outline = vec![(0.0, 0.0), (WIDTH, 0.0), (WIDTH, HEIGHT), (0.0, HEIGHT)];
    page.marks.push(Mark::Area { outline, color: PAPER, opacity: 1.0 });
    let top = page.heading(chart);
    let bottom = page.footing(chart);
    let (x, y) = chart.scales();
    let frame = page.axes((x, y), top, bottom);
    page.x_label(chart, &frame, bottom);
    let mut empty = true;
    for (line, color) in colored(chart) {
        page.band(chart, line, color, &frame);
    }
    for (line, color) in colored(chart) {
        empty &= !page.curve(chart, line, color, &frame);
    }
    if empty {
        let middle = f64::midpoint(frame.left, frame.right);
        page.text("no data".into(), (middle, f64::midpoint(top, bottom)), 0.5, LABEL, GREY);
    }
    Ok(Sheet { width: WIDTH, height: HEIGHT, marks: page.marks })
}

fn colored(chart: &Chart) -> impl Iterator<Item = (&Line, Color)> {
    chart.lines.iter().zip(PALETTE.into_iter().cycle())
}

/// Where the axes stand.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Scale,
    y: Scale,
}

impl Frame {
    fn across(&self, place: f64) -> f64 {
        self.left + place * (self.right - self.left)
    }

    fn up(&self, place: f64) -> f64 {
        self.bottom - place * (self.bottom - self.top)
    }
}

struct Page {
    typeface: Typeface,
    marks: Vec<Mark>,
}

impl Page {
    fn text(&mut self, text: String, at: Point, anchor: f64, font: Font, color: Color) {
        self.marks.push(Mark::Text { text, at, anchor, font, color });
    }

    fn line(&mut self, from: Point, to: Point, color: Color) {
        let points = vec![from, to];
        self.marks.push(Mark::Curve { points, color, width: 1.0, dashed: false });
    }

    /// Title, legend and the label of the axis up; returns where the plot may begin.
    fn heading(&mut self, chart: &Chart) -> f64 {
        let mut y = MARGIN - 4.0;
        for row in self.typeface.wrap(TITLE, &plain(&chart.title), WIDTH - 2.0 * MARGIN, 2) {
            y += 23.0;
            self.text(row, (MARGIN, y), 0.0, TITLE, INK);
        }
        y = self.legend(chart, y + 4.0);
        let label = self.typeface.fit(SMALL, plain(&chart.y.label).trim(), WIDTH - 2.0 * MARGIN);
        if !label.is_empty() {
            y += 22.0;
            self.text(label, (MARGIN, y), 0.0, SMALL, GREY);
        }
        y + 14.0
    }

    /// Names beside samples of their curves, in rows.
    fn legend(&mut self, chart: &Chart, top: f64) -> f64 {
        let named = colored(chart).filter(|(line, _)| !line.name.trim().is_empty());
        let named: Vec<_> = named.collect();
        let (mut x, mut y, mut row) = (MARGIN, top + 18.0, 1);
        for (i, (line, color)) in named.iter().enumerate() {
            let room = WIDTH - 2.0 * MARGIN - SWATCH - 7.0 - REST;
            let name = self.typeface.fit(LABEL, plain(&line.name).trim(), room);
            let width = SWATCH + 7.0 + self.typeface.width(LABEL, &name);
            let last = i + 1 == named.len();
            let keep = if row == LEGEND_ROWS && !last { REST } else { 0.0 };
            if x > MARGIN && x + width + keep > WIDTH - MARGIN {
                if row == LEGEND_ROWS {
                    let rest = format!("and {} more", named.len() - i);
                    self.text(rest, (x, y), 0.0, LABEL, GREY);
                    break;
                }
                (x, y, row) = (MARGIN, y + 20.0, row + 1);
            }
            let points = vec![(x, y - 4.5), (x + SWATCH, y - 4.5)];
            let (color, dashed) = (*color, line.dashed);
            self.marks.push(Mark::Curve { points, color, width: 3.0, dashed });
            self.text(name, (x + SWATCH + 7.0, y), 0.0, LABEL, INK);
            x += width + 20.0;
        }
        if named.is_empty() { top } else { y }
    }

    /// The note; returns where the axis across, its labels included, must end.
    fn footing(&mut self, chart: &Chart) -> f64 {
        let note = plain(chart.note.as_deref().unwrap_or_default());
        let rows = self.typeface.wrap(NOTE, &note, WIDTH - 2.0 * MARGIN, 3);
        let mut y = HEIGHT - MARGIN + 6.0;
        for row in rows.into_iter().rev() {
            self.text(row, (MARGIN, y), 0.0, NOTE, GREY);
            y -= 15.0;
        }
        if !note.trim().is_empty() {
            y -= 7.0;
        }
        if chart.x.label.trim().is_empty() { y - 10.0 } else { y - 30.0 }
    }

    /// Grid, ticks and their labels.
    fn axes(&mut self, (x, y): (Scale, Scale), top: f64, bottom: f64) -> Frame {
        let ups = ticks(&y, ROUND_STEPS);
        let widest = ups.iter().map(|tick| self.typeface.width(SMALL, &tick.label));
        let left = MARGIN + widest.fold(0.0, f64::max).min(WIDTH / 4.0) + 8.0;
        let bottom = (bottom - 10.0).round();
        let mut frame = Frame { left, right: WIDTH - MARGIN - 10.0, top, bottom, x, y };
        let across = fitting(&x, 9, |ticks| self.apart(ticks, &frame));
        // A label below the right end needs room on both sides.
        if let Some(last) = across.last() {
            let half = self.typeface.width(SMALL, &last.label) / 2.0;
            let over = frame.across(last.place) + half - (WIDTH - 6.0);
            frame.right -= over.max(0.0);
        }
        // A thin line is sharp where it covers one row of pixels.
        let sharp = |place: f64| place.floor() + 0.5;
        for tick in &across {
            let x = frame.across(tick.place);
            self.line((sharp(x), top), (sharp(x), bottom), GRID);
            self.text(tick.label.clone(), (x, bottom + 18.0), 0.5, SMALL, GREY);
        }
        for tick in &ups {
            let y = frame.up(tick.place);
            self.line((left, sharp(y)), (frame.right, sharp(y)), GRID);
            let label = self.typeface.fit(SMALL, &tick.label, left - MARGIN);
            self.text(label, (left - 8.0, y + 4.2), 1.0, SMALL, GREY);
        }
        self.line((left, sharp(bottom)), (frame.right, sharp(bottom)), GREY);
        frame
    }

    /// Whether labels below the axis leave room between them.
    fn apart(&self, ticks: &[Tick], frame: &Frame) -> bool {
        let half = |tick: &Tick| self.typeface.width(SMALL, &tick.label) / 2.0;
        ticks.windows(2).all(|pair| {
            let gap = frame.across(pair[1].place) - frame.across(pair[0].place);
            gap >= half(&pair[0]) + half(&pair[1]) + 20.0
        })
    }

    fn x_label(&mut self, chart: &Chart, frame: &Frame, bottom: f64) {
        let label = self.typeface.fit(SMALL, plain(&chart.x.label).trim(), WIDTH - 2.0 * MARGIN);
        if label.is_empty() {
            return;
        }
        // In the middle below the plot, unless it is wider than the plot.
        let half = self.typeface.width(SMALL, &label) / 2.0;
        let middle = f64::midpoint(frame.left, frame.right);
        let middle = middle.clamp(MARGIN + half, (WIDTH - MARGIN - half).max(MARGIN + half));
        self.text(label, (middle, bottom + 28.0), 0.5, SMALL, GREY);
    }

    fn band(&mut self, chart: &Chart, line: &Line, color: Color, frame: &Frame) {
        let place = |(x, low, high)| {
            let (low, high) = (frame.y.place(low), frame.y.place(high));
            (frame.across(frame.x.place(x)), frame.up(low), frame.up(high))
        };
        let band: Vec<_> = line.measured_band(chart).map(place).collect();
        if band.len() > 1 {
            let outline = outline(&band);
            self.marks.push(Mark::Area { outline, color, opacity: 0.18 });
        } else if let [(x, low, high)] = band[..] {
            self.line((x, low), (x, high), color);
        }
    }

    /// Returns whether there was anything to draw.
    fn curve(&mut self, chart: &Chart, line: &Line, color: Color, frame: &Frame) -> bool {
        let place = |(x, y)| (frame.across(frame.x.place(x)), frame.up(frame.y.place(y)));
        let points: Vec<_> = line.measured(chart).map(place).collect();
        let count = points.len();
        if count > 1 {
            let (points, dashed) = (thinned(&points), line.dashed);
            self.marks.push(Mark::Curve { points, color, width: 2.0, dashed });
        }
        if count == 1 || (2..=DOTTED).contains(&count) && !line.dashed {
            let radius = if count == 1 { 4.0 } else { 3.0 };
            self.marks.push(Mark::Dots { points, color, radius });
        }
        count > 0
    }
}
