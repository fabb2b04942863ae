//! The built-in piece sets.

use crate::pieces::{NamedSet, Piece, find_set};

/// Every built-in set, the default first.
pub const SETS: [NamedSet; 2] = [("standard", standard_pieces), ("melax", melax_pieces)];

/// The set with a name, or `None` if no set has it.
pub fn named(name: &str) -> Option<Vec<Piece>> {
    find_set(&SETS, name)
}

/// The seven standard pieces, drawn so that their clockwise rotations have the order of the tables
/// of the CS3243 skeleton.
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
