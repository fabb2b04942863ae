//! Incremental evaluation of all placements of a piece for the height-based sets: only the touched
//! columns are counted again.

use std::ops::ControlFlow;

use afterstate_core::Features;
use afterstate_core::features::{EachOutcome, MAX_FEATURES};
use afterstate_core::policy::Choice;
use afterstate_core::processor::has_bit_counts;

use super::super::board::{MAX_COLUMNS, reach};
use super::super::form::Stamp;
use super::super::settle::{Overflow, resting_row};
use super::super::{After, State, Tetris};
use super::counts::{above_lowest_gap, all_rows, groups, heights, holes};
use super::fast::heights::{self as fast, Request};
use super::fast::{BestPlacement, Coefficients, HeightSet, PlacementValues, Query};
use super::{InstructionSet, pieces};

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
    #[inline(always)]
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

/// Placements that are evaluated together: their weighted sums are added side by side.
const CHUNK: usize = 8;

/// The features of a chunk of placements: for each feature, one value per placement.
type ChunkFeatures = [[f32; CHUNK]; MAX_FEATURES];

/// Calls `visit` with each legal placement and its value, in order, for Bertsekas' set or, `with_own`
/// four features, for that of Marchal et al. The sum of a placement has the order of
/// [`weighted_sum`], so its bits are those of the reference.
///
/// [`weighted_sum`]: afterstate_core::features::weighted_sum
fn try_placements<'g, F: Features<Tetris>>(
    set: &F,
    with_own: bool,
    game: &'g Tetris,
    state: &State,
    linear: (f32, &[f32]),
    visit: impl FnMut(&'g Stamp, f32) -> ControlFlow<()>,
) {
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    if has_bit_counts() {
        // SAFETY: the processor has the instructions.
        #[allow(unsafe_code)]
        unsafe {
            with_bit_counts(set, with_own, game, state, linear, visit);
        }
        return;
    }
    placements(set, with_own, game, state, linear, visit);
}

/// [`placements`], compiled for a processor that counts bits by one instruction.
#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "popcnt,lzcnt,bmi1,avx2")]
fn with_bit_counts<'g, F: Features<Tetris>>(
    set: &F,
    with_own: bool,
    game: &'g Tetris,
    state: &State,
    linear: (f32, &[f32]),
    visit: impl FnMut(&'g Stamp, f32) -> ControlFlow<()>,
) {
    placements(set, with_own, game, state, linear, visit);
}

#[inline(always)]
fn placements<'g, F: Features<Tetris>>(
    set: &F,
    with_own: bool,
    game: &'g Tetris,
    state: &State,
    (reward, weights): (f32, &[f32]),
    mut visit: impl FnMut(&'g Stamp, f32) -> ControlFlow<()>,
) {
    let (width, height) = (game.setup().width, game.setup().height);
    let board = BoardCounts::new(&state.board.columns()[..width], height, with_own);
    let mut features: ChunkFeatures = [[0.0; CHUNK]; MAX_FEATURES];
    for stamps in game.form(state.piece).stamps.chunks(CHUNK) {
        let (mut legal, mut count) = ([&stamps[0]; CHUNK], 0);
        let mut values = [0.0; CHUNK];
        for stamp in stamps {
            let floor = resting_row(&state.board, stamp);
            let fits = floor + stamp.height <= height;
            if !fits && game.well.overflow == Overflow::Lose {
                continue;
            }
            let rows = all_rows(height);
            let known = fits && board.describe(stamp, floor, rows, with_own, count, &mut features);
            let mut step_reward = 0.0;
            if !known {
                // Rows clear, or the piece rests above the top: counts the whole board.
                let Some(step) = game.step_of(state, stamp.mv) else { continue };
                let mut out = [0.0; MAX_FEATURES];
                set.describe(game, state, &(stamp.mv, step), &mut out);
                for (feature, value) in features.iter_mut().zip(out) {
                    feature[count] = value;
                }
                step_reward = step.reward;
            }
            values[count] = reward * step_reward;
            legal[count] = stamp;
            count += 1;
        }
        for (&weight, feature) in weights.iter().zip(&features) {
            for (value, &feature) in values.iter_mut().zip(feature) {
                *value += weight * feature;
            }
        }
        for (stamp, &value) in legal.into_iter().zip(&values[..count]) {
            if visit(stamp, value).is_break() {
                return;
            }
        }
    }
}

/// Which height-based features, and how to evaluate them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    /// Whether the four features of Marchal et al. follow those of Bertsekas & Tsitsiklis.
    pub(super) with_own: bool,
    pub(super) instructions: InstructionSet,
}

impl Setting {
    /// Answers a request by vectors; `false` without them.
    #[inline]
    fn answer(
        self,
        game: &Tetris,
        state: &State,
        (reward, weights): (f32, &[f32]),
        request: Request,
    ) -> bool {
        let set = HeightSet { with_own: self.with_own };
        let query = Query { set, game, state, coefficients: Coefficients { reward, weights } };
        fast::answer(self.instructions, query, request)
    }
}

