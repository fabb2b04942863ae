//! `Text`: boards, states and moves as people write them, and errors that say where it went wrong.

mod error;

use std::str::FromStr;

use crate::Game;

pub use error::TextError;

/// What [`Text::why_illegal`] says of a move that is legal.
pub const LEGAL: &str = "that move is legal";

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

    /// Why [`Game::play`] refuses a move, as a short clause such as "a cell there is filled"; of a
    /// legal move, [`LEGAL`].
    fn why_illegal(&self, state: &Self::State, mv: Self::Move) -> String;

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

/// The rows of a drawn or compact text, without the blanks around them, blank rows at the end and
/// the mark that some editors put before a file.
pub fn rows(text: &str) -> Vec<&str> {
    let mut rows: Vec<&str> = unmarked(text).split(['\n', '|']).map(str::trim).collect();
    while rows.last().is_some_and(|row| row.is_empty()) {
        rows.pop();
    }
    rows
}

/// The text of a file without the mark (U+FEFF) that some editors put before it.
pub fn unmarked(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// A whole number in the one way to write it: digits only, no sign, no zero before others. What
/// the type cannot hold is no number.
pub fn parse_number<N: FromStr>(text: &str) -> Option<N> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let shortest = text == "0" || !text.starts_with('0');
    text.parse().ok().filter(|_| digits && shortest)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_may_be_lines_or_one_line() {
        assert_eq!(rows("a\nb\n\n"), ["a", "b"]);
        assert_eq!(rows("a|b"), ["a", "b"]);
        assert_eq!(one_line("a\nb\n"), "a|b");
    }

    #[test]
    fn blanks_around_rows_and_the_mark_of_a_file_do_not_count() {
        assert_eq!(rows("\u{feff}a\r\n  b\t\r\n \r\n"), ["a", "b"]);
        assert_eq!(rows("a\n\n b "), ["a", "", "b"]);
    }

    #[test]
    fn numbers_are_written_in_one_way() {
        assert_eq!(["0", "7", "10", "255"].map(parse_number::<u8>), [0, 7, 10, 255].map(Some));
        for text in ["", "+1", "-1", "-0", "01", "00", "256", " 1", "1.0", "١"] {
            assert_eq!(parse_number::<u8>(text), None, "{text:?}");
        }
    }
}
