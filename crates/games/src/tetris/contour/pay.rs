//! `Pay`: what a learner of Tetris is paid for a drop.

use afterstate_core::Reward;
use afterstate_core::policy::Choice;

use crate::tetris::{State, Tetris};

/// The pay of a drop as a sum of its parts. What is punished is below zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pay {
    /// For each point of the game: a cleared row, or in the endless well a row pushed out, which
    /// the game counts as -1.
    pub point: f32,
    /// For each row by which the well has become higher when it has settled.
    pub height: f32,
    /// For each empty cell that the piece covers.
    pub hole: f32,
    /// More covered cells than this are not counted.
    pub most_holes: u32,
}

impl Pay {
    /// The game's own points.
    pub const fn points(point: f32) -> Pay {
        Pay { point, height: 0.0, hole: 0.0, most_holes: 0 }
    }

    /// What Carr's Sarsa is paid: 100 off for each row of height, 40 for each covered hole, of
    /// which three count at most.
    pub const CARR: Pay = Pay { point: 0.0, height: -100.0, hole: -40.0, most_holes: 3 };
}

impl Reward<Tetris> for Pay {
    #[inline]
    fn reward(&self, game: &Tetris, state: &State, choice: &Choice<Tetris>) -> f32 {
        let (mv, step) = choice;
        let mut pay = self.point * step.reward;
        if self.height != 0.0 {
            let higher = step.after.board.height().saturating_sub(state.board.height());
            pay += self.height * higher as f32;
        }
        if self.hole != 0.0 {
            pay += self.hole * game.covered(state, *mv).min(self.most_holes) as f32;
        }
        pay
    }
}
