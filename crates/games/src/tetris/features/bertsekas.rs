//! The 22 features of Bertsekas & Tsitsiklis (Neuro-Dynamic Programming, 1996) and of CS3243's
//! learners, for a well of any width.
//!
//! In the order of their weights: the constant 1; the height of each column; the absolute height
//! difference of each two neighbours; the largest height; the number of holes. Ten columns have
//! 1 + 10 + 9 + 1 + 1 = 22. All are features of the afterstate.

use afterstate_core::Features;
use afterstate_core::features::EachOutcome;
use afterstate_core::policy::Choice;

use super::super::{After, State, Tetris};
use super::counts::holes;
use super::{InstructionSet, counts, heights};

/// The set for a well of one width.
#[derive(Clone, Copy, Debug)]
pub struct Bertsekas {
    width: usize,
    instructions: InstructionSet,
}

impl Bertsekas {
    /// The set for a well.
    pub fn new(width: usize) -> Bertsekas {
        Bertsekas { width, instructions: InstructionSet::fastest() }
    }

    /// The same set evaluated with an instruction set other than the fastest.
    #[must_use]
    pub fn with_instructions(self, instructions: InstructionSet) -> Bertsekas {
        Bertsekas { instructions, ..self }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn setting(&self) -> heights::Setting {
        heights::Setting { with_own: false, instructions: self.instructions }
    }

    /// The number of features.
    pub(super) fn count(&self) -> usize {
        2 * self.width + 2
    }

    /// The features of a board, by its columns and their heights.
    #[inline]
    pub(super) fn fill(&self, columns: &[u32], heights: &[u32], out: &mut [f32]) {
        let width = self.width;
        // Constant.
        out[0] = 1.0;
        // Heights.
        for (feature, &height) in out[1..].iter_mut().zip(&heights[..width]) {
            *feature = height as f32;
        }
        // Absolute height differences.
        for (feature, pair) in out[1 + width..].iter_mut().zip(heights[..width].windows(2)) {
            *feature = pair[0].abs_diff(pair[1]) as f32;
        }
        // Largest height.
        out[2 * width] = heights[..width].iter().fold(0, |max, &height| max.max(height)) as f32;
        // Holes: empty cells with a full cell somewhere above.
        let holes = columns.iter().fold(0, |sum, &column| sum + holes(column).count_ones());
        out[2 * width + 1] = holes as f32;
    }
}

impl Features<Tetris> for Bertsekas {
    fn names(&self) -> Vec<String> {
        let mut names = vec!["constant".to_owned()];
        names.extend((1..=self.width).map(|column| format!("height {column}")));
        names.extend((1..self.width).map(|column| format!("difference {column}")));
        names.extend(["largest height", "holes"].map(str::to_owned));
        names
    }

    #[inline]
    fn describe(&self, _: &Tetris, _: &State, choice: &Choice<Tetris>, out: &mut [f32]) {
        let columns = &choice.1.after.board.columns()[..self.width];
        self.fill(columns, &counts::heights(columns), out);
    }

    fn best(
        &self,
        game: &Tetris,
        state: &State,
        reward: f32,
        weights: &[f32],
    ) -> Option<(Choice<Tetris>, f32)> {
        heights::best(self, self.setting(), game, state, (reward, weights))
    }

    fn best_until(
        &self,
        game: &Tetris,
        state: &State,
        reward: f32,
        weights: &[f32],
        enough: f32,
    ) -> Option<f32> {
        heights::best_until(self, self.setting(), game, state, (reward, weights), enough)
    }

    fn best_of_each(
        &self,
        game: &Tetris,
        after: &After,
        reward: f32,
        weights: &[f32],
        outcome: &mut dyn FnMut(f64, Option<f32>),
    ) {
        heights::best_of_each(self, self.setting(), game, after, (reward, weights), outcome);
    }

    fn best_in_order(
        &self,
        game: &Tetris,
        after: &After,
        reward: f32,
        weights: &[f32],
        order: &[usize],
        outcome: EachOutcome<Tetris>,
    ) -> bool {
        heights::best_in_order(self.setting(), game, after, (reward, weights), order, outcome)
    }

    fn evaluate_each(
        &self,
        game: &Tetris,
        state: &State,
        reward: f32,
        weights: &[f32],
        each: &mut dyn FnMut(Choice<Tetris>, f32),
    ) {
        heights::evaluate_each(self, self.setting(), game, state, (reward, weights), each);
    }
}