/// The best placement and its value.
pub(super) fn best<F: Features<Tetris>>(
    set: &F,
    setting: Setting,
    game: &Tetris,
    state: &State,
    linear: (f32, &[f32]),
) -> Option<(Choice<Tetris>, f32)> {
    let mut found = None;
    if !setting.answer(game, state, linear, Request::Best(&mut found)) {
        found = best_placement(set, setting.with_own, game, state, linear);
    }
    let (mv, value) = found?;
    Some(((mv, game.step_of(state, mv)?), value))
}

/// The best placement and its value, without SIMD.
fn best_placement<F: Features<Tetris>>(
    set: &F,
    with_own: bool,
    game: &Tetris,
    state: &State,
    linear: (f32, &[f32]),
) -> BestPlacement {
    let mut best: Option<(&Stamp, f32)> = None;
    try_placements(set, with_own, game, state, linear, |stamp, value| {
        if best.is_none_or(|(_, max)| value > max) {
            best = Some((stamp, value));
        }
        ControlFlow::Continue(())
    });
    best.map(|(stamp, value)| (stamp.mv, value))
}

/// The value of the best placement, or of one that is at least `enough`.
pub(super) fn best_until<F: Features<Tetris>>(
    set: &F,
    setting: Setting,
    game: &Tetris,
    state: &State,
    linear: (f32, &[f32]),
    enough: f32,
) -> Option<f32> {
    let mut found = [None];
    if setting.answer(game, state, linear, Request::Largest(&mut found)) {
        return found[0];
    }
    let mut best: Option<f32> = None;
    try_placements(set, setting.with_own, game, state, linear, |_, value| {
        if best.is_none_or(|max| value > max) {
            best = Some(value);
        }
        if value >= enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    best
}

/// The value of the best placement of each chance outcome.
pub(super) fn best_of_each<F: Features<Tetris>>(
    set: &F,
    setting: Setting,
    game: &Tetris,
    after: &After,
    linear: (f32, &[f32]),
    outcome: &mut dyn FnMut(f64, Option<f32>),
) {
    pieces::best_of_each(game, after, outcome, |state, found| {
        if setting.answer(game, state, linear, Request::Largest(found)) {
            return;
        }
        for (found, piece) in found.iter_mut().zip(state.piece..) {
            let state = State { piece, ..*state };
            let best = best_placement(set, setting.with_own, game, &state, linear);
            *found = best.map(|(_, value)| value);
        }
    });
}

/// The value of the best placement of chance outcomes in some order; `false` without vectors.
pub(super) fn best_in_order(
    setting: Setting,
    game: &Tetris,
    after: &After,
    linear: (f32, &[f32]),
    order: &[usize],
    outcome: EachOutcome<Tetris>,
) -> bool {
    pieces::best_in_order(game, after, order, outcome, |state, each| {
        setting.answer(game, state, linear, Request::InOrder(order, each))
    })
}

/// Every legal move and its value, in order.
pub(super) fn evaluate_each<F: Features<Tetris>>(
    set: &F,
    setting: Setting,
    game: &Tetris,
    state: &State,
    linear: (f32, &[f32]),
    each: &mut dyn FnMut(Choice<Tetris>, f32),
) {
    let mut values = PlacementValues::none();
    if !setting.answer(game, state, linear, Request::All(&mut values)) {
        try_placements(set, setting.with_own, game, state, linear, |stamp, value| {
            if let Some(step) = game.drop(state, stamp) {
                each((stamp.mv, step), value);
            }
            ControlFlow::Continue(())
        });
        return;
    }
    for stamp in &game.form(state.piece).stamps {
        if let Some((value, step)) = values.get(stamp.mv).zip(game.drop(state, stamp)) {
            each((stamp.mv, step), value);
        }
    }
}

impl BoardCounts<'_> {
    /// Writes the features of a placement below the top, that of number `at` in its chunk; `false` if
    /// it clears a row.
    #[inline(always)]
    fn describe(
        &self,
        stamp: &Stamp,
        floor: usize,
        rows: u32,
        with_own: bool,
        at: usize,
        out: &mut ChunkFeatures,
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
        out[0][at] = 1.0;
        for (feature, &height) in out[1..].iter_mut().zip(&heights[..width]) {
            feature[at] = height as f32;
        }
        for (feature, pair) in out[1 + width..].iter_mut().zip(heights[..width].windows(2)) {
            feature[at] = pair[0].abs_diff(pair[1]) as f32;
        }
        out[2 * width][at] = highest as f32;
        out[2 * width + 1][at] = holes_of as f32;
        if with_own {
            let lowest = heights[..width].iter().fold(u32::MAX, |min, &height| min.min(height));
            let hole_groups = if same { self.hole_groups } else { groups(&gaps[..width]) };
            let own = [sum, highest - lowest, hole_groups, above];
            for (feature, count) in out[2 * width + 2..].iter_mut().zip(own) {
                feature[at] = count as f32;
            }
        }
        true
    }
}
