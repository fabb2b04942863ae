//! Incremental evaluation of all placements of a piece for the height-based sets: only the touched
//! columns are counted again.

use afterstate_core::Features;
use afterstate_core::features::{MAX_FEATURES, weighted_sum};
use afterstate_core::policy::Choice;

use super::super::board::{MAX_COLUMNS, reach};
use super::super::form::Stamp;
use super::super::settle::{Overflow, resting_row};
use super::super::{State, Tetris};
use super::counts::{above_lowest_gap, all_rows, groups, heights, holes};

/// The counts of a board before a placement.
struct BoardCounts<'a> {
    columns: &'a [u32],
    heights: [u32; MAX_COLUMNS],
    gaps: [u32; MAX_COLUMNS],
    /// Rows with an empty cell before a column and from it on.
    open: [[u32; MAX_COLUMNS + 1]; 2],
    highest: u32,
    height_sum: u32,
    hole_count: u32,
    hole_groups: u32,
    above_holes: u32,
}

impl BoardCounts<'_> {
    fn new(columns: &[u32], height: usize, with_own: bool) -> BoardCounts<'_> {
        let heights = heights(columns);
        let mut gaps = [0; MAX_COLUMNS];
        let mut open = [[0; MAX_COLUMNS + 1]; 2];
        let (mut hole_count, mut above_holes) = (0, 0);
        for (i, &column) in columns.iter().enumerate() {
            gaps[i] = holes(column);
            hole_count += gaps[i].count_ones();
            above_holes += above_lowest_gap(column).count_ones();
            open[0][i + 1] = open[0][i] | !column & all_rows(height);
        }
        for (i, &column) in columns.iter().enumerate().rev() {
            open[1][i] = open[1][i + 1] | !column & all_rows(height);
        }
        let highest = heights.iter().fold(0, |max, &height| max.max(height));
        let height_sum = heights.iter().sum();
        let hole_groups = if with_own { groups(&gaps[..columns.len()]) } else { 0 };
        BoardCounts {
            columns,
            heights,
            gaps,
            open,
            highest,
            height_sum,
            hole_count,
            hole_groups,
            above_holes,
        }
    }
}

/// The best placement and its value, for Bertsekas' set or, `with_own` four features, for that of
/// Marchal et al.
pub(super) fn best<F: Features<Tetris>>(
    set: &F,
    with_own: bool,
    game: &Tetris,
    state: &State,
    (reward, weights): (f32, &[f32]),
) -> Option<(Choice<Tetris>, f32)> {
    let (width, height) = (game.setup().width, game.setup().height);
    let board = BoardCounts::new(&state.board.columns()[..width], height, with_own);
    let mut best: Option<(&Stamp, f32)> = None;
    let mut out = [0.0; MAX_FEATURES];
    for stamp in &game.form(state.piece).stamps {
        let floor = resting_row(&state.board, stamp);
        let fits = floor + stamp.height <= height;
        if !fits && game.well.overflow == Overflow::Lose {
            continue;
        }
        let known = fits && board.describe(stamp, floor, all_rows(height), with_own, &mut out);
        let step_reward = if known {
            0.0
        } else {
            // Rows clear, or the piece rests above the top: counts the whole board.
            let Some(step) = game.step_of(state, stamp.mv) else { continue };
            set.describe(game, state, &(stamp.mv, step), &mut out);
            step.reward
        };
        let value = weighted_sum(reward * step_reward, weights, &out);
        if best.is_none_or(|(_, max)| value > max) {
            best = Some((stamp, value));
        }
    }
    let (stamp, value) = best?;
    Some(((stamp.mv, game.step_of(state, stamp.mv)?), value))
}

impl BoardCounts<'_> {
    /// Writes the features of a placement below the top; `false` if it clears a row.
    #[inline]
    fn describe(
        &self,
        stamp: &Stamp,
        floor: usize,
        rows: u32,
        with_own: bool,
        out: &mut [f32; MAX_FEATURES],
    ) -> bool {
        let width = self.columns.len();
        let left = usize::from(stamp.mv.column);
        let after = left + stamp.width;
        let mut open = self.open[0][left] | self.open[1][after];
        let (mut heights, mut gaps) = (self.heights, self.gaps);
        let mut highest = self.highest;
        let mut holes_of = self.hole_count;
        let (mut above, mut sum, mut same) = (self.above_holes, self.height_sum, true);
        for i in left..after {
            let before = self.columns[i];
            let column = before | stamp.cells[i] << floor;
            open |= !column;
            heights[i] = reach(column) as u32;
            gaps[i] = holes(column);
            highest = highest.max(heights[i]);
            sum = sum + heights[i] - self.heights[i];
            holes_of = holes_of + gaps[i].count_ones() - self.gaps[i].count_ones();
            same &= gaps[i] == self.gaps[i];
            above = above + above_lowest_gap(column).count_ones()
                - above_lowest_gap(before).count_ones();
        }
        if open & rows != rows {
            return false;
        }
        out[0] = 1.0;
        for (feature, &height) in out[1..].iter_mut().zip(&heights[..width]) {
            *feature = height as f32;
        }
        for (feature, pair) in out[1 + width..].iter_mut().zip(heights[..width].windows(2)) {
            *feature = pair[0].abs_diff(pair[1]) as f32;
        }
        out[2 * width] = highest as f32;
        out[2 * width + 1] = holes_of as f32;
        if with_own {
            let lowest = heights[..width].iter().fold(u32::MAX, |min, &height| min.min(height));
            let hole_groups = if same { self.hole_groups } else { groups(&gaps[..width]) };
            let own = [sum, highest - lowest, hole_groups, above];
            for (feature, count) in out[2 * width + 2..].iter_mut().zip(own) {
                *feature = count as f32;
            }
        }
        true
    }
}
