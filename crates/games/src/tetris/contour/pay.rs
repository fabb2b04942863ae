//! `Pay`: what a learner of Tetris is paid for a drop.

use crate::RewardFunction;
use afterstate_core::policy::Choice;

use crate::tetris::{State, Tetris};

/// The pay of a drop as a sum of its parts. What is punished is below zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pay {
    /// For each point of the game: a cleared row, or in the endless well a row pushed out, which
    /// the game counts as -1.
    pub point: f32,
    /// For each row by which the well has become higher when it has settled.
    pub higher: f32,
    /// For each row by which it has become lower.
    pub lower: f32,
    /// For each empty cell that the piece covers.
    pub hole: f32,
    /// More covered cells than this are not counted.
    pub most_holes: u32,
}

impl Pay {
    /// The game's own points.
    pub const fn points(point: f32) -> Pay {
        Pay { point, higher: 0.0, lower: 0.0, hole: 0.0, most_holes: 0 }
    }

    /// What Carr's Sarsa is paid: 100 off for each row of height, 40 for each covered hole, of
    /// which three count at most. A row that the well loses pays the 100 back: where only rises
    /// count, a well of width five is played for a tenth of the rows that Carr reports.
    pub const CARR: Pay =
        Pay { point: 0.0, higher: -100.0, lower: 100.0, hole: -40.0, most_holes: 3 };
}

impl RewardFunction<Tetris> for Pay {
    #[inline]
    fn reward(&self, game: &Tetris, state: &State, choice: &Choice<Tetris>) -> f32 {
        let (mv, step) = choice;
        let mut pay = self.point * step.reward;
        if self.higher != 0.0 || self.lower != 0.0 {
            let (before, after) = (state.board.height(), step.after.board.height());
            pay += self.higher * after.saturating_sub(before) as f32;
            pay += self.lower * before.saturating_sub(after) as f32;
        }
        if self.hole != 0.0 {
            pay += self.hole * game.covered(state, *mv).min(self.most_holes) as f32;
        }
        pay
    }
}

#[cfg(test)]
mod tests {
    use afterstate_core::{Game, Policy, RandomPolicy, Rng};

    use super::*;
    use crate::tetris::{Setup, melax_pieces};

    /// The slow twin: holes are counted cell by cell, before rows clear.
    #[test]
    fn pays_are_what_can_be_counted_on_the_boards() {
        for (width, height, pieces) in
            [(4, 8, melax_pieces()), (10, 20, Setup::sized(10, 20).pieces)]
        {
            let game = Tetris::new(Setup { pieces, ..Setup::sized(width, height) }).unwrap();
            let mut rng = Rng::stream(1, 0);
            let mut state = game.start(&mut rng);
            for _ in 0..20_000 {
                let Some(choice) = RandomPolicy.choose(&game, &state, &mut rng) else {
                    state = game.start(&mut rng);
                    continue;
                };
                let (mv, step) = choice;
                let form = &game.form(state.piece).orientations[usize::from(mv.orientation)];
                let left = usize::from(mv.column);
                let rests = (0..height).find(|floor| {
                    (0..form.width).all(|c| {
                        (0..form.height).all(|r| {
                            let cell = form.columns[c] >> r & 1 != 0;
                            // Nothing at or above a cell of the piece.
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
                assert_eq!(Pay::CARR.reward(&game, &state, &choice), expected, "{state:?} {mv:?}");
                let rows = Pay { hole: -1.0, most_holes: 99, ..Pay::points(2.0) };
                assert_eq!(rows.reward(&game, &state, &choice), 2.0 * step.reward - holes as f32);
                state = game.sample(&step.after, &mut rng);
            }
        }
    }
}
