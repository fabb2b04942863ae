//! The features of Dellacherie and of Thiery & Scherrer ("DT": Building controllers for Tetris,
//! 2009), in the order of their published weights.
//!
//! Of the placement:
//! - landing height: the piece's bottom row, from 0, plus half of its height less one;
//! - eroded cells: rows cleared times cells of the piece among them.
//!
//! Of the afterstate:
//! - row transitions: changes between full and empty along each row; walls are full, so an empty
//!   row counts 2;
//! - column transitions: the same along each column, from a full floor to empty above the top;
//! - holes: empty cells below a full cell of the same column;
//! - wells: see [`Wells`];
//! - hole depth: full cells above the lowest empty cell of each column;
//! - rows with holes;
//! - diversity: how many of the height differences from -2 to 2 between neighbours occur.
//!
//! Dellacherie's six are the first six, with [`Wells::EachCell`].

use afterstate_core::Features;
use afterstate_core::features::EachOutcome;
use afterstate_core::policy::Choice;

use super::super::{After, State, Tetris};
use super::counts::{above_lowest_gap, all_rows, changes_upward, heights, holes};
use super::fast::{self, Coefficients, InstructionSet, Query};
use super::pieces;

/// The names of the features, in order.
const NAMES: [&str; 9] = [
    "landing height",
    "eroded cells",
    "row transitions",
    "column transitions",
    "holes",
    "wells",
    "hole depth",
    "rows with holes",
    "diversity",
];

/// How wells are counted. A well cell is an empty cell whose left and right neighbours are full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wells {
    /// Dellacherie's, number 6 in Thiery & Scherrer's program: each well cell counts the empty
    /// cells from itself down to the next full cell or the floor.
    EachCell,
    /// Thiery & Scherrer's, number -6: from the highest well cell of a run of empty cells down to
    /// the end of the run, cells count 1, 2, 3 and so on, whether well cells or not.
    FromTop,
}

impl Wells {
    /// The wells of a column with its two neighbours.
    #[inline]
    pub(super) fn count(self, column: u32, left: u32, right: u32) -> u32 {
        let empty = !column;
        let mut cells = empty & left & right;
        if self == Wells::FromTop {
            loop {
                let below = cells >> 1 & empty & !cells;
                if below == 0 {
                    break;
                }
                cells |= below;
            }
        }
        let mut sum = 0;
        while cells != 0 {
            sum += cells.count_ones();
            cells = cells >> 1 & empty;
        }
        sum
    }
}

/// The nine features, or the first six of them.
#[derive(Clone, Copy, Debug)]
pub struct Dt {
    wells: Wells,
    count: usize,
    instructions: InstructionSet,
}

impl Dt {
    /// All nine.
    pub fn nine(wells: Wells) -> Dt {
        Dt { wells, count: 9, instructions: InstructionSet::fastest() }
    }

    /// Dellacherie's six.
    pub fn six() -> Dt {
        Dt { wells: Wells::EachCell, count: 6, instructions: InstructionSet::fastest() }
    }

    /// The same set evaluated with an instruction set other than the fastest.
    #[must_use]
    pub fn with_instructions(self, instructions: InstructionSet) -> Dt {
        Dt { instructions, ..self }
    }

    #[inline]
    fn query<'a>(
        &self,
        game: &'a Tetris,
        state: &'a State,
        reward: f32,
        weights: &'a [f32],
    ) -> Query<'a> {
        let coefficients = Coefficients { reward, weights: &weights[..self.count] };
        Query { set: self.wells, game, state, coefficients }
    }
}

/// The seven features of a board, in a well with `height` rows.
#[inline]
pub(super) fn of_board(kind: Wells, columns: &[u32], height: usize) -> [u32; 7] {
    let wall = all_rows(height);
    let heights = heights(columns);
    let (mut row_changes, mut column_changes, mut hole_count, mut wells) = (0, 0, 0, 0);
    let (mut depth, mut hole_rows, mut steps) = (0, 0, 0u32);
    let mut left = wall;
    for (i, &column) in columns.iter().enumerate() {
        let right = columns.get(i + 1).copied().unwrap_or(wall);
        let holes = holes(column);
        row_changes += (column ^ left).count_ones();
        column_changes += changes_upward(column);
        hole_count += holes.count_ones();
        hole_rows |= holes;
        wells += kind.count(column, left, right);
        depth += above_lowest_gap(column).count_ones();
        if i > 0 {
            let step = heights[i] as i32 - heights[i - 1] as i32;
            steps |= if step.abs() <= 2 { 1 << (step + 2) } else { 0 };
        }
        left = column;
    }
    row_changes += (left ^ wall).count_ones();
    let (hole_rows, steps) = (hole_rows.count_ones(), steps.count_ones());
    [row_changes, column_changes, hole_count, wells, depth, hole_rows, steps]
}

impl Features<Tetris> for Dt {
    fn names(&self) -> Vec<String> {
        NAMES[..self.count].iter().map(|&name| name.to_owned()).collect()
    }

    /// Landing height and eroded cells.
    fn move_features(&self) -> usize {
        2
    }

    #[inline]
    fn describe(&self, game: &Tetris, state: &State, choice: &Choice<Tetris>, out: &mut [f32]) {
        self.describe_move(game, state, choice, out);
        let setup = game.setup();
        let columns = &choice.1.after.board.columns()[..setup.width];
        let counts = of_board(self.wells, columns, setup.height).map(|count| count as f32);
        for (feature, value) in out[2..self.count].iter_mut().zip(counts) {
            *feature = value;
        }
    }

    #[inline]
    fn describe_move(
        &self,
        game: &Tetris,
        state: &State,
        choice: &Choice<Tetris>,
        out: &mut [f32],
    ) {
        let stamp = game.form(state.piece).stamp(choice.0);
        let landing = stamp.map(|stamp| game.well.landing(&state.board, stamp)).unwrap_or_default();
        out[0] = landing.doubled_height as f32 / 2.0;
        out[1] = landing.eroded as f32;
    }

    #[inline]
    fn best(
        &self,
        game: &Tetris,
        state: &State,
        reward: f32,
        weights: &[f32],
    ) -> Option<(Choice<Tetris>, f32)> {
        fast::choose(self.instructions, self.query(game, state, reward, weights))
    }

    fn best_until(
        &self,
        game: &Tetris,
        state: &State,
        reward: f32,
        weights: &[f32],
        _: f32,
    ) -> Option<f32> {
        let mut found = [None];
        fast::largest(self.instructions, self.query(game, state, reward, weights), &mut found);
        found[0]
    }

    fn best_of_each(
        &self,
        game: &Tetris,
        after: &After,
        reward: f32,
        weights: &[f32],
        outcome: &mut dyn FnMut(f64, Option<f32>),
    ) {
        pieces::best_of_each(game, after, outcome, |state, found| {
            fast::largest(self.instructions, self.query(game, state, reward, weights), found);
        });
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
        pieces::best_in_order(game, after, order, outcome, |state, each| {
            let query = self.query(game, state, reward, weights);
            fast::in_order(self.instructions, query, order, each)
        })
    }
}
