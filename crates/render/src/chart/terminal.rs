//! A chart for a terminal without colour: curves in braille characters, identified by letters.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::ticks::{Tick, fitting, ticks};
use super::{Chart, Line};
use crate::canvas::single_line;

/// Limits the memory that a wrong size can take.
const MAX_SIDE: usize = 1000;
/// Labels are left out before the plot has fewer rows than this.
const MIN_PLOT_ROWS: usize = 4;
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

pub(super) fn draw(chart: &Chart, width: usize, height: usize) -> String {
    let (width, mut rows) = (width.min(MAX_SIDE), height.min(MAX_SIDE));
    if width == 0 || rows == 0 {
        return String::new();
    }
    // Reserve rows, the most important parts first.
    let mut take = |wanted: usize| {
        let taken = if rows >= wanted + MIN_PLOT_ROWS { wanted } else { 0 };
        rows -= taken;
        taken
    };
    let line =
        |text: &str| Some(fit(single_line(text).trim(), width)).filter(|row| !row.is_empty());
    let has_axis = take(2) > 0;
    let title = line(&chart.title).filter(|_| take(1) > 0);
    let mut legend = legend(chart, width);
    legend.truncate(take(legend.len().min(3)));
    let y_label = line(&chart.y.label).filter(|_| take(1) > 0);
    let x_label = line(&chart.x.label).filter(|_| take(1) > 0);
    let note = chart.note.as_deref().and_then(line).filter(|_| take(1) > 0);

    let mut text: Vec<String> = title.into_iter().chain(y_label).collect();
    text.extend(plot(chart, width, rows, has_axis));
    text.extend(x_label.map(|label| {
        let indent = (width - label.width()) / 2;
        format!("{:indent$}{label}", "")
    }));
    text.extend(legend);
    text.extend(note);
    text.iter().map(|row| row.trim_end()).collect::<Vec<_>>().join("\n")
}

/// The curves and their axes.
fn plot(chart: &Chart, width: usize, rows: usize, has_axis: bool) -> Vec<String> {
    let (x, y) = chart.scales();
    let y_ticks = ticks(&y, (rows / 3).clamp(1, 6));
    let widest = y_ticks.iter().map(|tick| tick.label.len()).max().unwrap_or(0);
    let gutter = if has_axis && width >= widest + 12 { widest } else { 0 };
    let left = if gutter > 0 { gutter + 2 } else { 0 };
    let columns = width - left;
    let mut grid = BrailleGrid::new(columns, rows);
    for (line, letter) in letters(chart) {
        let place = |(a, b)| (x.place(a), y.place(b));
        grid.curve(line.coordinates(chart).map(place), line.dashed, letter);
    }
    let mut text = grid.text();
    if gutter > 0 {
        for (row, line) in text.iter_mut().enumerate() {
            let here = y_ticks.iter().find(|tick| cell_at(1.0 - tick.place, rows) == row);
            let (label, axis) = here.map_or(("", '│'), |tick| (tick.label.as_str(), '┤'));
            *line = format!("{label:>gutter$} {axis}{line}");
        }
    }
    if has_axis {
        let x_ticks = fitting(&x, columns / 8, |ticks| labels(ticks, columns).is_some());
        let mut line = vec!['─'; columns];
        for tick in &x_ticks {
            line[cell_at(tick.place, columns)] = '┬';
        }
        let corner = if gutter > 0 { "└" } else { "" };
        let line: String = line.into_iter().collect();
        text.push(format!("{corner:>left$}{line}"));
        let labels = labels(&x_ticks, columns).unwrap_or_default();
        text.push(format!("{:left$}{labels}", ""));
    }
    text
}

/// The cell of a position between 0 and 1.
fn cell_at(place: f64, cells: usize) -> usize {
    (place * (cells - 1) as f64).round() as usize
}

/// Labels below their ticks on one row, if they fit with gaps.
fn labels(ticks: &[Tick], columns: usize) -> Option<String> {
    let mut row = String::new();
    for tick in ticks {
        let length = tick.label.len();
        let start = cell_at(tick.place, columns).saturating_sub(length / 2);
        let start = start.min(columns.checked_sub(length)?);
        let gap = start.checked_sub(row.len())?;
        if gap < 2 && !row.is_empty() {
            return None;
        }
        row += &" ".repeat(gap);
        row += &tick.label;
    }
    Some(row)
}

