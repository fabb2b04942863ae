//! `Bounded`: an evaluator with known bounds, so that expectimax may cut.

use afterstate_core::Game;
use afterstate_core::policy::Choice;

use super::{Evaluator, MoveValue};

/// An evaluator with bounds of its values.
#[derive(Clone, Copy, Debug)]
pub struct Bounded<E> {
    /// The evaluator.
    pub evaluator: E,
    /// The lower bound of the value of every state, at any depth.
    pub low: f32,
    /// The upper bound of the value of every state, at any depth.
    pub high: f32,
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Bounded<E> {
    #[inline]
    fn evaluate_moves(
        &mut self,
        game: &G,
        state: &G::State,
        each: impl FnMut(Choice<G>, MoveValue),
    ) {
        self.evaluator.evaluate_moves(game, state, each);
    }

    #[inline]
    fn best(&mut self, game: &G, state: &G::State) -> Option<f32> {
        self.evaluator.best(game, state)
    }

    #[inline]
    fn best_until(&mut self, game: &G, state: &G::State, enough: f32) -> Option<f32> {
        self.evaluator.best_until(game, state, enough)
    }

    #[inline]
    fn immediate_reward(&mut self, game: &G, state: &G::State, choice: &Choice<G>) -> f32 {
        self.evaluator.immediate_reward(game, state, choice)
    }

    fn terminal_value(&self) -> f32 {
        self.evaluator.terminal_value()
    }

    #[inline]
    fn expected_value(&mut self, game: &G, after: &G::After) -> (f32, u64) {
        self.evaluator.expected_value(game, after)
    }

    fn bounds(&self, _: u32) -> Option<(f32, f32)> {
        Some((self.low, self.high))
    }

    fn clear_cache(&mut self) {
        self.evaluator.clear_cache();
    }
}
