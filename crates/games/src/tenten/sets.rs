//! The built-in piece sets: 3 and 7 for small boards, 19 for the real game, 18 without the 3x3.
//!
//! Bars and squares are named rows x columns; corners by their arm's length and by where the
//! elbow is: `2nw` is `##/#.`.

use crate::pieces::{NamedSet, Piece, find_set};

/// Every built-in set.
pub const SETS: [NamedSet; 4] = [
    ("3", || three(1).into()),
    ("7", || three(2).into_iter().chain(small_corners(1)).collect()),
    ("18", || nineteen().filter(|piece| piece.name != LARGEST_SQUARE).collect()),
    ("19", || nineteen().collect()),
];

/// The largest square, which the set of 18 leaves out.
const LARGEST_SQUARE: &str = "3x3";

/// The set with a name, or `None` if no set has it.
pub fn named(name: &str) -> Option<Vec<Piece>> {
    find_set(&SETS, name)
}

fn three(weight: u32) -> [Piece; 3] {
    [
        Piece::known("1x1", weight, "#"),
        Piece::known("1x2", weight, "##"),
        Piece::known("2x1", weight, "#/#"),
    ]
}

fn small_corners(weight: u32) -> [Piece; 4] {
    [
        Piece::known("2nw", weight, "##/#."),
        Piece::known("2ne", weight, "##/.#"),
        Piece::known("2sw", weight, "#./##"),
        Piece::known("2se", weight, ".#/##"),
    ]
}

/// The pieces and weights of the real game; the weights sum to 42.
fn nineteen() -> impl Iterator<Item = Piece> {
    let big_corners = [
        Piece::known("3nw", 1, "###/#../#.."),
        Piece::known("3ne", 1, "###/..#/..#"),
        Piece::known("3sw", 1, "#../#../###"),
        Piece::known("3se", 1, "..#/..#/###"),
    ];
    let dot = [Piece::known("1x1", 2, "#")];
    let others = [
        Piece::known("1x4", 2, "####"),
        Piece::known("4x1", 2, "#/#/#/#"),
        Piece::known("1x5", 2, "#####"),
        Piece::known("5x1", 2, "#/#/#/#/#"),
        Piece::known(LARGEST_SQUARE, 2, "###/###/###"),
        Piece::known("1x2", 3, "##"),
        Piece::known("2x1", 3, "#/#"),
        Piece::known("1x3", 3, "###"),
        Piece::known("3x1", 3, "#/#/#"),
        Piece::known("2x2", 6, "##/##"),
    ];
    let corners = big_corners.into_iter().chain(dot).chain(small_corners(2));
    corners.chain(others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::{parse_pieces, pieces_text};

    fn totals(name: &str) -> (usize, u32, u32) {
        let pieces = named(name).unwrap();
        let weight = pieces.iter().map(|piece| piece.weight).sum();
        let area = |piece: &Piece| piece.weight * piece.shape.cells().len() as u32;
        (pieces.len(), weight, pieces.iter().map(area).sum())
    }

    #[test]
    fn sizes_weights_and_areas() {
        assert_eq!(totals("3"), (3, 3, 5));
        assert_eq!(totals("7"), (7, 10, 22));
        // A mean area of 154 / 42 = 3.667 cells.
        assert_eq!(totals("19"), (19, 42, 154));
        assert_eq!(totals("18"), (18, 40, 136));
    }

    #[test]
    fn every_set_has_a_name_and_a_text_form() {
        for (name, make) in SETS {
            let pieces = make();
            assert_eq!(named(name).as_ref(), Some(&pieces));
            assert_eq!(parse_pieces(&pieces_text(&pieces)).unwrap(), pieces);
        }
        assert_eq!(named("20"), None);
    }

    #[test]
    fn names_describe_the_shape() {
        for piece in named("19").unwrap() {
            let size = format!("{}x{}", piece.shape.height(), piece.shape.width());
            let arm = piece.shape.width() - 1;
            let elbow = match &piece.name[1..] {
                "nw" => (0, 0),
                "ne" => (0, arm),
                "sw" => (arm, 0),
                "se" => (arm, arm),
                _ => {
                    assert_eq!(piece.name, size);
                    continue;
                }
            };
            let in_arms = |&(r, c): &(usize, usize)| r == elbow.0 || c == elbow.1;
            assert!(piece.shape.cells().iter().all(in_arms), "{piece}");
            assert_eq!(piece.shape.cells().len(), 2 * arm + 1, "{piece}");
            assert_eq!(piece.name[..1], (arm + 1).to_string(), "{piece}");
        }
    }
}