/// The curves with their letters; a single curve needs none.
fn letters(chart: &Chart) -> impl Iterator<Item = (&Line, Option<char>)> {
    let several = chart.lines.len() > 1;
    let letters = LETTERS.chars().map(Some).chain(std::iter::repeat(Some('*')));
    chart.lines.iter().zip(letters.map(move |letter| letter.filter(|_| several)))
}

fn legend(chart: &Chart, width: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for (line, letter) in letters(chart).filter(|(line, _)| !line.name.trim().is_empty()) {
        let name = single_line(&line.name);
        let entry =
            letter.map_or(name.trim().to_owned(), |letter| format!("{letter} {}", name.trim()));
        let entry = fit(&entry, width);
        match rows.last_mut() {
            Some(row) if row.width() + 3 + entry.width() <= width => *row += &format!("   {entry}"),
            _ => rows.push(entry),
        }
    }
    rows
}

/// The text, or its beginning and an ellipsis where it has more columns.
fn fit(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut left = width - 1;
    let start = text.chars().map_while(|letter| {
        left = left.checked_sub(letter.width().unwrap_or(0))?;
        Some(letter)
    });
    start.chain(['…']).collect()
}

/// Dots, two by four per character, and letters over them.
struct BrailleGrid {
    columns: usize,
    dots: Vec<u8>,
    letters: Vec<Option<char>>,
    curves: usize,
}

impl BrailleGrid {
    fn new(columns: usize, rows: usize) -> BrailleGrid {
        let cells = columns * rows;
        BrailleGrid { columns, dots: vec![0; cells], letters: vec![None; cells], curves: 0 }
    }

    fn curve(
        &mut self,
        points: impl Iterator<Item = (f64, f64)>,
        dashed: bool,
        letter: Option<char>,
    ) {
        let (width, height) = (2 * self.columns, 4 * self.dots.len() / self.columns);
        let mut visited = vec![None; self.columns];
        let mut count = 0;
        let mut last = None;
        for (x, y) in points {
            let to = (cell_at(x, width) as f64, cell_at(1.0 - y, height) as f64);
            let from = last.replace(to).unwrap_or(to);
            let steps = f64::max((to.0 - from.0).abs(), (to.1 - from.1).abs());
            // The first dot of a segment is the last of the one before it.
            let first = if from == to { 0 } else { 1 };
            for step in first..=steps as usize {
                let part = step as f64 / steps.max(1.0);
                let dot = |from: f64, to: f64| (from + part * (to - from)).round() as usize;
                let (x, y) = (dot(from.0, to.0), dot(from.1, to.1));
                let cell = y / 4 * self.columns + x / 2;
                visited[x / 2] = Some(cell);
                if !dashed || count % 6 < 3 {
                    self.dots[cell] |= DOTS[y % 4][x % 2];
                }
                count += 1;
            }
        }
        if let Some(letter) = letter {
            self.label(&visited, letter);
        }
        self.curves += 1;
    }

    /// Writes a letter on a curve every 24 columns, offset from the letters of other curves.
    fn label(&mut self, visited: &[Option<usize>], letter: char) {
        let start = 2 + 5 * self.curves % self.columns;
        let cells = (start..self.columns).step_by(24).filter_map(|column| visited[column]);
        let mut cells: Vec<usize> = cells.filter(|&cell| self.letters[cell].is_none()).collect();
        if cells.is_empty() {
            cells
                .extend(visited.iter().rev().flatten().find(|cell| self.letters[**cell].is_none()));
        }
        for cell in cells {
            self.letters[cell] = Some(letter);
        }
    }

    fn text(&self) -> Vec<String> {
        let symbol = |(letter, &dots): (&Option<char>, &u8)| match (letter, dots) {
            (Some(letter), _) => *letter,
            (None, 0) => ' ',
            (None, dots) => char::from_u32(0x2800 + u32::from(dots)).unwrap_or('?'),
        };
        let rows = self.letters.chunks(self.columns).zip(self.dots.chunks(self.columns));
        rows.map(|(letters, dots)| letters.iter().zip(dots).map(symbol).collect()).collect()
    }
}

/// The bit of each dot in Unicode's braille block, row by row.
const DOTS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
