//! `Text`: boards, states and moves as text, and errors with their position.

mod error;

use std::str::FromStr;

use crate::Game;

pub use error::TextError;

/// The answer of [`Text::why_illegal`] for a legal move.
pub const LEGAL: &str = "that move is legal";

/// The text form of a game: printing and parsing are inverses.
///
/// A board has one row per line, the top row first. A line break and `|` are equivalent, so one
/// parser reads the drawn form and the compact form of [`one_line`].
pub trait Text: Game {
    /// A state as text.
    fn state_text(&self, state: &Self::State) -> String;

    /// Parses a state.
    fn parse_state(&self, text: &str) -> Result<Self::State, TextError>;

    /// An afterstate as text.
    fn after_text(&self, after: &Self::After) -> String;

    /// Parses an afterstate.
    fn parse_after(&self, text: &str) -> Result<Self::After, TextError>;

    /// A move as a short word.
    fn move_text(&self, mv: Self::Move) -> String;

    /// Parses a move. Parts that the state determines may be omitted.
    fn parse_move(&self, state: &Self::State, text: &str) -> Result<Self::Move, TextError>;

    /// Why [`Game::play`] rejects a move, as a short clause such as "a cell there is filled";
    /// [`LEGAL`] for a legal move.
    fn why_illegal(&self, state: &Self::State, mv: Self::Move) -> String;

    /// One sentence that explains the move syntax to a player.
    fn move_help(&self) -> String;

    /// The state drawn for a player, with a frame and the labels needed to write a move. Not
    /// parsed.
    fn drawing(&self, state: &Self::State) -> String;
}

/// The compact one-line form of a drawn text.
pub fn one_line(drawn: &str) -> String {
    drawn.trim_end_matches('\n').replace('\n', "|")
}

/// The rows of a drawn or compact text, trimmed, without trailing blank rows and byte order mark.
pub fn rows(text: &str) -> Vec<&str> {
    let mut rows: Vec<&str> = strip_bom(text).split(['\n', '|']).map(str::trim).collect();
    while rows.last().is_some_and(|row| row.is_empty()) {
        rows.pop();
    }
    rows
}

/// The text without a leading byte order mark (U+FEFF).
pub fn strip_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// A count with its noun: `1 row`, `2 rows`.
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// A whole number in canonical form: digits only, no sign, no leading zero; `None` on overflow.
pub fn parse_number<N: FromStr>(text: &str) -> Option<N> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let shortest = text == "0" || !text.starts_with('0');
    text.parse().ok().filter(|_| digits && shortest)
}

/// The name of a column: `a`, `b`, ... from the left.
pub fn column_name(column: usize) -> char {
    char::from(b'a' + column as u8)
}

/// The column named by a letter, if it is below `columns`.
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
    fn blanks_around_rows_and_the_byte_order_mark_are_ignored() {
        assert_eq!(rows("\u{feff}a\r\n  b\t\r\n \r\n"), ["a", "b"]);
        assert_eq!(rows("a\n\n b "), ["a", "", "b"]);
    }

    #[test]
    fn numbers_have_one_canonical_form() {
        assert_eq!(["0", "7", "10", "255"].map(parse_number::<u8>), [0, 7, 10, 255].map(Some));
        for text in ["", "+1", "-1", "-0", "01", "00", "256", " 1", "1.0", "١"] {
            assert_eq!(parse_number::<u8>(text), None, "{text:?}");
        }
    }
}
