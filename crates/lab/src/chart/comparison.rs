//! `Comparison`: published figures beside measured ones, a row each, as a picture and as text.

use super::ChartError;
use super::scale::{ROUND_STEPS, Scale};
use super::ticks::{fitting, ticks};
use crate::drawing::{Color, Font, Mark, Point, Sheet, Typeface, plain};

/// Published figures beside measured ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// What is compared.
    pub title: String,
    /// The rows; those of one unit share an axis.
    pub rows: Vec<Compared>,
    /// Small print below.
    pub note: String,
}

/// One figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compared {
    /// What it is.
    pub label: String,
    /// In what it is counted.
    pub unit: String,
    /// As it was published.
    pub published: Option<f64>,
    /// As it was measured.
    pub measured: Option<Measured>,
    /// As it was measured in another way, such as without learning.
    pub played: Option<Measured>,
}

/// A measured figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The figure.
    pub value: f64,
    /// Its 95% interval.
    pub ci95: Option<(f64, f64)>,
}

/// More rows than anybody reads are left out.
const MOST_ROWS: usize = 100;

const WIDTH: f64 = 800.0;
const MARGIN: f64 = 20.0;
const ROW: f64 = 24.0;
const LABELS: f64 = 250.0;

const PAPER: Color = Color([0xff, 0xff, 0xff]);
const INK: Color = Color([0x1f, 0x29, 0x37]);
const GREY: Color = Color([0x5b, 0x64, 0x72]);
const GRID: Color = Color([0xe3, 0xe6, 0xea]);
const PUBLISHED: Color = Color([0xd5, 0x5e, 0x00]);
const MEASURED: Color = Color([0x00, 0x72, 0xb2]);
const PLAYED: Color = Color([0x00, 0x9e, 0x73]);

const TITLE: Font = Font { size: 18.0, bold: true };
const LABEL: Font = Font { size: 13.0, bold: false };
const SMALL: Font = Font { size: 12.0, bold: false };

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
        for row in self.rows.iter().take(MOST_ROWS) {
            match panels.iter_mut().find(|(unit, _)| *unit == row.unit) {
                Some((_, rows)) => rows.push(row),
                None => panels.push((&row.unit, vec![row])),
            }
        }
        panels
    }

    /// As an SVG file.
    pub fn svg(&self) -> Result<String, ChartError> {
        Ok(self.sheet()?.svg(&self.title))
    }

    /// As a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, ChartError> {
        self.sheet()?.png(2.0)
    }

    fn sheet(&self) -> Result<Sheet, ChartError> {
        let mut page = Page { typeface: Typeface::embedded()?, marks: Vec::new(), y: MARGIN };
        for row in page.typeface.wrap(TITLE, &plain(&self.title), WIDTH - 2.0 * MARGIN, 2) {
            page.y += 19.0;
            page.text(row, (MARGIN, page.y), 0.0, TITLE, INK);
        }
        page.legend(self);
        for (unit, rows) in self.panels() {
            page.panel(unit, &rows);
        }
        let note = plain(&self.note);
        for row in page.typeface.wrap(SMALL, &note, WIDTH - 2.0 * MARGIN, 3) {
            page.y += 16.0;
            page.text(row, (MARGIN, page.y), 0.0, SMALL, GREY);
        }
        let height = page.y + MARGIN;
        let outline = vec![(0.0, 0.0), (WIDTH, 0.0), (WIDTH, height), (0.0, height)];
        let paper = Mark::Area { outline, color: PAPER, opacity: 1.0 };
        let marks = [paper].into_iter().chain(page.marks).collect();
        Ok(Sheet { width: WIDTH, height, marks })
    }

    /// As text, a row each, on a line of so many columns.
    pub fn terminal(&self, width: usize) -> String {
        let mut text = format!(
            "{}\n◆ published  ● measured  ◈ both  ○ without learning\n",
            plain(&self.title)
        );
        for (unit, rows) in self.panels() {
            let scale = scale(&rows);
            let longest = rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0);
            let label = longest.min(width / 3);
            let strip = width.saturating_sub(label + 2).max(10);
            // Enough ticks that the first and the last stand at the ends.
            let low = ticks(&scale, ROUND_STEPS);
            let ends = low.first().zip(low.last());
            let ends = ends.map(|(low, high)| format!("{} to {}", low.label, high.label));
            text += &format!("\n{} ({})\n", plain(unit), ends.unwrap_or_default());
            for row in rows {
                let name: String = plain(&row.label).chars().take(label).collect();
                text += &format!("{name:<label$}  {}\n", line(row, &scale, strip));
            }
        }
        text
    }
}

/// The axis of some rows: by powers of ten where they lie far apart.
fn scale(rows: &[&Compared]) -> Scale {
    let numbers = || rows.iter().flat_map(|row| row.numbers());
    let least = numbers().fold(f64::INFINITY, f64::min);
    let most = numbers().fold(f64::NEG_INFINITY, f64::max);
    let log = least > 0.0 && most > 200.0 * least;
    let measured = numbers().map(|number| if log { number.log10() } else { number });
    Scale::around(measured, log).rounded()
}

fn place(scale: &Scale, number: f64) -> Option<f64> {
    let number = Some(number).filter(|n| n.is_finite() && (!scale.log || *n > 0.0))?;
    Some(scale.place(if scale.log { number.log10() } else { number }))
}

