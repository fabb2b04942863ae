//! The symmetries of 2048: eight on a square, four on a rectangle.

use afterstate_core::Symmetry;

use super::{Board, Slide, Twenty48};
use crate::dihedral;

impl Symmetry for Twenty48 {
    fn symmetries(&self) -> usize {
        dihedral::symmetries(self.width(), self.height())
    }

    fn inverse(&self, k: usize) -> usize {
        dihedral::inverse(k)
    }

    fn apply_symmetry_to_state(&self, k: usize, state: &Board) -> Board {
        if k == 0 {
            return *state;
        }
        state.mapped(|row, column| dihedral::place(k, self.width(), self.height(), (row, column)))
    }

    fn apply_symmetry_to_after(&self, k: usize, after: &Board) -> Board {
        self.apply_symmetry_to_state(k, after)
    }

    /// The image with the smallest nibbles as a number; boards with larger tiles are their own.
    #[inline]
    fn canonical(&self, after: &Board) -> Board {
        match after.nibbles() {
            Some(tiles) => Board::from_nibbles(self.smallest_image(tiles)),
            None => *after,
        }
    }

    fn apply_symmetry_to_move(&self, k: usize, _: &Board, mv: Slide) -> Slide {
        use Slide::{Down, Left, Right, Up};
        let transposed = match mv {
            Left if k & 4 != 0 => Up,
            Up if k & 4 != 0 => Left,
            Right if k & 4 != 0 => Down,
            Down if k & 4 != 0 => Right,
            other => other,
        };
        match transposed {
            Left if k & 1 != 0 => Right,
            Right if k & 1 != 0 => Left,
            Up if k & 2 != 0 => Down,
            Down if k & 2 != 0 => Up,
            other => other,
        }
    }
}
