//! The symmetries of 1010!: those of the board under which the piece set is invariant.

use afterstate_core::Symmetry;

use super::board::{Board, Grid};
use super::hand::Hand;
use super::rules::{After, Placement, SIDES, State, TenTen};
use crate::dihedral;
use crate::pieces::Piece;
use crate::shape::Shape;

/// One symmetry of the board with its map of the pieces.
#[derive(Clone, Debug)]
pub(super) struct BoardSymmetry {
    /// Its number in the numbering of `dihedral`.
    dihedral: usize,
    /// The image of each piece.
    pieces: Vec<u8>,
    /// The number of the inverse symmetry.
    inverse: usize,
}

fn shape_image(k: usize, shape: &Shape) -> Shape {
    let mut shape = if k & 4 != 0 { shape.transposed() } else { shape.clone() };
    if k & 2 != 0 {
        shape = shape.rotated().rotated().mirrored();
    }
    if k & 1 != 0 { shape.mirrored() } else { shape }
}

#[inline]
fn board_image(k: usize, grid: &Grid, bits: u128) -> u128 {
    let mut bits = if k & 4 != 0 { transposed(grid, bits) } else { bits };
    // Both flips together reverse all bits, so a mirror is that and a vertical flip.
    if (k ^ k >> 1) & 1 != 0 {
        bits = upside_down(grid, bits);
    }
    if k & 1 != 0 { bits.reverse_bits() >> (128 - grid.cells()) } else { bits }
}

/// The symmetries of the board under which the image of each piece has the same weight.
pub(super) fn board_symmetries(grid: &Grid, pieces: &[Piece]) -> Vec<BoardSymmetry> {
    let fitting = 0..dihedral::symmetries(grid.width, grid.height);
    let closed = fitting.filter_map(|k| Some((k, pieces_under(k, pieces)?)));
    let closed: Vec<(usize, Vec<u8>)> = closed.collect();
    let number_of = |k| closed.iter().position(|other| other.0 == k);
    let symmetry = |(k, pieces): &(usize, Vec<u8>)| BoardSymmetry {
        dihedral: *k,
        pieces: pieces.clone(),
        inverse: number_of(dihedral::inverse(*k)).expect("symmetries of a set form a group"),
    };
    closed.iter().map(symmetry).collect()
}

/// The image of each piece; `None` if the set does not contain it. Pieces of equal shape and weight
/// are mapped in their order, so that the inverse is unique.
fn pieces_under(k: usize, pieces: &[Piece]) -> Option<Vec<u8>> {
    let alike = |shape: &Shape, weight: u32| {
        let shape = shape.clone();
        let same = move |piece: &Piece| piece.shape == shape && piece.weight == weight;
        (0..pieces.len()).filter(move |&i| same(&pieces[i]))
    };
    let image = |(i, piece): (usize, &Piece)| {
        let rank = alike(&piece.shape, piece.weight).position(|other| other == i)?;
        let shape = shape_image(k, &piece.shape);
        alike(&shape, piece.weight).nth(rank).map(|i| i as u8)
    };
    pieces.iter().enumerate().map(image).collect()
}

/// Flips a board top to bottom.
#[inline]
fn upside_down(grid: &Grid, bits: u128) -> u128 {
    let (mut from, mut to) = (bits, 0);
    for _ in 0..grid.height {
        to = to << grid.width | from & grid.top_row;
        from >>= grid.width;
    }
    to
}

/// Transposes a square board by swapping each diagonal with its mirror image.
#[inline]
fn transposed(grid: &Grid, bits: u128) -> u128 {
    let side = grid.width;
    let mut bits = bits;
    for above in 1..side {
        let diagonal = (DIAGONALS[side] & ((1 << ((side - above) * side)) - 1)) << above;
        let apart = above * (side - 1);
        let differing = (bits ^ bits >> apart) & diagonal;
        bits ^= differing | differing << apart;
    }
    bits
}

/// The main diagonal of a square, by its side.
const DIAGONALS: [u128; *SIDES.end() + 1] = {
    let mut diagonals = [0; *SIDES.end() + 1];
    let mut side = 1;
    while side < diagonals.len() {
        let mut i = 0;
        while i < side {
            diagonals[side] |= 1 << (i * side + i);
            i += 1;
        }
        side += 1;
    }
    diagonals
};

impl TenTen {
    /// The number of symmetry `k` of these rules in the numbering of `dihedral`.
    pub(super) fn dihedral_number(&self, k: usize) -> usize {
        self.board_symmetries[k].dihedral
    }

    /// The image of a board under symmetry `k`.
    #[inline]
    pub(super) fn apply_symmetry_to_board(&self, k: usize, board: Board) -> Board {
        Board::new(board_image(self.dihedral_number(k), &self.grid, board.bits()))
    }

    /// The transposed bits of a square board.
    #[inline]
    pub(super) fn transposed_bits(&self, bits: u128) -> u128 {
        transposed(&self.grid, bits)
    }

    #[inline]
    fn image(&self, k: usize, board: Board, hand: Hand) -> (Board, Hand) {
        let symmetry = &self.board_symmetries[k];
        let becomes = |piece: u8| symmetry.pieces[usize::from(piece)];
        let hand = hand.pieces().map(becomes).fold(Hand::EMPTY, Hand::with);
        (self.apply_symmetry_to_board(k, board), hand)
    }
}

impl Symmetry for TenTen {
    fn symmetries(&self) -> usize {
        self.board_symmetries.len()
    }

    fn inverse(&self, k: usize) -> usize {
        self.board_symmetries[k].inverse
    }

    #[inline]
    fn apply_symmetry_to_state(&self, k: usize, state: &State) -> State {
        let (board, hand) = self.image(k, state.board, state.hand);
        State { board, hand }
    }

    #[inline]
    fn apply_symmetry_to_after(&self, k: usize, after: &After) -> After {
        let (board, hand) = self.image(k, after.board, after.hand);
        After { board, hand }
    }

    #[inline]
    fn apply_symmetry_to_move(&self, k: usize, _: &State, mv: Placement) -> Placement {
        let BoardSymmetry { dihedral, pieces, .. } = &self.board_symmetries[k];
        let piece = pieces[usize::from(mv.piece)];
        let (shape, at) = (self.shape_of(piece), usize::from(mv.at));
        // The places of the corner of the bounding box form a smaller board.
        let (across, down) = (self.width() + 1 - shape.width(), self.height() + 1 - shape.height());
        let place = (at / self.width(), at % self.width());
        let (row, column) = dihedral::place(*dihedral, across, down, place);
        Placement { piece, at: (row * self.width() + column) as u8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_have_the_numbering_of_dihedral() {
        for (width, height) in [(10, 10), (3, 3), (4, 7)] {
            let grid = Grid::new(width, height);
            for k in 0..dihedral::symmetries(width, height) {
                for row in 0..height {
                    for column in 0..width {
                        let (r, c) = dihedral::place(k, width, height, (row, column));
                        let image = board_image(k, &grid, 1 << (row * width + column));
                        assert_eq!(image, 1 << (r * width + c), "symmetry {k}");
                    }
                }
            }
        }
    }
}
