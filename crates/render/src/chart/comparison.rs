//! `Comparison`: published values beside measured ones, one row each.

use super::layout::{LABEL, Layout, MARGIN, SMALL, TEXT_WIDTH, WIDTH};
use super::scale::{ROUND_STEPS, Scale, coordinate};
use super::ticks::ticks;
use crate::RenderError;
use crate::canvas::{Canvas, Point, single_line};
use crate::palette::{CHART_MUTED, CHART_TEXT, Color, GRID, SERIES};

/// Published values beside measured ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// What is compared.
    pub title: String,
    /// The rows; those of one unit share an axis.
    pub rows: Vec<Compared>,
    /// Small text below.
    pub note: String,
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compared {
    /// What is measured.
    pub label: String,
    /// The unit of its values.
    pub unit: String,
    /// The published value.
    pub published: Option<f64>,
    /// The measured value.
    pub measured: Option<Measured>,
    /// The value measured in another way, such as without learning.
    pub played: Option<Measured>,
}

/// A measured value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The value.
    pub value: f64,
    /// Its 95% interval.
    pub ci95: Option<(f64, f64)>,
}

/// Further rows are left out.
const MAX_ROWS: usize = 100;

const ROW: f64 = 24.0;
const LABELS: f64 = 290.0;

const PUBLISHED: Color = SERIES[1];
const MEASURED: Color = SERIES[0];
const PLAYED: Color = SERIES[2];

impl Compared {
    /// Every number of the row that can be drawn.
    fn numbers(&self) -> impl Iterator<Item = f64> {
        let measured = self.measured.into_iter().chain(self.played);
        let all = measured.flat_map(|m| {
            let (low, high) = m.ci95.unwrap_or((m.value, m.value));
            [m.value, low, high]
        });
        all.chain(self.published).filter(|number| number.is_finite())
    }
}

impl Comparison {
    /// The rows of each unit, in the order in which units first appear.
    fn panels(&self) -> Vec<(&str, Vec<&Compared>)> {
        let mut panels: Vec<(&str, Vec<&Compared>)> = Vec::new();
        for row in self.rows.iter().take(MAX_ROWS) {
            match panels.iter_mut().find(|(unit, _)| *unit == row.unit) {
                Some((_, rows)) => rows.push(row),
                None => panels.push((&row.unit, vec![row])),
            }
        }
        panels
    }

    /// As an SVG file.
    pub fn svg(&self) -> Result<String, RenderError> {
        Ok(self.canvas()?.svg(&self.title))
    }

    /// As a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, RenderError> {
        self.canvas()?.png(2.0)
    }

    fn canvas(&self) -> Result<Canvas, RenderError> {
        let mut layout = Layout::new(0.0)?;
        let y = layout.title(&self.title, MARGIN, 19.0);
        let mut y = layout.key(self, y + 22.0);
        for (unit, rows) in self.panels() {
            y = layout.panel(unit, &rows, y);
        }
        for row in layout.typeface.wrap(SMALL, &self.note, TEXT_WIDTH, 3) {
            y += 16.0;
            layout.canvas.text(&row, (MARGIN, y), 0.0, SMALL, CHART_MUTED);
        }
        layout.canvas.set_height(y + MARGIN);
        Ok(layout.canvas)
    }

    /// As text of `width` columns, one line per row.
    pub fn terminal(&self, width: usize) -> String {
        let mut text = format!(
            "{}\n◆ published  ● measured  ◈ both  ○ without learning\n",
            single_line(&self.title)
        );
        for (unit, rows) in self.panels() {
            let scale = scale(&rows);
            let longest = rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0);
            let label = longest.min(width / 3);
            let strip = width.saturating_sub(label + 2).max(10);
            // Enough ticks for the first and the last to be the ends of the axis.
            let ticks = ticks(&scale, ROUND_STEPS);
            let ends = ticks.first().zip(ticks.last());
            let ends = ends.map(|(low, high)| format!("{} to {}", low.label, high.label));
            text += &format!("\n{} ({})\n", single_line(unit), ends.unwrap_or_default());
            for row in rows {
                let name: String = single_line(&row.label).chars().take(label).collect();
                text += &format!("{name:<label$}  {}\n", line(row, &scale, strip));
            }
        }
        text
    }
}

/// The axis of some rows: logarithmic where their values span more than a factor of 200.
fn scale(rows: &[&Compared]) -> Scale {
    let numbers = || rows.iter().flat_map(|row| row.numbers());
    let min = numbers().fold(f64::INFINITY, f64::min);
    let max = numbers().fold(f64::NEG_INFINITY, f64::max);
    let log = min > 0.0 && max > 200.0 * min;
    Scale::around(numbers().filter_map(|number| coordinate(number, log)), log).rounded()
}

fn place(scale: &Scale, number: f64) -> Option<f64> {
    Some(scale.place(coordinate(number, scale.log)?))
}

/// A row of a terminal's comparison.
fn line(row: &Compared, scale: &Scale, columns: usize) -> String {
    let mut strip = vec!['·'; columns];
    let column = |number: f64| {
        place(scale, number).map(|place| (place * (columns - 1) as f64).round() as usize)
    };
    let mut put = |number: Option<Measured>, symbol: char| {
        let Some(Measured { value, ci95 }) = number else { return };
        if let Some((low, high)) = ci95.and_then(|(low, high)| Some((column(low)?, column(high)?)))
        {
            strip[low.min(high)..=high.max(low)].fill('─');
        }
        if let Some(at) = column(value) {
            strip[at] = if (strip[at], symbol) == ('●', '◆') { '◈' } else { symbol };
        }
    };
    put(row.played, '○');
    put(row.measured, '●');
    put(row.published.map(|value| Measured { value, ci95: None }), '◆');
    strip.into_iter().collect()
}

