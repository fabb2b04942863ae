//! Turns and mirrors of the board, where the piece set and its odds look the same after them.

use afterstate_core::Symmetry;

use super::board::{Board, Grid};
use super::hand::Hand;
use super::rules::{After, Placement, SIDES, State, TenTen};
use crate::pieces::Piece;
use crate::shape::Shape;

/// One symmetry: rows and columns are exchanged first, then top and bottom, then left and right.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    kind: Kind,
    /// The piece that each piece becomes.
    pieces: Vec<u8>,
    /// The number of the symmetry that undoes this one.
    inverse: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind {
    transpose: bool,
    upside_down: bool,
    mirror: bool,
}

impl Kind {
    /// All eight, the identity first, those without transposition before the others.
    fn all() -> impl Iterator<Item = Kind> {
        (0..8).map(|number| Kind {
            transpose: number & 4 != 0,
            upside_down: number & 2 != 0,
            mirror: number & 1 != 0,
        })
    }

    /// Without transposition a symmetry undoes itself; with it, the two flips change places.
    fn inverse(self) -> Kind {
        if !self.transpose {
            return self;
        }
        Kind { upside_down: self.mirror, mirror: self.upside_down, ..self }
    }

    fn of_shape(self, shape: &Shape) -> Shape {
        let mut shape = shape.clone();
        if self.transpose {
            shape = shape.transposed();
        }
        if self.upside_down {
            shape = shape.turned().turned().mirrored();
        }
        if self.mirror {
            shape = shape.mirrored();
        }
        shape
    }

    #[inline]
    fn of_board(self, grid: &Grid, bits: u128) -> u128 {
        let mut bits = bits;
        if self.transpose {
            bits = transposed(grid, bits);
        }
        // Both flips together reverse all the bits, so a mirror is a half turn upside down.
        if self.upside_down != self.mirror {
            bits = upside_down(grid, bits);
        }
        if self.mirror {
            bits = bits.reverse_bits() >> (128 - grid.cells());
        }
        bits
    }
}

/// The symmetries of the board under which each piece becomes one with the same weight.
pub(super) fn turns(grid: &Grid, pieces: &[Piece]) -> Vec<Turn> {
    let square = grid.width == grid.height;
    let fitting = Kind::all().filter(|kind| square || !kind.transpose);
    let closed = fitting.filter_map(|kind| Some((kind, pieces_under(kind, pieces)?)));
    let closed: Vec<(Kind, Vec<u8>)> = closed.collect();
    let number_of = |kind| closed.iter().position(|other| other.0 == kind);
    let turn = |(kind, pieces): &(Kind, Vec<u8>)| Turn {
        kind: *kind,
        pieces: pieces.clone(),
        inverse: number_of(kind.inverse()).expect("what closes the set, undone, closes it too"),
    };
    closed.iter().map(turn).collect()
}

/// The piece that each piece becomes, or `None` if one becomes a piece that the set has not. Of
/// pieces alike in shape and weight, the first becomes the first, so that undoing is unique.
fn pieces_under(kind: Kind, pieces: &[Piece]) -> Option<Vec<u8>> {
    let alike = |shape: &Shape, weight: u32| {
        let shape = shape.clone();
        let same = move |piece: &Piece| piece.shape == shape && piece.weight == weight;
        (0..pieces.len()).filter(move |&i| same(&pieces[i]))
    };
    let becomes = |(i, piece): (usize, &Piece)| {
        let rank = alike(&piece.shape, piece.weight).position(|other| other == i)?;
        let turned = kind.of_shape(&piece.shape);
        alike(&turned, piece.weight).nth(rank).map(|i| i as u8)
    };
    pieces.iter().enumerate().map(becomes).collect()
}

/// Rows in the opposite order.
#[inline]
fn upside_down(grid: &Grid, bits: u128) -> u128 {
    let (mut from, mut to) = (bits, 0);
    for _ in 0..grid.height {
        to = to << grid.width | from & grid.top_row;
        from >>= grid.width;
    }
    to
}

/// Rows and columns exchanged, by swapping each diagonal with its mirror image. Only for squares.
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

/// The main diagonal of the square with each side.
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
    /// The number that symmetry `k` of these rules has among all eight.
    pub(super) fn turn_number(&self, k: usize) -> usize {
        let Kind { transpose, upside_down, mirror } = self.turns[k].kind;
        usize::from(transpose) << 2 | usize::from(upside_down) << 1 | usize::from(mirror)
    }

    /// The board as symmetry `k` shows it.
    #[inline]
    pub(super) fn turned_board(&self, k: usize, board: Board) -> Board {
        Board::new(self.turns[k].kind.of_board(&self.grid, board.bits()))
    }

    /// Rows and columns of a square board exchanged.
    #[inline]
    pub(super) fn transposed_bits(&self, bits: u128) -> u128 {
        transposed(&self.grid, bits)
    }

    #[inline]
    fn turned(&self, k: usize, board: Board, hand: Hand) -> (Board, Hand) {
        let turn = &self.turns[k];
        let becomes = |piece: u8| turn.pieces[usize::from(piece)];
        let hand = hand.pieces().map(becomes).fold(Hand::EMPTY, Hand::with);
        (self.turned_board(k, board), hand)
    }
}

impl Symmetry for TenTen {
    fn symmetries(&self) -> usize {
        self.turns.len()
    }

    fn inverse(&self, k: usize) -> usize {
        self.turns[k].inverse
    }

    #[inline]
    fn apply_symmetry_to_state(&self, k: usize, state: &State) -> State {
        let (board, hand) = self.turned(k, state.board, state.hand);
        State { board, hand }
    }

    #[inline]
    fn apply_symmetry_to_after(&self, k: usize, after: &After) -> After {
        let (board, hand) = self.turned(k, after.board, after.hand);
        After { board, hand }
    }

    #[inline]
    fn apply_symmetry_to_move(&self, k: usize, _: &State, mv: Placement) -> Placement {
        let Turn { kind, pieces, .. } = &self.turns[k];
        let piece = pieces[usize::from(mv.piece)];
        let shape = self.shape_of(piece);
        let at = usize::from(mv.at);
        let (mut row, mut column) = (at / self.width(), at % self.width());
        if kind.transpose {
            (row, column) = (column, row);
        }
        // A flip moves the box's other corner to its top-left.
        if kind.upside_down {
            row = self.height() - shape.height() - row;
        }
        if kind.mirror {
            column = self.width() - shape.width() - column;
        }
        Placement { piece, at: (row * self.width() + column) as u8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dihedral;

    #[test]
    fn turns_are_numbered_as_in_every_game() {
        for (width, height) in [(10, 10), (3, 3), (4, 7)] {
            let grid = Grid::new(width, height);
            for (k, kind) in Kind::all().enumerate().take(dihedral::symmetries(width, height)) {
                for row in 0..height {
                    for column in 0..width {
                        let (r, c) = dihedral::place(k, width, height, (row, column));
                        let turned = kind.of_board(&grid, 1 << (row * width + column));
                        assert_eq!(turned, 1 << (r * width + c), "symmetry {k}");
                    }
                }
            }
        }
    }
}
