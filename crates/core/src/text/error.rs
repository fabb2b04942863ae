//! `TextError`: what is wrong with a text, in one sentence that says where.

use std::fmt;

/// Why a text is not a board, a state, a piece or a move: where, what was met and what was
/// expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct TextError {
    part: Option<Box<str>>,
    row: Option<Row>,
    column: Option<usize>,
    met: Box<str>,
    expected: Box<str>,
}

/// A row, counted from 0, of what is drawn or of the whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    Drawn(usize),
    Line(usize),
}

impl TextError {
    /// An error of the text as a whole.
    pub fn new(met: impl Into<String>, expected: impl Into<String>) -> TextError {
        let (met, expected) = (shortened(met.into()).into(), expected.into().into());
        TextError { part: None, row: None, column: None, met, expected }
    }

    /// The same error, in a row of a board or a piece, counted from 0.
    pub fn in_row(self, row: usize) -> TextError {
        TextError { row: Some(Row::Drawn(row)), ..self }
    }

    /// The same error, in a line of a file, counted from 0.
    pub fn in_line(self, line: usize) -> TextError {
        TextError { row: Some(Row::Line(line)), ..self }
    }

    /// The same error, in a column counted from 0.
    pub fn in_column(self, column: usize) -> TextError {
        TextError { column: Some(column), ..self }
    }

    /// The same error, in a part of the text that has a name.
    pub fn in_part(self, part: impl Into<String>) -> TextError {
        TextError { part: Some(shortened(part.into()).into()), ..self }
    }

    /// The row or line, counted from 0, if the error has one.
    pub fn row(&self) -> Option<usize> {
        self.row.map(|(Row::Drawn(row) | Row::Line(row))| row)
    }

    /// The column, counted from 0, if the error has one.
    pub fn column(&self) -> Option<usize> {
        self.column
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(part) = &self.part {
            write!(f, "{part}: ")?;
        }
        let comma = if self.column.is_some() { ", " } else { ": " };
        match self.row {
            Some(Row::Drawn(row)) => write!(f, "row {}{comma}", row + 1)?,
            Some(Row::Line(line)) => write!(f, "line {}{comma}", line + 1)?,
            None => {}
        }
        if let Some(column) = self.column {
            write!(f, "column {}: ", column + 1)?;
        }
        write!(f, "met {}, expected {}", self.met, self.expected)
    }
}

/// A hostile text may be long; an error message should not be.
fn shortened(text: String) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_where_what_and_what_instead() {
        let error = TextError::new("'x'", "'.' or '#'").in_row(2).in_column(4);
        assert_eq!(error.to_string(), "row 3, column 5: met 'x', expected '.' or '#'");
        assert_eq!((error.row(), error.column()), (Some(2), Some(4)));
        let error = TextError::new("9 cells", "10");
        assert_eq!(error.clone().in_row(0).to_string(), "row 1: met 9 cells, expected 10");
        assert_eq!(error.clone().in_line(11).to_string(), "line 12: met 9 cells, expected 10");
        let of_piece = error.in_row(0).in_part("piece T").to_string();
        assert_eq!(of_piece, "piece T: row 1: met 9 cells, expected 10");
    }

    #[test]
    fn long_texts_are_shortened() {
        let long = "é".repeat(1000);
        let error = TextError::new(long.clone(), "less").in_part(long).to_string();
        assert!(error.chars().count() < 200);
    }
}
