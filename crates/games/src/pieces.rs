//! Sets of pieces: names, shapes and odds, from text, and the deal that draws from them.

use std::fmt;

use afterstate_core::{Rng, TextError};

use crate::shape::Shape;

/// The most pieces that a set may hold.
pub const MOST_PIECES: usize = 64;

/// The largest sum of the weights of a set.
pub const LARGEST_TOTAL: u32 = 65_536;

/// Written where a piece could stand and there is none.
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

/// Reads a set of pieces from either of its two forms.
///
/// On one line, pieces are joined by `+` and each is `name:rows*weight`; name and weight may be
/// left out. In a file, pieces are drawn and divided by blank lines, with an optional line
/// `name weight` above each; what follows a `;` is a comment.
///
/// ```
/// use afterstate_games::pieces::parse_pieces;
/// let set = parse_pieces("dot:#*2+##/##").unwrap();
/// assert_eq!((set[0].name.as_str(), set[0].weight), ("dot", 2));
/// assert_eq!((set[1].name.as_str(), set[1].weight), ("p2", 1));
/// let drawn = parse_pieces("dot 2 ; the smallest\n#\n\n##\n##\n").unwrap();
/// assert_eq!(drawn, set);
/// ```
pub fn parse_pieces(text: &str) -> Result<Vec<Piece>, TextError> {
    let pieces = if text.trim().contains('\n') { parse_drawn(text)? } else { parse_line(text)? };
    check_set(&pieces)?;
    Ok(pieces)
}

/// A set on one line, as [`parse_pieces`] reads it.
pub fn pieces_text(pieces: &[Piece]) -> String {
    let each = pieces.iter().map(|p| match p.weight {
        1 => format!("{}:{}", p.name, p.shape),
        weight => format!("{}:{}*{weight}", p.name, p.shape),
    });
    each.collect::<Vec<_>>().join("+")
}

fn parse_line(text: &str) -> Result<Vec<Piece>, TextError> {
    let parse_one = |(i, text): (usize, &str)| {
        let (text, weight) = match text.rsplit_once('*') {
            Some((text, weight)) => (text, parse_weight(weight)?),
            None => (text, 1),
        };
        let (name, rows) = match text.split_once(':') {
            Some((name, rows)) => (name.to_owned(), rows),
            None => (format!("p{}", i + 1), text),
        };
        Ok(Piece { name, weight, shape: Shape::parse(rows.trim())? })
    };
    text.trim().split('+').enumerate().map(parse_one).collect()
}

fn parse_drawn(text: &str) -> Result<Vec<Piece>, TextError> {
    let mut pieces = Vec::new();
    let mut heading: Option<&str> = None;
    let mut rows: Vec<&str> = Vec::new();
    for line in text.lines().map(|line| line.split(';').next().unwrap_or("").trim()).chain([""]) {
        if line.is_empty() {
            if rows.is_empty() && heading.is_none() {
                continue;
            }
            let mut words = heading.take().unwrap_or("").split_whitespace();
            let name = words.next().map_or_else(|| format!("p{}", pieces.len() + 1), str::to_owned);
            let weight = words.next().map_or(Ok(1), parse_weight)?;
            pieces.push(Piece { name, weight, shape: Shape::from_rows(&rows)? });
            rows.clear();
        } else if rows.is_empty() && heading.is_none() && !line.chars().all(|c| "#.".contains(c)) {
            heading = Some(line);
        } else {
            rows.push(line);
        }
    }
    Ok(pieces)
}

fn parse_weight(text: &str) -> Result<u32, TextError> {
    let weight = text.trim().parse().ok().filter(|weight| (1..=LARGEST_TOTAL).contains(weight));
    weight.ok_or_else(|| {
        let expected = format!("a piece's weight, a whole number from 1 to {LARGEST_TOTAL}");
        TextError::new(format!("{text:?}"), expected)
    })
}

/// Whether pieces can be dealt and told apart by name.
pub(crate) fn check_set(pieces: &[Piece]) -> Result<(), TextError> {
    let expected = format!("1 to {MOST_PIECES} pieces");
    if pieces.is_empty() || pieces.len() > MOST_PIECES {
        return Err(TextError::new(format!("{} pieces", pieces.len()), expected));
    }
    for (i, piece) in pieces.iter().enumerate() {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if piece.name == NO_PIECE {
            let met = format!("a piece named {NO_PIECE:?}");
            return Err(TextError::new(met, "another name, for that one means no piece"));
        }
        if piece.name.is_empty() || !piece.name.chars().all(plain) {
            let met = format!("a piece named {:?}", piece.name);
            return Err(TextError::new(met, "a name of letters, digits, '-' and '_'"));
        }
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

/// Deals pieces with the odds of their weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deal {
    /// The number of a piece, as often as its weight says.
    slots: Vec<u8>,
    weights: Vec<u32>,
}

impl Deal {
    /// The deal of a set of pieces.
    pub(crate) fn new(pieces: &[Piece]) -> Deal {
        debug_assert!(pieces.len() <= MOST_PIECES);
        let weights: Vec<u32> = pieces.iter().map(|piece| piece.weight).collect();
        let repeated = |(i, &weight): (usize, &u32)| std::iter::repeat_n(i as u8, weight as usize);
        Deal { slots: weights.iter().enumerate().flat_map(repeated).collect(), weights }
    }

    /// A piece, drawn.
    #[inline]
    pub fn draw(&self, rng: &mut Rng) -> u8 {
        self.slots[rng.below(self.slots.len())]
    }

    /// How many different pieces there are.
    #[inline]
    pub fn kinds(&self) -> usize {
        self.weights.len()
    }

    /// The odds of a piece.
    #[inline]
    pub fn odds(&self, piece: u8) -> f64 {
        f64::from(self.weights[usize::from(piece)]) / self.slots.len() as f64
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_round_trip() {
        let line = "dot:#+corner:##/#.*3";
        let set = parse_pieces(line).unwrap();
        assert_eq!(pieces_text(&set), line);
        assert_eq!(parse_pieces("dot\n#\n\n; a comment\ncorner 3\n##\n#.\n").unwrap(), set);
    }

    #[test]
    fn bad_sets_say_what_is_wrong() {
        for (text, said) in [
            ("", "met no cell, expected a piece with a '#'"),
            ("a:#+a:##", "met two pieces named \"a\", expected a name for each piece"),
            ("a b:#", "met a piece named \"a b\", expected a name of letters, digits, '-' and '_'"),
            ("#*0", "met \"0\", expected a piece's weight, a whole number from 1 to 65536"),
            ("#*65536+##", "met weights that sum to 65537, expected at most 65536"),
            ("\n\n\n", "met no cell, expected a piece with a '#'"),
            ("a\n#x\n", "row 1, column 2: met 'x', expected '#' or '.'"),
        ] {
            assert_eq!(parse_pieces(text).unwrap_err().to_string(), said, "{text:?}");
        }
    }

    #[test]
    fn the_deal_follows_the_weights() {
        let deal = Deal::new(&parse_pieces("#*1+##*3").unwrap());
        assert_eq!((deal.odds(0), deal.odds(1)), (0.25, 0.75));
    }
}
