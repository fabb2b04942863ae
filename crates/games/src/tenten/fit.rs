//! `Fit`: a piece compiled for one board size, which finds all its placements at once.

use super::board::Grid;
use crate::shape::Shape;

/// The number of cells that are tested without a branch. Most pieces have at most this many cells,
/// and a branch on the size of the drawn piece would be unpredictable.
const UNROLLED: usize = 5;

/// A piece on a board of one size.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    /// The piece in the top-left corner of the board.
    pub(super) mask: u128,
    /// The possible top-left corners of the piece's bounding box on an empty board.
    pub(super) corners: u128,
    /// The number of cells of the piece.
    pub(super) cells: u32,
    /// The bit offsets of the first cells; the last one is repeated to fill the array.
    first: [u8; UNROLLED],
    /// The other cells.
    rest: Box<[u8]>,
}

impl Fit {
    /// The shape must fit the board.
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
            rest: bits.iter().skip(UNROLLED).copied().collect(),
        }
    }

    /// All legal top-left corners of the piece's bounding box, as bits: ORs the board shifted by
    /// each cell of the piece.
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
