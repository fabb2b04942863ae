//! The colours of charts and of boards, in files and in terminals.

use std::fmt;

use afterstate_games::picture::{Kind, UNKNOWN};

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Color(pub [u8; 3]);

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// White: the background of charts, and light text on boards.
pub const WHITE: Color = hex(0xffffff);

/// The curves of a chart: Okabe and Ito's colours, which colour-blind readers tell apart, without
/// their yellow, which is too faint on white; then three for charts of many curves.
pub(crate) const SERIES: [Color; 10] = hexes([
    0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x333333, 0x7b3fb5, 0x8c564b,
    0x6b8e23,
]);

/// The curve of a tile, the same in all charts. Neighbouring tiles differ.
pub(crate) fn tile_curve(tile: u64) -> Color {
    SERIES[(tile.max(1).ilog2() as usize + 6) % 7]
}
/// Text of a chart.
pub(crate) const CHART_TEXT: Color = hex(0x1f2937);
/// Secondary text of a chart.
pub(crate) const CHART_MUTED: Color = hex(0x5b6472);
/// Grid lines of a chart.
pub(crate) const GRID: Color = hex(0xe3e6ea);

/// Background of a drawn board.
pub(crate) const BACKGROUND: Color = hex(0xfaf8f4);
/// Text around and on a board.
pub(crate) const TEXT: Color = hex(0x2b2f38);
/// Secondary text around a board.
pub(crate) const MUTED: Color = hex(0x6a707c);
/// A filled cell whose piece is unknown.
pub const UNKNOWN_PIECE: Color = hex(0x9aa1ad);
/// Where a piece does not fit.
pub const ILLEGAL: Color = hex(0xd44837);
/// Where the best move places the piece.
pub const BEST_MOVE: Color = hex(0x6fe08f);

/// Tiles from 2 on: sand, orange and red up to 64, gold up to 512, then green, blue and purple.
const TILES: [Color; 17] = hexes([
    0xeee6da, 0xecdbb4, 0xf2b179, 0xf08f58, 0xea6c50, 0xd44837, 0xf0d062, 0xe8bf3c, 0xd8a61c,
    0x93b848, 0x35965b, 0x1f8a8c, 0x2a6fb0, 0x4452b8, 0x7044ac, 0x9c3686, 0x6e2444,
]);

/// Pieces, by their number in the set: neighbours differ strongly.
const PIECES: [Color; 10] = hexes([
    0xf2c53d, 0x3fb8d4, 0xf08c3a, 0x4f74d9, 0xa863cf, 0x5db85a, 0xe05555, 0x2fa38c, 0xe07fb0,
    0x8c9a3c,
]);

const fn hex(rgb: u32) -> Color {
    let [_, red, green, blue] = rgb.to_be_bytes();
    Color([red, green, blue])
}

const fn hexes<const N: usize>(rgb: [u32; N]) -> [Color; N] {
    let mut colors = [Color([0; 3]); N];
    let mut i = 0;
    while i < N {
        colors[i] = hex(rgb[i]);
        i += 1;
    }
    colors
}

/// The board between and around its cells.
pub fn board(kind: Kind) -> Color {
    match kind {
        Kind::Tiles => hex(0xb9aea0),
        Kind::Well => hex(0x1c202a),
        Kind::Blocks => hex(0xe4e0d8),
    }
}

/// A cell by its value in `Scene::cells`.
pub fn cell(kind: Kind, cell: u8) -> Color {
    match (kind, cell) {
        (Kind::Tiles, 0) => hex(0xcbc1b4),
        (Kind::Well, 0) => hex(0x252a36),
        (Kind::Blocks, 0) => hex(0xf1eee8),
        (Kind::Tiles, power) => TILES[usize::from(power - 1) % TILES.len()],
        (_, UNKNOWN) => UNKNOWN_PIECE,
        (_, piece) => PIECES[usize::from(piece - 1) % PIECES.len()],
    }
}

/// The text colour with the higher contrast on a background, dark or white.
pub fn text_on(color: Color) -> Color {
    if contrast(color, TEXT) >= contrast(color, WHITE) { TEXT } else { WHITE }
}

/// The contrast ratio of WCAG 2, from 1 to 21.
fn contrast(one: Color, other: Color) -> f64 {
    let [one, other] = [one, other].map(|color| luminance(color) + 0.05);
    one.max(other) / one.min(other)
}

fn luminance(Color(channels): Color) -> f64 {
    let linear = |channel: u8| {
        let channel = f64::from(channel) / 255.0;
        if channel <= 0.04045 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
    };
    let [red, green, blue] = channels.map(linear);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// Linear interpolation between two colours; 0 is the first.
pub fn mix(Color(from): Color, Color(to): Color, part: f64) -> Color {
    let mix = |i: usize| {
        let (from, to) = (f64::from(from[i]), f64::from(to[i]));
        (from + (to - from) * part).round() as u8
    };
    Color([mix(0), mix(1), mix(2)])
}

/// The colours that drawings of a kind of board use, except for blends at edges.
pub(crate) fn of_board(kind: Kind) -> impl Iterator<Item = Color> {
    let cells: &[Color] = if kind == Kind::Tiles { &TILES } else { &PIECES };
    let others = [BACKGROUND, TEXT, MUTED, WHITE, UNKNOWN_PIECE, board(kind), cell(kind, 0)];
    others.into_iter().chain(cells.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable_on_their_tiles() {
        for tile in TILES {
            let ratio = contrast(tile, text_on(tile));
            assert!(ratio >= 3.0, "{ratio} on {tile}: large text needs 3");
        }
        assert!(contrast(BACKGROUND, MUTED) >= 4.5 && contrast(BACKGROUND, TEXT) >= 7.0);
        assert!((contrast(Color([0; 3]), WHITE) - 21.0).abs() < 1e-9);
    }

    #[test]
    fn filled_cells_differ_from_empty_ones() {
        for kind in [Kind::Well, Kind::Blocks] {
            for piece in 1..=10 {
                let ratio = contrast(cell(kind, piece), cell(kind, 0));
                assert!(ratio >= 1.3, "{kind:?} {piece}: {ratio}");
            }
        }
        assert_eq!(mix(Color([0, 100, 200]), Color([100, 0, 200]), 0.5), Color([50, 50, 200]));
    }
}
