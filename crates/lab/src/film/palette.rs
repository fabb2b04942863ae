//! The colours of boards, for films and terminals alike.

use afterstate_games::picture::{Kind, UNKNOWN};

use crate::drawing::Color;

/// What stands behind everything.
pub const PAPER: Color = Color([0xfa, 0xf8, 0xf4]);
/// Letters.
pub const INK: Color = Color([0x2b, 0x2f, 0x38]);
/// Letters that matter less.
pub const GREY: Color = Color([0x6a, 0x70, 0x7c]);
/// What is about to go away.
pub const BRIGHT: Color = Color([0xff, 0xff, 0xff]);

/// Tiles from 2 on: sand, orange and red up to 64, gold up to 512, then green, blue and purple.
const TILES: [Color; 17] = [
    Color([0xee, 0xe6, 0xda]),
    Color([0xec, 0xdb, 0xb4]),
    Color([0xf2, 0xb1, 0x79]),
    Color([0xf0, 0x8f, 0x58]),
    Color([0xea, 0x6c, 0x50]),
    Color([0xd4, 0x48, 0x37]),
    Color([0xf0, 0xd0, 0x62]),
    Color([0xe8, 0xbf, 0x3c]),
    Color([0xd8, 0xa6, 0x1c]),
    Color([0x93, 0xb8, 0x48]),
    Color([0x35, 0x96, 0x5b]),
    Color([0x1f, 0x8a, 0x8c]),
    Color([0x2a, 0x6f, 0xb0]),
    Color([0x44, 0x52, 0xb8]),
    Color([0x70, 0x44, 0xac]),
    Color([0x9c, 0x36, 0x86]),
    Color([0x6e, 0x24, 0x44]),
];

/// Pieces, those side by side in a set far apart in colour.
const PIECES: [Color; 10] = [
    Color([0xf2, 0xc5, 0x3d]),
    Color([0x3f, 0xb8, 0xd4]),
    Color([0xf0, 0x8c, 0x3a]),
    Color([0x4f, 0x74, 0xd9]),
    Color([0xa8, 0x63, 0xcf]),
    Color([0x5d, 0xb8, 0x5a]),
    Color([0xe0, 0x55, 0x55]),
    Color([0x2f, 0xa3, 0x8c]),
    Color([0xe0, 0x7f, 0xb0]),
    Color([0x8c, 0x9a, 0x3c]),
];

/// A filled cell of which nobody knows the piece.
const STONE: Color = Color([0x9a, 0xa1, 0xad]);

/// The board between and below its cells.
pub fn board(kind: Kind) -> Color {
    match kind {
        Kind::Tiles => Color([0xb9, 0xae, 0xa0]),
        Kind::Well => Color([0x1c, 0x20, 0x2a]),
        Kind::Blocks => Color([0xe4, 0xe0, 0xd8]),
    }
}

/// A cell, by what the picture says of it.
pub fn cell(kind: Kind, cell: u8) -> Color {
    match (kind, cell) {
        (Kind::Tiles, 0) => Color([0xcb, 0xc1, 0xb4]),
        (Kind::Well, 0) => Color([0x25, 0x2a, 0x36]),
        (Kind::Blocks, 0) => Color([0xf1, 0xee, 0xe8]),
        (Kind::Tiles, power) => TILES[usize::from(power - 1) % TILES.len()],
        (_, UNKNOWN) => STONE,
        (_, piece) => PIECES[usize::from(piece - 1) % PIECES.len()],
    }
}

/// Letters that can be read on a colour: dark ones on light, light ones on dark.
pub fn letters_on(color: Color) -> Color {
    if contrast(color, INK) >= contrast(color, BRIGHT) { INK } else { BRIGHT }
}

/// How well two colours are told apart, from 1 to 21, as WCAG 2 defines it.
pub fn contrast(one: Color, other: Color) -> f64 {
    let [one, other] = [one, other].map(|color| luminance(color) + 0.05);
    one.max(other) / one.min(other)
}

fn luminance(Color(parts): Color) -> f64 {
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    let [red, green, blue] = parts.map(linear);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// A colour on its way to another; 0 is the first.
pub fn mixed(Color(from): Color, Color(to): Color, part: f64) -> Color {
    let mix = |i: usize| {
        let (from, to) = (f64::from(from[i]), f64::from(to[i]));
        (from + (to - from) * part).round() as u8
    };
    Color([mix(0), mix(1), mix(2)])
}

/// Every colour that is certain to appear in drawings of a kind of board.
pub(super) fn all(kind: Kind) -> impl Iterator<Item = Color> {
    let own: &[Color] = if kind == Kind::Tiles { &TILES } else { &PIECES };
    let plain = [PAPER, INK, GREY, BRIGHT, STONE, board(kind), cell(kind, 0)];
    plain.into_iter().chain(own.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_can_be_read_on_their_tiles() {
        for tile in TILES {
            let met = contrast(tile, letters_on(tile));
            assert!(met >= 3.0, "{met} on {tile:?}: large letters need 3");
        }
        assert!(contrast(PAPER, GREY) >= 4.5 && contrast(PAPER, INK) >= 7.0);
        assert!((contrast(Color([0; 3]), Color([255; 3])) - 21.0).abs() < 1e-9);
    }

    #[test]
    fn filled_cells_stand_out_from_empty_ones() {
        for kind in [Kind::Well, Kind::Blocks] {
            for piece in 1..=10 {
                let met = contrast(cell(kind, piece), cell(kind, 0));
                assert!(met >= 1.3, "{kind:?} {piece}: {met}");
            }
        }
        assert_eq!(mixed(Color([0, 100, 200]), Color([100, 0, 200]), 0.5), Color([50, 50, 200]));
    }
}
