//! The same evaluator one placement at a time, for every processor.

use afterstate_core::features::weighted_sum;

use super::super::super::board::{MOST_COLUMNS, reach};
use super::super::super::form::Stamp;
use super::super::super::settle::Overflow;
use super::super::counts::{above_lowest_gap, all_rows, changes_upward, holes};
use super::super::dt::{Wells, of_board};
use super::survey::{FIELD, FIELD_MASK};
use super::weigh::{Found, MOST, Question};

/// Columns with two walls on either side.
const WALLED: usize = MOST_COLUMNS + 4;

/// The height of a wall: no step to or from it is one of the five.
const WALL_HEIGHT: i32 = 1_000;

/// A board before a piece is placed. What is summed is summed over all columns before one.
struct Survey {
    /// Column `i` of the well is number `i + 2`.
    columns: [u32; WALLED],
    heights: [i32; WALLED],
    /// Changes along columns, holes and hole depth, packed as in the lanes.
    own: [u32; MOST_COLUMNS + 1],
    /// Changes to the left neighbour and the step from it, packed; the last is the right wall's.
    pairs: [u32; MOST_COLUMNS + 2],
    wells: [u32; MOST_COLUMNS + 1],
    /// Rows with a gap and rows with a hole, before a column, and from it on.
    open: [[u32; MOST_COLUMNS + 1]; 2],
    hole_rows: [[u32; MOST_COLUMNS + 1]; 2],
}

/// What one column counts by itself.
#[inline(always)]
fn own(column: u32, gaps: u32) -> u32 {
    let depth = above_lowest_gap(column).count_ones();
    changes_upward(column) + (gaps.count_ones() << FIELD) + (depth << (2 * FIELD))
}

/// One in the field of a step, nothing if it is none of the five.
#[inline(always)]
fn step(from: i32, to: i32) -> u32 {
    let field = (to - from + 2) as u32;
    if field < 5 { 1 << (4 * field + FIELD) } else { 0 }
}

/// The sum of all before each.
#[inline(always)]
fn summed<const N: usize>(mut numbers: [u32; N]) -> [u32; N] {
    let mut sum = 0;
    for number in &mut numbers {
        let own = *number;
        *number = sum;
        sum += own;
    }
    numbers
}

impl Survey {
    #[inline(always)]
    fn new(wells: Wells, board: &[u32; MOST_COLUMNS], width: usize, height: usize) -> Survey {
        let mut columns = [all_rows(height); WALLED];
        columns[2..2 + width].copy_from_slice(&board[..width]);
        let mut heights = [WALL_HEIGHT; WALLED];
        let (mut owns, mut wells_of) = ([0; MOST_COLUMNS + 1], [0; MOST_COLUMNS + 1]);
        let mut pairs = [0; MOST_COLUMNS + 2];
        let (mut open, mut hole_rows) = ([[0; MOST_COLUMNS + 1]; 2], [[0; MOST_COLUMNS + 1]; 2]);
        for i in 0..=width {
            let (left, column) = (columns[1 + i], columns[2 + i]);
            if i < width {
                heights[2 + i] = reach(column) as i32;
                let gaps = holes(column);
                owns[i] = own(column, gaps);
                wells_of[i] = wells.count(column, left, columns[3 + i]);
                open[0][i + 1] = open[0][i] | !column & all_rows(height);
                hole_rows[0][i + 1] = hole_rows[0][i] | gaps;
            }
            pairs[i] = (left ^ column).count_ones() + step(heights[1 + i], heights[2 + i]);
        }
        for i in (0..width).rev() {
            open[1][i] = open[1][i + 1] | !columns[2 + i] & all_rows(height);
            hole_rows[1][i] = hole_rows[1][i + 1] | holes(columns[2 + i]);
        }
        let (own, pairs, wells) = (summed(owns), summed(pairs), summed(wells_of));
        Survey { columns, heights, own, pairs, wells, open, hole_rows }
    }
}