impl Layout {
    /// Names beside their symbols, at a baseline; returns the bottom.
    fn key(&mut self, comparison: &Comparison, y: f64) -> f64 {
        let rows = &comparison.rows;
        let names = [
            ("published", PUBLISHED, rows.iter().any(|row| row.published.is_some())),
            ("measured, 95% interval", MEASURED, rows.iter().any(|row| row.measured.is_some())),
            ("played without learning", PLAYED, rows.iter().any(|row| row.played.is_some())),
        ];
        let mut x = MARGIN;
        for (name, color, _) in names.into_iter().filter(|(.., present)| *present) {
            let at = (x + 6.0, y - 4.5);
            if color == PUBLISHED {
                self.diamond(at);
            } else {
                self.dot(at, color);
            }
            self.canvas.text(name, (x + 18.0, y), 0.0, LABEL, CHART_TEXT);
            x += 18.0 + self.typeface.width(LABEL, name) + 20.0;
        }
        y + 8.0
    }

    fn dot(&mut self, at: Point, color: Color) {
        self.canvas.circles(vec![at], color, 4.5);
    }

    fn diamond(&mut self, (x, y): Point) {
        let points = vec![(x, y - 6.5), (x + 6.5, y), (x, y + 6.5), (x - 6.5, y)];
        self.canvas.polygon(points, PUBLISHED, 1.0);
    }

    /// The rows of one unit above their axis; returns the bottom.
    fn panel(&mut self, unit: &str, rows: &[&Compared], y: f64) -> f64 {
        let scale = scale(rows);
        let (left, right) = (MARGIN + LABELS, WIDTH - MARGIN - 16.0);
        let x_at = |place: f64| left + place * (right - left);
        let (top, bottom) = (y + 6.0, y + 6.0 + ROW * rows.len() as f64 + 6.0);
        for tick in self.x_ticks(&scale, 8, 16.0, x_at) {
            let x = x_at(tick.place).floor() + 0.5;
            self.line((x, top), (x, bottom), GRID, 1.0);
            self.canvas.text(&tick.label, (x, bottom + 15.0), 0.5, SMALL, CHART_MUTED);
        }
        // The label of the first tick extends to the left of the axis.
        let unit = self.typeface.fit(SMALL, unit, LABELS - 28.0);
        self.canvas.text(&unit, (left - 28.0, bottom + 15.0), 1.0, SMALL, CHART_MUTED);
        for (number, row) in rows.iter().enumerate() {
            let y = top + 6.0 + ROW * (number as f64 + 0.5);
            let label = self.typeface.fit(LABEL, &row.label, LABELS - 10.0);
            self.canvas.text(&label, (left - 10.0, y + 4.5), 1.0, LABEL, CHART_TEXT);
            self.line((left, y.floor() + 0.5), (right, y.floor() + 0.5), GRID, 1.0);
            for (measured, color, shift) in
                [(row.played, PLAYED, 5.0), (row.measured, MEASURED, -3.0)]
            {
                let Some(Measured { value, ci95 }) = measured else { continue };
                let ends =
                    ci95.and_then(|(low, high)| Some((place(&scale, low)?, place(&scale, high)?)));
                if let Some((low, high)) = ends {
                    self.line((x_at(low), y + shift), (x_at(high), y + shift), color, 2.0);
                }
                if let Some(at) = place(&scale, value) {
                    self.dot((x_at(at), y + shift), color);
                }
            }
            if let Some(at) = row.published.and_then(|value| place(&scale, value)) {
                self.diamond((x_at(at), y));
            }
        }
        bottom + 26.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison() -> Comparison {
        let measured = Some(Measured { value: 98.0, ci95: Some((97.0, 99.0)) });
        let row = |label: &str, unit: &str, published, measured| Compared {
            label: label.to_owned(),
            unit: unit.to_owned(),
            published,
            measured,
            played: None,
        };
        Comparison {
            title: "Reach <rates>".to_owned(),
            rows: vec![
                row("2048", "percent", Some(95.0), measured),
                row("1024", "percent", Some(98.1), measured),
                row("4096", "percent", None, Some(Measured { value: 60.0, ci95: None })),
                row("score", "points", Some(1e3), Some(Measured { value: 1e6, ci95: None })),
                row("never", "points", Some(f64::INFINITY), None),
            ],
            note: "seed 1".to_owned(),
        }
    }

    #[test]
    fn every_row_has_its_label_and_its_values() {
        let svg = comparison().svg().unwrap();
        for text in ["Reach &lt;rates&gt;", "2048", "4096", "score", "percent", "published"] {
            assert!(svg.contains(&format!(">{text}</text>")), "{text} in {svg}");
        }
        assert_eq!(svg.matches("<circle").count(), 4 + 1, "four dots and the legend");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(comparison().png().unwrap().starts_with(b"\x89PNG"));
        assert!(Comparison::default().svg().unwrap().starts_with("<svg"));
    }

    #[test]
    fn a_terminal_shows_them_on_strips() {
        let text = comparison().terminal(60);
        let row = text.lines().find(|line| line.starts_with("2048")).unwrap();
        assert!(row.contains('◆') && row.contains('●'), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        let (dot, diamond) = (row.find('●'), row.find('◆'));
        assert!(diamond < dot, "95 lies left of 98: {row}");
        let row = text.lines().find(|line| line.starts_with("1024")).unwrap();
        assert!(row.contains('◈'), "both at one place: {row}");
        assert!(
            text.contains("percent (60 to 100)") && text.contains("points (1k to 1M)"),
            "{text}"
        );
    }
}
