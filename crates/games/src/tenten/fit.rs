//! `Fit`: a piece made ready for one board size, so that all its placements are found at once.

use super::board::Grid;
use crate::shape::Shape;

/// Cells looked at together: no branch for pieces up to this size. Most pieces are that small, and
/// which of them is dealt cannot be predicted.
const TOGETHER: usize = 5;

/// A piece on a board of one size.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    /// The piece in the top-left corner of the board.
    pub(super) mask: u128,
    /// Where the top-left corner of the piece's box may lie on an empty board.
    pub(super) corners: u128,
    /// How many cells the piece has.
    pub(super) cells: u32,
    /// The first cells of the piece as bit numbers; the last is repeated to fill the array.
    first: [u8; TOGETHER],
    /// The other cells.
    rest: Box<[u8]>,
}

impl Fit {
    /// The box of the shape must not be larger than the board.
    pub(super) fn new(shape: &Shape, grid: &Grid) -> Fit {
        let bit = |&(row, column): &(usize, usize)| (row * grid.width + column) as u8;
        let bits: Vec<u8> = shape.cells().iter().map(bit).collect();
        let (mut corners, across) = (0, grid.width - shape.width() + 1);
        for row in 0..=grid.height - shape.height() {
            corners |= ((1 << across) - 1) << (row * grid.width);
        }
        let last = bits.len() - 1;
        Fit {
            mask: bits.iter().fold(0, |mask, bit| mask | 1 << bit),
            corners,
            cells: bits.len() as u32,
            first: std::array::from_fn(|i| bits[i.min(last)]),
            rest: bits.iter().skip(TOGETHER).copied().collect(),
        }
    }

    /// Every place for the top-left corner of the piece's box on a board, as bits.
    #[inline]
    pub(super) fn origins(&self, board: u128) -> u128 {
        let blocked = |blocked: u128, &cell: &u8| blocked | board >> cell;
        let mut taken = self.first.iter().fold(0, blocked);
        if !self.rest.is_empty() {
            taken = self.rest.iter().fold(taken, blocked);
        }
        self.corners & !taken
    }
}
