//! Piece sets: names, shapes and weights, their two text forms, and sampling from them.

mod distribution;
mod text;

use std::fmt;

use afterstate_core::TextError;

use crate::shape::Shape;

pub use distribution::PieceDistribution;
pub use text::{parse_pieces, pieces_text};

/// The largest number of pieces of a set.
pub const MAX_PIECES: usize = 64;

/// The largest sum of the weights of a set.
pub const MAX_TOTAL_WEIGHT: u32 = 65_536;

/// Written in place of a piece where there is none.
pub(crate) const NO_PIECE: &str = "-";

/// One piece of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// A word of letters, digits, `-` and `_`.
    pub name: String,
    /// The probability of the piece is its weight divided by the sum of all weights.
    pub weight: u32,
    /// The piece in its first orientation.
    pub shape: Shape,
}

impl Piece {
    /// A piece of a built-in set.
    pub(crate) fn known(name: &str, weight: u32, drawn: &str) -> Piece {
        let shape = Shape::parse(drawn).expect("built-in pieces are valid");
        Piece { name: name.to_owned(), weight, shape }
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A built-in set: its name in the rules syntax, and the function that makes it.
pub type NamedSet = (&'static str, fn() -> Vec<Piece>);

/// The set with a name, or `None` if no set has it.
pub(crate) fn find_set(sets: &[NamedSet], name: &str) -> Option<Vec<Piece>> {
    sets.iter().find(|set| set.0 == name).map(|set| set.1())
}

/// Checks number, names and weights of a set.
pub(crate) fn check_set(pieces: &[Piece]) -> Result<(), TextError> {
    if pieces.is_empty() || pieces.len() > MAX_PIECES {
        let expected = format!("1 to {MAX_PIECES}");
        return Err(TextError::new(format!("{} pieces", pieces.len()), expected));
    }
    for (i, piece) in pieces.iter().enumerate() {
        check_name(&piece.name)?;
        if pieces[..i].iter().any(|other| other.name == piece.name) {
            return Err(TextError::sentence(format!("two pieces are named {:?}", piece.name)));
        }
        if piece.weight == 0 {
            let message = format!("piece {piece} has weight 0: expected at least 1");
            return Err(TextError::sentence(message));
        }
    }
    let total: u64 = pieces.iter().map(|piece| u64::from(piece.weight)).sum();
    if total > u64::from(MAX_TOTAL_WEIGHT) {
        let message =
            format!("the piece weights sum to {total}: expected at most {MAX_TOTAL_WEIGHT}");
        return Err(TextError::sentence(message));
    }
    Ok(())
}

fn check_name(name: &str) -> Result<(), TextError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let expected = match name {
        NO_PIECE => "another name, because - means no piece",
        _ if name.is_empty() || !name.chars().all(allowed) => {
            "a name of letters, digits, '-' and '_'"
        }
        _ => return Ok(()),
    };
    Err(TextError::new(format!("a piece named {name:?}"), expected))
}
