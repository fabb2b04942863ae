//! `Text`: boards, states and moves as people write them, and errors that say where it went wrong.

use std::fmt;

use crate::Game;

/// The text form of a game: printing and parsing undo each other.
///
/// A board is drawn one row a line, the top row first. A line break and `|` are the same, so the
/// drawn form and the compact one-line form of [`one_line`] are read by the same parser.
pub trait Text: Game {
    /// A state as drawn text.
    fn state_text(&self, state: &Self::State) -> String;

    /// The state that a text draws.
    fn parse_state(&self, text: &str) -> Result<Self::State, TextError>;

    /// An afterstate as drawn text.
    fn after_text(&self, after: &Self::After) -> String;

    /// The afterstate that a text draws.
    fn parse_after(&self, text: &str) -> Result<Self::After, TextError>;

    /// A move as a short word.
    fn move_text(&self, mv: Self::Move) -> String;

    /// The move that a word names. What the state makes plain may be left out.
    fn parse_move(&self, state: &Self::State, text: &str) -> Result<Self::Move, TextError>;

    /// One sentence that tells a player how moves are written.
    fn move_help(&self) -> String;

    /// The state as a player likes to see it: framed, with what is needed to name a move. Not
    /// parsed again.
    fn drawing(&self, state: &Self::State) -> String;
}

/// A drawn text on one line.
pub fn one_line(drawn: &str) -> String {
    drawn.trim_end_matches('\n').replace('\n', "|")
}

/// The rows of a drawn or compact text, without blank rows at the end.
pub fn rows(text: &str) -> Vec<&str> {
    let mut rows: Vec<&str> = text.split(['\n', '|']).map(str::trim_end).collect();
    while rows.last().is_some_and(|row| row.trim().is_empty()) {
        rows.pop();
    }
    rows
}

/// The name of a column: `a`, `b`, ... from the left.
pub fn column_name(column: usize) -> char {
    char::from(b'a' + column as u8)
}

/// The column that a letter names, if it is one of the first `columns`.
pub fn parse_column(letter: char, columns: usize) -> Option<usize> {
    let column = (letter as usize).checked_sub('a' as usize)?;
    (column < columns).then_some(column)
}

/// Why a text is not a board, a state or a move: where, what was met and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct TextError {
    row: Option<usize>,
    column: Option<usize>,
    met: String,
    expected: String,
}

impl TextError {
    /// An error of the text as a whole.
    pub fn new(met: impl Into<String>, expected: impl Into<String>) -> TextError {
        TextError { row: None, column: None, met: shortened(met.into()), expected: expected.into() }
    }

    /// The same error, in a row counted from 0.
    pub fn in_row(self, row: usize) -> TextError {
        TextError { row: Some(row + 1), ..self }
    }

    /// The same error, in a column counted from 0.
    pub fn in_column(self, column: usize) -> TextError {
        TextError { column: Some(column + 1), ..self }
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.row, self.column) {
            (Some(row), Some(column)) => write!(f, "row {row}, column {column}: ")?,
            (Some(row), None) => write!(f, "row {row}: ")?,
            (None, Some(column)) => write!(f, "column {column}: ")?,
            (None, None) => {}
        }
        write!(f, "met {}, expected {}", self.met, self.expected)
    }
}

/// A hostile text may be long; an error message should not be.
fn shortened(met: String) -> String {
    const LONGEST: usize = 60;
    if met.chars().count() <= LONGEST {
        return met;
    }
    met.chars().take(LONGEST).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_where_what_and_what_instead() {
        let error = TextError::new("'x'", "'.' or '#'").in_row(2).in_column(4);
        assert_eq!(error.to_string(), "row 3, column 5: met 'x', expected '.' or '#'");
        assert_eq!(
            TextError::new("9 cells", "10").in_row(0).to_string(),
            "row 1: met 9 cells, expected 10"
        );
    }

    #[test]
    fn rows_may_be_lines_or_one_line() {
        assert_eq!(rows("a\nb\n\n"), ["a", "b"]);
        assert_eq!(rows("a|b"), ["a", "b"]);
        assert_eq!(one_line("a\nb\n"), "a|b");
    }

    #[test]
    fn long_texts_are_shortened() {
        let error = TextError::new("é".repeat(1000), "less").to_string();
        assert!(error.chars().count() < 100);
    }
}
