//! `Symmetry`: the turns and mirrors under which a game plays the same.

use crate::Game;

/// The symmetries of a rules value. They commute with play: a turned move on a turned state leaves
/// the turned afterstate, with the same reward and the same odds.
pub trait Symmetry: Game {
    /// How many symmetries these rules have, at least one: number 0 is the identity.
    fn symmetries(&self) -> usize;

    /// The symmetry that undoes symmetry `k`.
    fn inverse(&self, k: usize) -> usize;

    /// The state as symmetry `k` shows it.
    fn apply_symmetry_to_state(&self, k: usize, state: &Self::State) -> Self::State;

    /// The afterstate as symmetry `k` shows it.
    fn apply_symmetry_to_after(&self, k: usize, after: &Self::After) -> Self::After;

    /// One of the images of an afterstate. Where it is the same for all of them, a search shares
    /// what it knows of one with the others; by default it shares nothing.
    #[inline]
    fn canonical(&self, after: &Self::After) -> Self::After {
        *after
    }

    /// The move on the turned state that matches `mv` on `state`.
    fn apply_symmetry_to_move(&self, k: usize, state: &Self::State, mv: Self::Move) -> Self::Move;
}