/// A row as a strip of characters.
fn line(row: &Compared, scale: &Scale, columns: usize) -> String {
    let mut strip = vec!['·'; columns];
    let spot = |number: f64| {
        place(scale, number).map(|place| (place * (columns - 1) as f64).round() as usize)
    };
    let mut put = |number: Option<Measured>, sign: char| {
        let Some(Measured { value, ci95 }) = number else { return };
        if let Some((low, high)) = ci95.and_then(|(low, high)| Some((spot(low)?, spot(high)?))) {
            strip[low.min(high)..=high.max(low)].fill('─');
        }
        if let Some(at) = spot(value) {
            strip[at] = if (strip[at], sign) == ('●', '◆') { '◈' } else { sign };
        }
    };
    put(row.played, '○');
    put(row.measured, '●');
    put(row.published.map(|value| Measured { value, ci95: None }), '◆');
    strip.into_iter().collect()
}

struct Page {
    typeface: Typeface,
    marks: Vec<Mark>,
    y: f64,
}

impl Page {
    fn text(&mut self, text: String, at: Point, anchor: f64, font: Font, color: Color) {
        self.marks.push(Mark::Text { text, at, anchor, font, color });
    }

    fn line(&mut self, from: Point, to: Point, color: Color, width: f64) {
        self.marks.push(Mark::Curve { points: vec![from, to], color, width, dashed: false });
    }

    fn legend(&mut self, comparison: &Comparison) {
        let rows = &comparison.rows;
        let names = [
            ("published", PUBLISHED, rows.iter().any(|row| row.published.is_some())),
            ("measured, 95% interval", MEASURED, rows.iter().any(|row| row.measured.is_some())),
            ("played without learning", PLAYED, rows.iter().any(|row| row.played.is_some())),
        ];
        self.y += 22.0;
        let mut x = MARGIN;
        for (name, color, _) in names.into_iter().filter(|(.., there)| *there) {
            let at = (x + 6.0, self.y - 4.5);
            if color == PUBLISHED {
                self.diamond(at);
            } else {
                self.dot(at, color);
            }
            self.text(name.to_owned(), (x + 18.0, self.y), 0.0, LABEL, INK);
            x += 18.0 + self.typeface.width(LABEL, name) + 20.0;
        }
        self.y += 8.0;
    }

    fn dot(&mut self, at: Point, color: Color) {
        self.marks.push(Mark::Dots { points: vec![at], color, radius: 4.5 });
    }

    fn diamond(&mut self, (x, y): Point) {
        let outline = vec![(x, y - 6.5), (x + 6.5, y), (x, y + 6.5), (x - 6.5, y)];
        self.marks.push(Mark::Area { outline, color: PUBLISHED, opacity: 1.0 });
    }

    /// The rows of one unit over their axis.
    fn panel(&mut self, unit: &str, rows: &[&Compared]) {
        let scale = scale(rows);
        let (left, right) = (MARGIN + LABELS, WIDTH - MARGIN - 16.0);
        let across = |place: f64| left + place * (right - left);
        let (top, bottom) = (self.y + 6.0, self.y + 6.0 + ROW * rows.len() as f64 + 6.0);
        let ticks = fitting(&scale, 8, |ticks| {
            ticks.windows(2).all(|pair| {
                let widths = pair.iter().map(|tick| self.typeface.width(SMALL, &tick.label));
                across(pair[1].place) - across(pair[0].place) >= widths.sum::<f64>() / 2.0 + 16.0
            })
        });
        for tick in &ticks {
            let x = across(tick.place).floor() + 0.5;
            self.line((x, top), (x, bottom), GRID, 1.0);
            self.text(tick.label.clone(), (x, bottom + 15.0), 0.5, SMALL, GREY);
        }
        let unit = self.typeface.fit(SMALL, &plain(unit), LABELS - 10.0);
        self.text(unit, (left - 10.0, bottom + 15.0), 1.0, SMALL, GREY);
        for (number, row) in rows.iter().enumerate() {
            let y = top + 6.0 + ROW * (number as f64 + 0.5);
            let label = self.typeface.fit(LABEL, &plain(&row.label), LABELS - 10.0);
            self.text(label, (left - 10.0, y + 4.5), 1.0, LABEL, INK);
            self.line((left, y.floor() + 0.5), (right, y.floor() + 0.5), GRID, 1.0);
            for (measured, color, shift) in
                [(row.played, PLAYED, 5.0), (row.measured, MEASURED, -3.0)]
            {
                let Some(Measured { value, ci95 }) = measured else { continue };
                let ends =
                    ci95.and_then(|(low, high)| Some((place(&scale, low)?, place(&scale, high)?)));
                if let Some((low, high)) = ends {
                    self.line((across(low), y + shift), (across(high), y + shift), color, 2.0);
                }
                if let Some(at) = place(&scale, value) {
                    self.dot((across(at), y + shift), color);
                }
            }
            if let Some(at) = row.published.and_then(|value| place(&scale, value)) {
                self.diamond((across(at), y));
            }
        }
        self.y = bottom + 26.0;
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
    fn every_row_has_its_label_and_its_marks() {
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
