//! The table of a solved game as an evaluator. Deeper search gives the same values.

use afterstate_core::policy::Choice;
use afterstate_core::{Index, Symmetry};
use afterstate_search::{EachMove, Evaluator, MoveValue};

use crate::SolvedTable;

impl<G: Index + Symmetry> Evaluator<G> for &SolvedTable {
    fn evaluate_moves(&mut self, game: &G, state: &G::State, each: EachMove<G>) {
        game.for_each_move(state, |mv, step| {
            let value = self.move_value(game, state, &(mv, step));
            let immediate_reward = Evaluator::<G>::immediate_reward(self, game, state, &(mv, step));
            each((mv, step), MoveValue { value, immediate_reward });
        });
    }

    fn immediate_reward(&mut self, game: &G, state: &G::State, choice: &Choice<G>) -> f32 {
        let reward = self.reward();
        reward.of_move(game, state, choice) + reward.of_after(game, &choice.1.after)
    }
}
