//! The cells of Tetris for n-tuple networks: full or empty, row by row from the top.

use crate::{Cells, ReferenceTuples, Tuples};
use afterstate_core::Symmetry;

use super::{After, State, Tetris};

impl Cells for Tetris {
    type Compiled = ReferenceTuples;

    fn cell_count(&self) -> usize {
        self.setup().width * self.setup().height
    }

    fn cell_columns(&self) -> usize {
        self.setup().width
    }

    /// The number of full cells.
    fn progress(&self, after: &After) -> u64 {
        after.board.columns().iter().map(|column| u64::from(column.count_ones())).sum()
    }

    fn cell_values(&self) -> u32 {
        2
    }

    fn cell(&self, after: &After, cell: usize) -> u32 {
        let row = self.setup().height - 1 - cell / self.setup().width;
        u32::from(after.board.get(row, cell % self.setup().width))
    }

    fn apply_symmetry_to_cell(&self, k: usize, cell: usize) -> usize {
        let (row, column) = (cell / self.setup().width, cell % self.setup().width);
        let mirrored = k == 1 && self.symmetries() == 2;
        let column = if mirrored { self.setup().width - 1 - column } else { column };
        row * self.setup().width + column
    }

    fn board_of(&self, state: &State) -> After {
        After { board: state.board, next: state.next }
    }

    fn compile(&self, tuples: &Tuples) -> ReferenceTuples {
        ReferenceTuples::new(self, tuples)
    }

    fn indices(&self, compiled: &ReferenceTuples, after: &After, out: &mut [u32]) {
        compiled.indices(self, after, out);
    }
}
