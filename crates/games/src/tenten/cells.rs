//! 1010! for n-tuple networks: every cell of the board, full or empty.

use afterstate_core::{Cells, PlainTuples, Tuples};

use super::{After, Hand, State, TenTen};
use crate::dihedral;

impl Cells for TenTen {
    type Compiled = PlainTuples;

    fn cell_count(&self) -> usize {
        self.cells()
    }

    fn cell_columns(&self) -> usize {
        self.width()
    }

    /// How many cells are full.
    fn progress(&self, after: &After) -> u64 {
        u64::from(after.board.count())
    }

    fn cell_bits(&self) -> u32 {
        1
    }

    fn cell(&self, after: &After, cell: usize) -> u32 {
        u32::from(after.board.get(cell))
    }

    fn turn_cell(&self, k: usize, cell: usize) -> usize {
        let place = (cell / self.width(), cell % self.width());
        let (row, column) =
            dihedral::place(self.turn_number(k), self.width(), self.height(), place);
        row * self.width() + column
    }

    fn board_of(&self, state: &State) -> After {
        After { board: state.board, hand: Hand::EMPTY }
    }

    fn compile(&self, tuples: &Tuples) -> PlainTuples {
        PlainTuples::new(self, tuples)
    }

    fn lookups(&self, compiled: &PlainTuples, after: &After, out: &mut [u32]) {
        compiled.lookups(self, after, out);
    }
}
