//! `AfterstateFn`: evaluates by any function of afterstates.

use afterstate_core::Game;

use super::{EachMove, Evaluator, MoveValue};

/// A function that returns the value of an afterstate. `AfterstateFn(|_, _| 0.0)` counts rewards
/// only.
#[derive(Clone, Copy, Debug)]
pub struct AfterstateFn<F>(pub F);

impl<G: Game, F: FnMut(&G, &G::After) -> f32 + Clone + Send> Evaluator<G> for AfterstateFn<F> {
    #[inline]
    fn evaluate_moves(&mut self, game: &G, state: &G::State, each: EachMove<G>) {
        game.for_each_move(state, |mv, step| {
            let value = step.reward + (self.0)(game, &step.after);
            each((mv, step), MoveValue { value, immediate_reward: step.reward });
        });
    }
}
