//! `TableJudge`: judges by the table of a solved game.

use afterstate_core::policy::Choice;
use afterstate_core::{Index, Symmetry};
use afterstate_values::ValueTable;

use super::{Judge, Worth};

/// What a move earns and what the table says of the board that it leaves. Looking ahead adds nothing
/// to exact values, and shows that they are right.
#[derive(Clone, Copy)]
pub struct TableJudge<'a>(pub &'a ValueTable);

impl<G: Index + Symmetry> Judge<G> for TableJudge<'_> {
    fn weigh(&mut self, game: &G, state: &G::State, mut offer: impl FnMut(Choice<G>, Worth)) {
        let table = self.0;
        table.weigh(game, state, |choice, value| {
            let passing = Judge::<G>::passing(self, game, state, &choice);
            offer(choice, Worth { value, passing });
        });
    }

    fn passing(&mut self, game: &G, state: &G::State, choice: &Choice<G>) -> f32 {
        let reward = self.0.reward();
        reward.of_move(game, state, choice) + reward.of_after(game, &choice.1.after)
    }
}
