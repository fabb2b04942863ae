//! `Bounded`: a evaluator whose values are known to lie in a range, so that a search may cut off.

use afterstate_core::Game;
use afterstate_core::policy::Choice;

use super::{Evaluator, MoveValue};

/// A evaluator with the range of its values.
#[derive(Clone, Copy, Debug)]
pub struct Bounded<J> {
    /// Who judges.
    pub evaluator: J,
    /// No state is worth less, at any depth.
    pub low: f32,
    /// No state is worth more, at any depth.
    pub high: f32,
}

impl<G: Game, J: Evaluator<G>> Evaluator<G> for Bounded<J> {
    #[inline]
    fn evaluate_moves(
        &mut self,
        game: &G,
        state: &G::State,
        offer: impl FnMut(Choice<G>, MoveValue),
    ) {
        self.evaluator.evaluate_moves(game, state, offer);
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
    fn expect(&mut self, game: &G, after: &G::After) -> (f32, u64) {
        self.evaluator.expect(game, after)
    }

    fn bounds(&self, _: u32) -> Option<(f32, f32)> {
        Some((self.low, self.high))
    }

    fn forget(&mut self) {
        self.evaluator.forget();
    }
}
