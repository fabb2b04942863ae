//! `TextError`: a parse error as one sentence with its position.

use std::fmt;

/// Why a text is not a board, a state, a piece or a move, with the position of the error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct TextError {
    part: Option<Box<str>>,
    row: Option<Row>,
    column: Option<usize>,
    message: Box<str>,
}

/// A row, counted from 0, of a board or piece or of the whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    Drawn(usize),
    Line(usize),
}

impl TextError {
    /// The error "found A, expected B". A long `found` is truncated.
    pub fn new(found: impl Into<String>, expected: impl fmt::Display) -> TextError {
        let found = truncated(found.into());
        TextError::sentence(format!("found {found}, expected {expected}"))
    }

    /// An error with a sentence of its own, which must be short.
    pub fn sentence(message: impl Into<String>) -> TextError {
        TextError { part: None, row: None, column: None, message: message.into().into() }
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

    /// The same error, in a named part of the text.
    pub fn in_part(self, part: impl Into<String>) -> TextError {
        TextError { part: Some(truncated(part.into()).into()), ..self }
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
        f.write_str(&self.message)
    }
}

/// At most 60 characters of a text, which may be of any length.
fn truncated(text: String) -> String {
    const MAX_CHARS: usize = 60;
    if text.chars().count() <= MAX_CHARS {
        return text;
    }
    text.chars().take(MAX_CHARS).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_position_found_and_expected() {
        let error = TextError::new("'x'", "'.' or '#'").in_row(2).in_column(4);
        assert_eq!(error.to_string(), "row 3, column 5: found 'x', expected '.' or '#'");
        assert_eq!((error.row(), error.column()), (Some(2), Some(4)));
        let error = TextError::new("9 cells", "10");
        assert_eq!(error.clone().in_row(0).to_string(), "row 1: found 9 cells, expected 10");
        assert_eq!(error.clone().in_line(11).to_string(), "line 12: found 9 cells, expected 10");
        let of_piece = error.in_row(0).in_part("piece T").to_string();
        assert_eq!(of_piece, "piece T: row 1: found 9 cells, expected 10");
        assert_eq!(TextError::sentence("no cell").in_row(1).to_string(), "row 2: no cell");
    }

    #[test]
    fn long_texts_are_truncated() {
        let long = "é".repeat(1000);
        let error = TextError::new(long.clone(), "less").in_part(long).to_string();
        assert!(error.chars().count() < 200);
    }
}
