//! `ContourReward`: the reward function of table learners of Tetris.

use crate::RewardFunction;
use afterstate_core::policy::Choice;
use serde::{Deserialize, Serialize};

use crate::tetris::{State, Tetris};

/// The reward of a drop as a weighted sum; the fields are the coefficients, negative for penalties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContourReward {
    /// Per point of the game: a cleared row, or -1 per row pushed out of the endless well.
    pub point: f32,
    /// Per row by which the board is higher after the drop.
    pub higher: f32,
    /// Per row by which the board is lower after the drop.
    pub lower: f32,
    /// Per empty cell that the piece covers.
    pub hole: f32,
    /// The largest number of covered cells that count.
    pub max_holes: u32,
}

impl ContourReward {
    /// The game's own points, times a factor.
    pub const fn points(point: f32) -> ContourReward {
        ContourReward { point, higher: 0.0, lower: 0.0, hole: 0.0, max_holes: 0 }
    }

    /// The reward of Carr's Sarsa: -100 per row of height, -40 per covered hole, of which at most
    /// three count. A row of lost height gives 100 back: if only rises counted, play in a well of
    /// width five would clear a tenth of the rows that Carr reports.
    pub const CARR: ContourReward =
        ContourReward { point: 0.0, higher: -100.0, lower: 100.0, hole: -40.0, max_holes: 3 };
}

impl RewardFunction<Tetris> for ContourReward {
    #[inline]
    fn reward(&self, game: &Tetris, state: &State, choice: &Choice<Tetris>) -> f32 {
        let (mv, step) = choice;
        let mut reward = self.point * step.reward;
        if self.higher != 0.0 || self.lower != 0.0 {
            let (before, after) = (state.board.height(), step.after.board.height());
            reward += self.higher * after.saturating_sub(before) as f32;
            reward += self.lower * before.saturating_sub(after) as f32;
        }
        if self.hole != 0.0 {
            reward += self.hole * game.covered(state, *mv).min(self.max_holes) as f32;
        }
        reward
    }
}

#[cfg(test)]
mod tests {
    use afterstate_core::Rng;

    use super::*;
    use crate::laws::for_each_random_move;
    use crate::tetris::{Setup, melax_pieces};

    /// The reference implementation counts holes cell by cell, before rows clear.
    #[test]
    fn rewards_equal_the_reference() {
        for (width, height, pieces) in
            [(4, 8, melax_pieces()), (10, 20, Setup::sized(10, 20).pieces)]
        {
            let game = Tetris::new(Setup { pieces, ..Setup::sized(width, height) }).unwrap();
            for_each_random_move(&game, Rng::stream(1, 0), 20_000, |state, choice| {
                let (mv, step) = choice;
                let form = &game.form(state.piece).orientations[usize::from(mv.orientation)];
                let left = usize::from(mv.column);
                let rests = (0..height).find(|floor| {
                    (0..form.width).all(|c| {
                        (0..form.height).all(|r| {
                            let cell = form.columns[c] >> r & 1 != 0;
                            // No board cell at or above a cell of the piece.
                            !cell || state.board.height_of(left + c) <= floor + r
                        })
                    })
                });
                let covers = |c: usize| {
                    let lowest = rests.unwrap() + form.columns[c].trailing_zeros() as usize;
                    (0..lowest).rev().take_while(|&r| !state.board.get(r, left + c)).count()
                };
                let holes: usize = (0..form.width).map(covers).sum();
                let higher = step.after.board.height() as f32 - state.board.height() as f32;
                let expected = -100.0 * higher - 40.0 * holes.min(3) as f32;
                let found = ContourReward::CARR.reward(&game, state, &choice);
                assert_eq!(found, expected, "{state:?} {mv:?}");
                let rows =
                    ContourReward { hole: -1.0, max_holes: 99, ..ContourReward::points(2.0) };
                assert_eq!(rows.reward(&game, state, &choice), 2.0 * step.reward - holes as f32);
            });
        }
    }
}
