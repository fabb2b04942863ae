//! `AfterstateFn`: judges by any function of afterstates, such as the table of a solved game.

use afterstate_core::Game;
use afterstate_core::policy::Choice;

use super::{Evaluator, MoveValue};

/// A function that says what an afterstate is worth. `AfterstateFn(|_, _| 0.0)` counts what moves earn
/// and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct AfterstateFn<F>(pub F);

impl<G: Game, F: Fn(&G, &G::After) -> f32 + Clone + Send> Evaluator<G> for AfterstateFn<F> {
    #[inline]
    fn evaluate_moves(
        &mut self,
        game: &G,
        state: &G::State,
        mut offer: impl FnMut(Choice<G>, MoveValue),
    ) {
        game.for_each_move(state, |mv, step| {
            let value = step.reward + (self.0)(game, &step.after);
            offer((mv, step), MoveValue { value, immediate_reward: step.reward });
        });
    }
}
