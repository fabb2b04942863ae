//! Sets of pieces: names, shapes and odds, their two text forms, and the deal that draws from them.

mod deal;
mod text;

use std::fmt;

use afterstate_core::TextError;

use crate::shape::Shape;

pub use deal::Deal;
pub use text::{parse_pieces, pieces_text};

/// The most pieces that a set may hold.
pub const MOST_PIECES: usize = 64;

/// The largest sum of the weights of a set.
pub const LARGEST_TOTAL: u32 = 65_536;

/// ExplicitMdp where a piece could stand and there is none.
pub(crate) const NO_PIECE: &str = "-";

/// One piece of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// A short word without blanks.
    pub name: String,
    /// The piece is dealt with odds weight : sum of all weights.
    pub weight: u32,
    /// The piece as first drawn.
    pub shape: Shape,
}

impl Piece {
    /// A piece of a built-in set.
    pub(crate) fn known(name: &str, weight: u32, drawn: &str) -> Piece {
        let shape = Shape::parse(drawn).expect("built-in pieces are drawn right");
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

/// Whether pieces can be dealt and told apart by name.
pub(crate) fn check_set(pieces: &[Piece]) -> Result<(), TextError> {
    let expected = format!("1 to {MOST_PIECES} pieces");
    if pieces.is_empty() || pieces.len() > MOST_PIECES {
        return Err(TextError::new(format!("{} pieces", pieces.len()), expected));
    }
    for (i, piece) in pieces.iter().enumerate() {
        check_name(&piece.name)?;
        if pieces[..i].iter().any(|other| other.name == piece.name) {
            let met = format!("two pieces named {:?}", piece.name);
            return Err(TextError::new(met, "a name for each piece"));
        }
        if piece.weight == 0 {
            let met = format!("piece {piece} of weight 0");
            return Err(TextError::new(met, "a weight of at least 1"));
        }
    }
    let total: u64 = pieces.iter().map(|piece| u64::from(piece.weight)).sum();
    if total > u64::from(LARGEST_TOTAL) {
        let met = format!("weights that sum to {total}");
        return Err(TextError::new(met, format!("at most {LARGEST_TOTAL}")));
    }
    Ok(())
}

fn check_name(name: &str) -> Result<(), TextError> {
    let met = || format!("a piece named {name:?}");
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name == NO_PIECE {
        return Err(TextError::new(met(), "another name, for that one means no piece"));
    }
    if name.is_empty() || !name.chars().all(plain) {
        return Err(TextError::new(met(), "a name of letters, digits, '-' and '_'"));
    }
    Ok(())
}
