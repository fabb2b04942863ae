//! `Cells`: an afterstate as an array of small cell values, the input of n-tuple networks.

use afterstate_core::Symmetry;
use afterstate_core::policy::Choice;

use crate::outcomes::{OutcomeIndices, Unchanged};
use crate::{Replies, Tuples};

/// A feature that a move changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The number of the feature, in the order of [`Cells::indices`].
    pub feature: u8,
    /// The number of its tuple.
    pub tuple: u8,
    /// The bits of its index, without the offset of the tuple, that the move flips.
    pub flip: u16,
}

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

    /// Appends the values of all cells of an afterstate in their order, a byte for each.
    fn append_cells(&self, after: &Self::After, out: &mut Vec<u8>) {
        out.extend((0..self.cell_count()).map(|cell| self.cell(after, cell) as u8));
    }

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

    /// Writes the indices of the active features of the afterstate of each move to the front of
    /// `out`, `active_features` for each; `out` grows as needed, and what is behind them has no
    /// meaning.
    #[inline]
    fn indices_of_moves(
        &self,
        compiled: &Self::Compiled,
        moves: &[Choice<Self>],
        active_features: usize,
        out: &mut Vec<u32>,
    ) {
        indices_of_moves(self, compiled, moves, active_features, out);
    }

    /// Whether [`Cells::changes`] knows what moves change.
    fn has_changes(_: &Self::Compiled) -> bool {
        false
    }

    /// The features that a move changes on the board of a state, of those that read the same cells
    /// the first ([`Tuples::first_alike`]): all others have the same index after it. `None` where
    /// that is not known.
    #[inline]
    fn changes<'c>(
        &self,
        compiled: &'c Self::Compiled,
        state: &Self::State,
        choice: &Choice<Self>,
    ) -> Option<&'c [Change]> {
        let _ = (compiled, state, choice);
        None
    }

    /// Adds an afterstate and what its chance outcomes change to a list, and returns the features that
    /// they leave unchanged. `prefetch` gets all indices as soon as they are known. `None` where what
    /// outcomes change is not known; nothing is then added.
    #[inline]
    fn add_outcomes<'c>(
        &self,
        compiled: &'c Self::Compiled,
        after: &Self::After,
        list: &mut OutcomeIndices,
        prefetch: impl Fn(&[u32]),
    ) -> Option<&'c Unchanged> {
        let _ = (compiled, after, list, prefetch);
        None
    }

    /// Adds all moves after all chance outcomes of an afterstate to a list. [`Replies::add`] is the
    /// reference implementation.
    #[inline]
    fn add_replies(&self, after: &Self::After, list: &mut Replies<Self::After>) {
        list.add(self, after);
    }
}

/// The reference implementation of [`Cells::indices_of_moves`]: one move after the other.
#[inline]
pub(crate) fn indices_of_moves<G: Cells>(
    game: &G,
    compiled: &G::Compiled,
    moves: &[Choice<G>],
    active_features: usize,
    out: &mut Vec<u32>,
) {
    let needed = moves.len() * active_features;
    if out.len() < needed {
        out.resize(needed, 0);
    }
    let mut rest = &mut out[..];
    for (_, step) in moves {
        if let Some(own) = rest.split_off_mut(..active_features) {
            game.indices(compiled, &step.after, own);
        }
    }
}
