//! `Cells`: an afterstate as a row of small numbers, which is what n-tuple networks look at.

use afterstate_core::Symmetry;

use crate::Tuples;

/// A board as cells with small values. A *tuple* is a list of cells; the values that stand there
/// are the digits of a number, and that number picks a weight. Every tuple is looked up once for
/// each symmetry of the game.
pub trait Cells: Symmetry {
    /// How many cells a board has.
    fn cell_count(&self) -> usize;

    /// How many columns the cells stand in: cell 0 is the first of the top row.
    fn cell_columns(&self) -> usize;

    /// How many values a cell may have.
    fn cell_values(&self) -> u32;

    /// The value of a cell of an afterstate, below [`Cells::cell_values`].
    fn cell(&self, after: &Self::After, cell: usize) -> u32;

    /// Where symmetry `k` puts a cell.
    fn apply_symmetry_to_cell(&self, k: usize, cell: usize) -> usize;

    /// How far a game has come on this board: grows during a game, or at least tends to.
    fn progress(&self, after: &Self::After) -> u64;

    /// The board of a state, as if a move had left it.
    fn board_of(&self, state: &Self::State) -> Self::After;

    /// Tuples made ready for fast active_features.
    type Compiled: Clone + Send + Sync;

    /// Makes tuples ready.
    fn compile(&self, tuples: &Tuples) -> Self::Compiled;

    /// The numbers of the weights of an afterstate: for each tuple, one for each symmetry, as
    /// [`ReferenceTuples`](crate::ReferenceTuples) would find them.
    fn indices(&self, compiled: &Self::Compiled, after: &Self::After, out: &mut [u32]);
}
