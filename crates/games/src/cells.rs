//! `Cells`: an afterstate as an array of small cell values, the input of n-tuple networks.

use afterstate_core::Symmetry;

use crate::Tuples;

/// A board as cells with small values. A *tuple* is a list of cells; their values are the digits of
/// the index of a weight. Every tuple has one active feature per symmetry of the game.
pub trait Cells: Symmetry {
    /// The number of cells of a board.
    fn cell_count(&self) -> usize;

    /// The number of columns: cells are numbered row by row from the top left.
    fn cell_columns(&self) -> usize;

    /// The number of values of a cell.
    fn cell_values(&self) -> u32;

    /// The value of a cell of an afterstate, below [`Cells::cell_values`].
    fn cell(&self, after: &Self::After, cell: usize) -> u32;

    /// The image of a cell under symmetry `k`.
    fn apply_symmetry_to_cell(&self, k: usize, cell: usize) -> usize;

    /// The progress of a game at a board, by which networks select their stage: a quantity that
    /// grows, or tends to grow, during a game.
    fn progress(&self, after: &Self::After) -> u64;

    /// The board of a state as an afterstate, for evaluating states by afterstate values.
    fn board_of(&self, state: &Self::State) -> Self::After;

    /// Tuples compiled for fast feature lookup.
    type Compiled: Clone + Send + Sync;

    /// Compiles tuples.
    fn compile(&self, tuples: &Tuples) -> Self::Compiled;

    /// Writes the indices of the active features of an afterstate: for each tuple, one per
    /// symmetry. [`ReferenceTuples`](crate::ReferenceTuples) is the reference implementation.
    fn indices(&self, compiled: &Self::Compiled, after: &Self::After, out: &mut [u32]);
}
