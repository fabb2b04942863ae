//! `Symmetry`: the rotations and reflections under which the rules are invariant.

use crate::Game;

/// The symmetries of a rules value. They commute with moves and chance: the image of a move in the
/// image of a state leads to the image of the afterstate, with equal reward and probabilities.
pub trait Symmetry: Game {
    /// The number of symmetries, at least one: symmetry 0 is the identity.
    fn symmetries(&self) -> usize;

    /// The inverse of symmetry `k`.
    fn inverse(&self, k: usize) -> usize;

    /// The image of a state under symmetry `k`.
    fn apply_symmetry_to_state(&self, k: usize, state: &Self::State) -> Self::State;

    /// The image of an afterstate under symmetry `k`.
    fn apply_symmetry_to_after(&self, k: usize, after: &Self::After) -> Self::After;

    /// A representative of the orbit of an afterstate, by which a search shares transpositions
    /// between images. The default, the afterstate itself, shares none.
    #[inline]
    fn canonical(&self, after: &Self::After) -> Self::After {
        *after
    }

    /// The move in the image of `state` that corresponds to `mv` in `state`.
    fn apply_symmetry_to_move(&self, k: usize, state: &Self::State, mv: Self::Move) -> Self::Move;
}
