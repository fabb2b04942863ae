//! The built-in sets of pieces.

use crate::pieces::Piece;

/// The set with a name that the rules syntax uses.
pub fn named(name: &str) -> Option<Vec<Piece>> {
    match name {
        "standard" => Some(standard_pieces()),
        "melax" => Some(melax_pieces()),
        _ => None,
    }
}

/// The seven standard pieces. Drawn so that their clockwise turns come in the order of the CS3243
/// skeleton's tables.
pub fn standard_pieces() -> Vec<Piece> {
    let drawn = [
        ("O", "##/##"),
        ("I", "#/#/#/#"),
        ("L", "#./#./##"),
        ("J", ".#/.#/##"),
        ("T", "#./##/#."),
        ("S", ".##/##."),
        ("Z", "##./.##"),
    ];
    drawn.iter().map(|(name, rows)| Piece::known(name, 1, rows)).collect()
}

/// Melax's reduced set: the five pieces that fit in 2x2 cells, up to rotation.
pub fn melax_pieces() -> Vec<Piece> {
    let drawn = [
        ("dot", "#"),
        ("domino", "##"),
        ("diagonal", ".#/#."),
        ("corner", "#./##"),
        ("square", "##/##"),
    ];
    drawn.iter().map(|(name, rows)| Piece::known(name, 1, rows)).collect()
}
