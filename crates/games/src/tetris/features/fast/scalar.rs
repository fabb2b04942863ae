//! The evaluator without SIMD: one placement at a time.

use afterstate_core::features::weighted_sum;

use super::super::super::board::{MAX_COLUMNS, reach};
use super::super::super::form::Stamp;
use super::super::super::settle::Overflow;
use super::super::counts::{above_lowest_gap, all_rows, changes_upward, holes};
use super::super::dt::{Wells, of_board};
use super::board_counts::{FIELD, FIELD_MASK};
use super::evaluate::MAX_FEATURES;
use super::placements::{BestPlacement, Query};

/// Columns with two walls on each side.
const WALLED: usize = MAX_COLUMNS + 4;

/// The height of a wall: height differences to it are outside -2..=2.
const WALL_HEIGHT: i32 = 1_000;

/// The counts of a board before a placement, as prefix sums: element `i` sums the columns before
/// `i`.
struct BoardCounts {
    /// Column `i` of the well is number `i + 2`.
    columns: [u32; WALLED],
    heights: [i32; WALLED],
    /// Column transitions, holes and hole depth, packed as in `board_counts.rs`.
    own: [u32; MAX_COLUMNS + 1],
    /// Row transitions and height difference to the left neighbour, packed; the last is that of the
    /// right wall.
    pairs: [u32; MAX_COLUMNS + 2],
    wells: [u32; MAX_COLUMNS + 1],
    /// Rows with an empty cell and rows with a hole, before a column and from it on.
    open: [[u32; MAX_COLUMNS + 1]; 2],
    hole_rows: [[u32; MAX_COLUMNS + 1]; 2],
}

/// The packed counts of one column.
#[inline(always)]
fn own(column: u32, gaps: u32) -> u32 {
    let depth = above_lowest_gap(column).count_ones();
    changes_upward(column) + (gaps.count_ones() << FIELD) + (depth << (2 * FIELD))
}

/// One in the field of a height difference; 0 if it is outside -2..=2.
#[inline(always)]
fn step(from: i32, to: i32) -> u32 {
    let field = (to - from + 2) as u32;
    if field < 5 { 1 << (4 * field + FIELD) } else { 0 }
}

/// Exclusive prefix sums.
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

impl BoardCounts {
    #[inline(always)]
    fn new(wells: Wells, board: &[u32; MAX_COLUMNS], width: usize, height: usize) -> BoardCounts {
        let mut columns = [all_rows(height); WALLED];
        columns[2..2 + width].copy_from_slice(&board[..width]);
        let mut heights = [WALL_HEIGHT; WALLED];
        let (mut owns, mut wells_of) = ([0; MAX_COLUMNS + 1], [0; MAX_COLUMNS + 1]);
        let mut pairs = [0; MAX_COLUMNS + 2];
        let (mut open, mut hole_rows) = ([[0; MAX_COLUMNS + 1]; 2], [[0; MAX_COLUMNS + 1]; 2]);
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
        BoardCounts { columns, heights, own, pairs, wells, open, hole_rows }
    }
}

/// The best placement of the state's piece and its value.
#[inline(always)]
pub(super) fn best(query: Query) -> BestPlacement {
    best_of_piece(&counts(query), query, query.state.piece)
}

/// The value of the best placement of each piece.
#[inline(always)]
pub(super) fn largest(query: Query, found: &mut [Option<f32>]) {
    let board = counts(query);
    for (found, piece) in found.iter_mut().zip(query.state.piece..) {
        *found = best_of_piece(&board, query, piece).map(|(_, value)| value);
    }
}

#[inline(always)]
fn counts(query: Query) -> BoardCounts {
    let setup = query.game.setup();
    BoardCounts::new(query.set, query.state.board.columns(), setup.width, setup.height)
}

#[inline(always)]
fn best_of_piece(board: &BoardCounts, query: Query, piece: u8) -> BestPlacement {
    let mut best = None;
    for stamp in &query.game.form(piece).stamps {
        let Some(value) = value(board, query, stamp) else { continue };
        if best.is_none_or(|(_, max)| value > max) {
            best = Some((stamp.mv, value));
        }
    }
    best
}

/// The value of a placement; `None` if it loses the game.
#[inline(always)]
fn value(board: &BoardCounts, query: Query, stamp: &Stamp) -> Option<f32> {
    let Query { set: wells, game, coefficients, .. } = query;
    let (width, height) = (game.setup().width, game.setup().height);
    let (left, after) = (usize::from(stamp.mv.column), usize::from(stamp.mv.column) + stamp.width);
    let mut floor = 0;
    for j in 0..stamp.width {
        // The bottom of a column without a cell is `usize::MAX`.
        let bottom = stamp.bottoms[j].min(WALL_HEIGHT as usize) as i32;
        floor = floor.max(board.heights[2 + left + j] - bottom);
    }
    if floor as usize + stamp.height > height {
        return if game.well.overflow == Overflow::Lose { None } else { settled(query, stamp) };
    }
    let mut columns = board.columns;
    let mut open = board.open[0][left] | board.open[1][after];
    for j in 0..stamp.width {
        columns[2 + left + j] |= stamp.cells[left + j] << floor;
        open |= !columns[2 + left + j];
    }
    if open & all_rows(height) != all_rows(height) {
        return settled(query, stamp);
    }
    let mut hole_rows = board.hole_rows[0][left] | board.hole_rows[1][after];
    let mut owns = board.own[left] + board.own[width] - board.own[after];
    let mut pairs = board.pairs[left] + board.pairs[width + 1] - board.pairs[after + 1];
    let (first, last) = (left.saturating_sub(1), (after + 1).min(width));
    let mut well_sum = board.wells[first] + board.wells[width] - board.wells[last];
    let mut height_before = board.heights[1 + left];
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
    pairs += step(height_before, board.heights[2 + after]);
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
    Some(sum(coefficients.reward * 0.0, middle, 0.0, counts, coefficients.weights))
}

/// The value of a placement that clears rows or rests above the top: counts the whole board.
fn settled(query: Query, stamp: &Stamp) -> Option<f32> {
    let Query { set: wells, game, state, coefficients } = query;
    let settled = game.well.drop(&state.board, stamp)?;
    let landing = game.well.landing(&state.board, stamp);
    let setup = game.setup();
    let counts = of_board(wells, &settled.board.columns()[..setup.width], setup.height);
    let reward = coefficients.reward * game.well.reward(settled.cleared, settled.pushed);
    let (middle, eroded) = (landing.doubled_height as f32 / 2.0, landing.eroded as f32);
    Some(sum(reward, middle, eroded, counts, coefficients.weights))
}

#[inline(always)]
fn sum(reward: f32, middle: f32, eroded: f32, counts: [u32; 7], weights: &[f32]) -> f32 {
    let [a, b, c, d, e, f, g] = counts.map(|count| count as f32);
    let features: [f32; MAX_FEATURES] = [middle, eroded, a, b, c, d, e, f, g];
    weighted_sum(reward, weights, &features)
}
