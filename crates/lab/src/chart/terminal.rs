//! A chart for a terminal without colour: curves in braille dots, told apart by letters.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::ticks::{Tick, fitting, ticks};
use super::{Chart, Line, plain};

/// No terminal is larger; a caller's slip should not fill the memory.
const MOST: usize = 1000;
/// Labels give way before the plot has fewer rows than this.
const LEAST_ROWS: usize = 4;
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

pub(super) fn draw(chart: &Chart, width: usize, height: usize) -> String {
    let (width, mut rows) = (width.min(MOST), height.min(MOST));
    if width == 0 || rows == 0 {
        return String::new();
    }
    // What there is room for, the most telling first.
    let mut take = |wanted: usize| {
        let taken = if rows >= wanted + LEAST_ROWS { wanted } else { 0 };
        rows -= taken;
        taken
    };
    let line_of = |text: &str| fit(plain(text).trim(), width);
    let line_if = |taken: usize, text: String| Some(text).filter(|_| taken > 0);
    let one = |text: &str| usize::from(!text.is_empty());
    let has_axis = take(2) > 0;
    let title = line_of(&chart.title);
    let title = line_if(take(one(&title)), title);
    let mut legend = legend(chart, width);
    legend.truncate(take(legend.len().min(3)));
    let (up, across) = (line_of(&chart.y.label), line_of(&chart.x.label));
    let up = line_if(take(one(&up)), up);
    let across = line_if(take(one(&across)), across);
    let note = line_of(chart.note.as_deref().unwrap_or_default());
    let note = line_if(take(one(&note)), note);

    let mut text: Vec<String> = title.into_iter().chain(up).collect();
    text.extend(plot(chart, width, rows, has_axis));
    text.extend(across.map(|label| {
        let indent = (width - label.width()) / 2;
        format!("{:indent$}{label}", "")
    }));
    text.extend(legend);
    text.extend(note);
    text.iter().map(|row| row.trim_end()).collect::<Vec<_>>().join("\n")
}

/// The curves beside and above their axes.
fn plot(chart: &Chart, width: usize, rows: usize, has_axis: bool) -> Vec<String> {
    let (x, y) = chart.scales();
    let ups = ticks(&y, (rows / 3).clamp(1, 6));
    let widest = ups.iter().map(|tick| tick.label.len()).max().unwrap_or(0);
    let gutter = if has_axis && width >= widest + 12 { widest } else { 0 };
    let left = if gutter > 0 { gutter + 2 } else { 0 };
    let columns = width - left;
    let mut canvas = Canvas::new(columns, rows);
    for (line, letter) in letters(chart) {
        let place = |(a, b)| (x.place(a), y.place(b));
        canvas.curve(line.measured(chart).map(place), line.dashed, letter);
    }
    let mut text = canvas.text();
    if gutter > 0 {
        for (row, line) in text.iter_mut().enumerate() {
            let here = ups.iter().find(|tick| spot(1.0 - tick.place, rows) == row);
            let (label, stroke) = here.map_or(("", '│'), |tick| (tick.label.as_str(), '┤'));
            *line = format!("{label:>gutter$} {stroke}{line}");
        }
    }
    if has_axis {
        let across = fitting(&x, columns / 8, |ticks| labels(ticks, columns).is_some());
        let mut line = vec!['─'; columns];
        for tick in &across {
            line[spot(tick.place, columns)] = '┬';
        }
        let corner = if gutter > 0 { "└" } else { "" };
        let line: String = line.into_iter().collect();
        text.push(format!("{corner:>left$}{line}"));
        let labels = labels(&across, columns).unwrap_or_default();
        text.push(format!("{:left$}{labels}", ""));
    }
    text
}

/// The cell of a place between 0 and 1.
fn spot(place: f64, cells: usize) -> usize {
    (place * (cells - 1) as f64).round() as usize
}

/// Labels below their ticks on one row, if they leave gaps.
fn labels(ticks: &[Tick], columns: usize) -> Option<String> {
    let mut row = String::new();
    for tick in ticks {
        let length = tick.label.len();
        let start = spot(tick.place, columns).saturating_sub(length / 2);
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
        let name = plain(&line.name);
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

/// The text, or its beginning and three dots where it has more columns.
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

/// Dots, two by four to a character, and letters over them.
struct Canvas {
    columns: usize,
    dots: Vec<u8>,
    letters: Vec<Option<char>>,
    curves: usize,
}

impl Canvas {
    fn new(columns: usize, rows: usize) -> Canvas {
        let cells = columns * rows;
        Canvas { columns, dots: vec![0; cells], letters: vec![None; cells], curves: 0 }
    }

    fn curve(
        &mut self,
        points: impl Iterator<Item = (f64, f64)>,
        dashed: bool,
        letter: Option<char>,
    ) {
        let (width, height) = (2 * self.columns, 4 * self.dots.len() / self.columns);
        let mut passed = vec![None; self.columns];
        let mut count = 0;
        let mut last = None;
        for (x, y) in points {
            let to = (spot(x, width) as f64, spot(1.0 - y, height) as f64);
            let from = last.replace(to).unwrap_or(to);
            let steps = f64::max((to.0 - from.0).abs(), (to.1 - from.1).abs());
            // The first dot of a stroke is the last of the one before it.
            let first = if from == to { 0 } else { 1 };
            for step in first..=steps as usize {
                let part = step as f64 / steps.max(1.0);
                let dot = |from: f64, to: f64| (from + part * (to - from)).round() as usize;
                let (x, y) = (dot(from.0, to.0), dot(from.1, to.1));
                let cell = y / 4 * self.columns + x / 2;
                passed[x / 2] = Some(cell);
                if !dashed || count % 6 < 3 {
                    self.dots[cell] |= DOTS[y % 4][x % 2];
                }
                count += 1;
            }
        }
        if let Some(letter) = letter {
            self.name(&passed, letter);
        }
        self.curves += 1;
    }

    /// Writes a letter on a curve here and there, apart from the letters of other curves.
    fn name(&mut self, passed: &[Option<usize>], letter: char) {
        let start = 2 + 5 * self.curves % self.columns;
        let here = (start..self.columns).step_by(24).filter_map(|column| passed[column]);
        let mut here: Vec<usize> = here.filter(|&cell| self.letters[cell].is_none()).collect();
        if here.is_empty() {
            here.extend(passed.iter().rev().flatten().find(|cell| self.letters[**cell].is_none()));
        }
        for cell in here {
            self.letters[cell] = Some(letter);
        }
    }

    fn text(&self) -> Vec<String> {
        let sign = |(letter, &dots): (&Option<char>, &u8)| match (letter, dots) {
            (Some(letter), _) => *letter,
            (None, 0) => ' ',
            (None, dots) => char::from_u32(0x2800 + u32::from(dots)).unwrap_or('?'),
        };
        let rows = self.letters.chunks(self.columns).zip(self.dots.chunks(self.columns));
        rows.map(|(letters, dots)| letters.iter().zip(dots).map(sign).collect()).collect()
    }
}

/// The bit of each dot in Unicode's braille block, row by row.
const DOTS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