/// The best placement of each of some pieces on a board, and what it is worth.
#[inline(always)]
pub(super) fn best(question: Question, found: &mut [Found]) {
    let Question { wells, game, state, .. } = question;
    let (width, height) = (game.setup().width, game.setup().height);
    let survey = Survey::new(wells, state.board.columns(), width, height);
    for (found, piece) in found.iter_mut().zip(state.piece..) {
        *found = None;
        for stamp in &game.form(piece).stamps {
            let Some(value) = value(&survey, question, stamp) else { continue };
            if found.is_none_or(|(_, most)| value > most) {
                *found = Some((stamp.mv, value));
            }
        }
    }
}

/// What a placement is worth, unless it loses.
#[inline(always)]
fn value(survey: &Survey, question: Question, stamp: &Stamp) -> Option<f32> {
    let Question { wells, game, scale, .. } = question;
    let (width, height) = (game.setup().width, game.setup().height);
    let (left, after) = (usize::from(stamp.mv.column), usize::from(stamp.mv.column) + stamp.width);
    let mut floor = 0;
    for j in 0..stamp.width {
        // A column without a cell has no bottom.
        let bottom = stamp.bottoms[j].min(WALL_HEIGHT as usize) as i32;
        floor = floor.max(survey.heights[2 + left + j] - bottom);
    }
    if floor as usize + stamp.height > height {
        return if game.well.overflow == Overflow::Lose { None } else { settled(question, stamp) };
    }
    let mut columns = survey.columns;
    let mut open = survey.open[0][left] | survey.open[1][after];
    for j in 0..stamp.width {
        columns[2 + left + j] |= stamp.cells[left + j] << floor;
        open |= !columns[2 + left + j];
    }
    if open & all_rows(height) != all_rows(height) {
        return settled(question, stamp);
    }
    let mut hole_rows = survey.hole_rows[0][left] | survey.hole_rows[1][after];
    let mut owns = survey.own[left] + survey.own[width] - survey.own[after];
    let mut pairs = survey.pairs[left] + survey.pairs[width + 1] - survey.pairs[after + 1];
    let (first, last) = (left.saturating_sub(1), (after + 1).min(width));
    let mut well_sum = survey.wells[first] + survey.wells[width] - survey.wells[last];
    let mut height_before = survey.heights[1 + left];
    for i in left..after {
        let column = columns[2 + i];
        let gaps = holes(column);
        let own_height = reach(column) as i32;
        hole_rows |= gaps;
        owns += own(column, gaps);
        pairs += (columns[1 + i] ^ column).count_ones() + step(height_before, own_height);
        height_before = own_height;
    }
    pairs += (columns[1 + after] ^ columns[2 + after]).count_ones();
    pairs += step(height_before, survey.heights[2 + after]);
    for i in first..last {
        well_sum += wells.count(columns[2 + i], columns[1 + i], columns[3 + i]);
    }
    let steps = pairs >> FIELD;
    let steps = steps | steps >> 1;
    let steps = (steps | steps >> 2) & 0x1_1111;
    let counts = [
        pairs & FIELD_MASK,
        owns & FIELD_MASK,
        owns >> FIELD & FIELD_MASK,
        well_sum,
        owns >> (2 * FIELD),
        hole_rows.count_ones(),
        steps.count_ones(),
    ];
    let middle = (2 * floor + stamp.height as i32 - 1) as f32 / 2.0;
    Some(sum(scale.reward * 0.0, middle, 0.0, counts, scale.weights))
}

/// What a placement is worth that clears rows or stands above the top; the whole board is counted.
fn settled(question: Question, stamp: &Stamp) -> Option<f32> {
    let Question { wells, game, state, scale } = question;
    let settled = game.well.drop(&state.board, stamp)?;
    let landing = game.well.landing(&state.board, stamp);
    let setup = game.setup();
    let counts = of_board(wells, &settled.board.columns()[..setup.width], setup.height);
    let reward = scale.reward * game.well.reward(settled.cleared, settled.pushed);
    let (middle, eroded) = (landing.doubled_height as f32 / 2.0, landing.eroded as f32);
    Some(sum(reward, middle, eroded, counts, scale.weights))
}

#[inline(always)]
fn sum(reward: f32, middle: f32, eroded: f32, counts: [u32; 7], weights: &[f32]) -> f32 {
    let [a, b, c, d, e, f, g] = counts.map(|count| count as f32);
    let features: [f32; MOST] = [middle, eroded, a, b, c, d, e, f, g];
    weighted_sum(reward, weights, &features)
}
