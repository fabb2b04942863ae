//! The features of Marchal et al.: Bertsekas' 22, as given in the course CS3243, and four more.
//!
//! - sum of heights: of all columns;
//! - height range: the highest column less the lowest ("maximum height difference");
//! - hole groups: the number of groups of holes that share an edge ("grouped holes"; the report
//!   does not define the count, it only prefers grouped holes to separate ones);
//! - squares above holes: the full cells above the lowest hole of each column.

use afterstate_core::Features;
use afterstate_core::features::EachOutcome;
use afterstate_core::policy::Choice;

use super::super::board::MAX_COLUMNS;
use super::super::{After, State, Tetris};
use super::counts::{above_lowest_gap, groups, holes};
use super::{Bertsekas, InstructionSet, counts, heights};

/// The set for a well of one width.
#[derive(Clone, Copy, Debug)]
pub struct Cs3243 {
    given: Bertsekas,
}

impl Cs3243 {
    /// The set for a well.
    pub fn new(width: usize) -> Cs3243 {
        Cs3243 { given: Bertsekas::new(width) }
    }

    /// The same set evaluated with an instruction set other than the fastest.
    #[must_use]
    pub fn with_instructions(self, instructions: InstructionSet) -> Cs3243 {
        Cs3243 { given: self.given.with_instructions(instructions) }
    }

    fn setting(&self) -> heights::Setting {
        heights::Setting { with_own: true, ..self.given.setting() }
    }
}

impl Features<Tetris> for Cs3243 {
    fn names(&self) -> Vec<String> {
        let own = ["sum of heights", "height range", "hole groups", "squares above holes"];
        self.given.names().into_iter().chain(own.map(str::to_owned)).collect()
    }

    #[inline]
    fn describe(&self, _: &Tetris, _: &State, choice: &Choice<Tetris>, out: &mut [f32]) {
        let width = self.given.width();
        let columns = &choice.1.after.board.columns()[..width];
        let heights = counts::heights(columns);
        self.given.fill(columns, &heights, out);
        let heights = &heights[..width];
        let (low, high) = heights
            .iter()
            .fold((u32::MAX, 0), |(low, high), &height| (low.min(height), high.max(height)));
        let mut gaps = [0; MAX_COLUMNS];
        let mut above = 0;
        for (gap, &column) in gaps.iter_mut().zip(columns) {
            *gap = holes(column);
            above += above_lowest_gap(column).count_ones();
        }
        let own = [heights.iter().sum(), high - low, groups(&gaps[..width]), above];
        for (feature, count) in out[self.given.count()..].iter_mut().zip(own) {
            *feature = count as f32;
        }
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
