//! The counts of the height-based sets, and incremental evaluation of all placements of a piece: only
//! the touched columns are counted again.

use afterstate_core::Features;
use afterstate_core::features::{MAX_FEATURES, weighted_sum};
use afterstate_core::policy::Choice;

use super::super::board::{MAX_COLUMNS, reach};
use super::super::form::Stamp;
use super::super::settle::{Overflow, resting_row};
use super::super::{State, Tetris};
use super::Bertsekas;
use super::counts::{above_lowest_gap, all_rows, groups, heights, holes};

/// The counts of a board that are its features.
#[derive(Clone, Copy)]
pub(super) struct HeightCounts {
    heights: [u32; MAX_COLUMNS],
    gaps: [u32; MAX_COLUMNS],
    highest: u32,
    height_sum: u32,
    hole_count: u32,
    /// Counted only for the set of Marchal et al.
    hole_groups: u32,
    above_holes: u32,
}

impl HeightCounts {
    #[inline]
    pub(super) fn new(columns: &[u32], marchal: bool) -> HeightCounts {
        let heights = heights(columns);
        let (mut gaps, mut hole_count, mut above_holes) = ([0; MAX_COLUMNS], 0, 0);
        for (gap, &column) in gaps.iter_mut().zip(columns) {
            *gap = holes(column);
            hole_count += gap.count_ones();
            above_holes += above_lowest_gap(column).count_ones();
        }
        let highest = heights.iter().fold(0, |max, &height| max.max(height));
        let height_sum = heights.iter().sum();
        let hole_groups = if marchal { groups(&gaps[..columns.len()]) } else { 0 };
        HeightCounts { heights, gaps, highest, height_sum, hole_count, hole_groups, above_holes }
    }

    /// Writes the features of a well with `width` columns.
    #[inline]
    pub(super) fn write(&self, width: usize, marchal: bool, out: &mut [f32]) {
        let heights = &self.heights[..width];
        out[0] = 1.0;
        for (feature, &height) in out[1..].iter_mut().zip(heights) {
            *feature = height as f32;
        }
        for (feature, pair) in out[1 + width..].iter_mut().zip(heights.windows(2)) {
            *feature = pair[0].abs_diff(pair[1]) as f32;
        }
        out[2 * width] = self.highest as f32;
        out[2 * width + 1] = self.hole_count as f32;
        if marchal {
            let lowest = heights.iter().fold(u32::MAX, |min, &height| min.min(height));
            let range = self.highest - lowest;
            let own = [self.height_sum, range, self.hole_groups, self.above_holes];
            for (feature, count) in out[2 * width + 2..].iter_mut().zip(own) {
                *feature = count as f32;
            }
        }
    }
}

/// A board before a placement.
struct BoardCounts<'a> {
    columns: &'a [u32],
    counts: HeightCounts,
    /// Rows with an empty cell before a column and from it on.
    open: [[u32; MAX_COLUMNS + 1]; 2],
}

impl BoardCounts<'_> {
    fn new(columns: &[u32], rows: u32, marchal: bool) -> BoardCounts<'_> {
        let mut open = [[0; MAX_COLUMNS + 1]; 2];
        for (i, &column) in columns.iter().enumerate() {
            open[0][i + 1] = open[0][i] | !column & rows;
        }
        for (i, &column) in columns.iter().enumerate().rev() {
            open[1][i] = open[1][i + 1] | !column & rows;
        }
        BoardCounts { columns, counts: HeightCounts::new(columns, marchal), open }
    }

    /// The counts after a placement below the top; `None` if it clears a row.
    #[inline]
    fn after(&self, stamp: &Stamp, floor: usize, rows: u32, marchal: bool) -> Option<HeightCounts> {
        let left = usize::from(stamp.mv.column);
        let right = left + stamp.width;
        let mut open = self.open[0][left] | self.open[1][right];
        let (mut after, mut same) = (self.counts, true);
        for i in left..right {
            let before = self.columns[i];
            let column = before | stamp.cells[i] << floor;
            open |= !column;
            let (height, gaps) = (reach(column) as u32, holes(column));
            after.highest = after.highest.max(height);
            after.height_sum = after.height_sum + height - after.heights[i];
            after.hole_count = after.hole_count + gaps.count_ones() - after.gaps[i].count_ones();
            same &= gaps == after.gaps[i];
            after.above_holes = after.above_holes + above_lowest_gap(column).count_ones()
                - above_lowest_gap(before).count_ones();
            (after.heights[i], after.gaps[i]) = (height, gaps);
        }
        if open & rows != rows {
            return None;
        }
        if marchal && !same {
            after.hole_groups = groups(&after.gaps[..self.columns.len()]);
        }
        Some(after)
    }
}

/// The best placement and its value.
pub(super) fn best(
    set: &Bertsekas,
    game: &Tetris,
    state: &State,
    reward: f32,
    weights: &[f32],
) -> Option<(Choice<Tetris>, f32)> {
    let (width, height) = (game.setup().width, game.setup().height);
    let (rows, marchal) = (all_rows(height), set.marchal);
    let board = BoardCounts::new(&state.board.columns()[..width], rows, marchal);
    let mut best: Option<(&Stamp, f32)> = None;
    let mut out = [0.0; MAX_FEATURES];
    for stamp in &game.form(state.piece).stamps {
        let floor = resting_row(&state.board, stamp);
        let fits = floor + stamp.height <= height;
        if !fits && game.well.overflow == Overflow::Lose {
            continue;
        }
        let after = if fits { board.after(stamp, floor, rows, marchal) } else { None };
        let step_reward = if let Some(after) = after {
            after.write(width, marchal, &mut out);
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
