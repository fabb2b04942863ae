//! Evaluation of all placements of a piece at once: one lane per leftmost column.

use afterstate_core::features::weighted_sum;

use super::super::super::form::Orientation;
use super::super::super::settle::{Landing, Overflow, resting_row};
use super::super::super::{Placement, State, Tetris};
use super::board_counts::{BoardCounts, FIELD, FIELD_MASK, LANES, WellLanes, total};
use super::simd::Simd;
use crate::tetris::features::dt::Wells;

/// The number of DT features.
pub(super) const MAX_FEATURES: usize = 9;

/// The coefficients of the value: of the reward, and one weight per feature.
#[derive(Clone, Copy)]
pub(in super::super) struct Coefficients<'a> {
    pub(in super::super) reward: f32,
    pub(in super::super) weights: &'a [f32],
}

/// A request for the best placements of the state's piece and of the pieces numbered after it.
#[derive(Clone, Copy)]
pub(in super::super) struct Query<'a> {
    pub(in super::super) wells: Wells,
    pub(in super::super) game: &'a Tetris,
    pub(in super::super) state: &'a State,
    pub(in super::super) coefficients: Coefficients<'a>,
}

/// The best placement and its value; `None` if no placement is legal.
pub(in super::super) type BestPlacement = Option<(Placement, f32)>;

/// The best placement so far in each lane.
struct Best<S: Simd> {
    values: S::Floats,
    /// `16 * orientation + lane`, ascending in the order of moves.
    numbers: S,
    any: bool,
}

/// The best placement of each piece and its value.
#[inline(always)]
pub(super) fn best<S: Simd>(token: S::Token, query: Query, found: &mut [BestPlacement]) {
    let Query { wells, game, state, .. } = query;
    let well = WellLanes::new(token, wells, game.setup().width, game.setup().height);
    let board = BoardCounts::<S>::new(well, state.board.columns());
    for (found, piece) in found.iter_mut().zip(state.piece..) {
        *found = best_of_piece(&board, query, piece);
    }
}

#[inline(always)]
fn best_of_piece<S: Simd>(board: &BoardCounts<S>, query: Query, piece: u8) -> BestPlacement {
    let token = board.well.token;
    let lowest = S::float(token, f32::NEG_INFINITY);
    let mut best = Best { values: lowest, numbers: board.well.zero, any: false };
    for (number, orientation) in query.game.form(piece).orientations.iter().enumerate() {
        let one = OrientationEvaluator { board, query, piece, orientation, number };
        match orientation.width {
            1 => one.evaluate::<1>(&mut best),
            2 => one.evaluate::<2>(&mut best),
            3 => one.evaluate::<3>(&mut best),
            4 => one.evaluate::<4>(&mut best),
            _ => one.evaluate::<5>(&mut best),
        }
    }
    if !best.any {
        return None;
    }
    let (number, value) = S::first_largest(best.values, best.numbers);
    Some((Placement { orientation: (number >> 4) as u8, column: (number & 15) as u8 }, value))
}

/// Evaluates one orientation of a piece on a board.
struct OrientationEvaluator<'a, S: Simd> {
    board: &'a BoardCounts<S>,
    query: Query<'a>,
    piece: u8,
    orientation: &'a Orientation,
    number: usize,
}

impl<S: Simd> OrientationEvaluator<'_, S> {
    #[inline(always)]
    fn evaluate<const W: usize>(&self, best: &mut Best<S>) {
        let well = &self.board.well;
        if W > well.width {
            return;
        }
        let within = ((1u32 << (well.width - W + 1)) - 1) as u16;
        let rests = self.resting_rows::<W>();
        let room = well.splat((well.height as u32).wrapping_sub(self.orientation.height as u32));
        let fits = rests.at_most(room) & within;
        let (values, clears) = self.values::<W>(rests);
        let unclearing = fits & !clears;
        let above =
            if self.query.game.well.overflow == Overflow::Lose { 0 } else { within & !fits };
        let mut settling = fits & clears | above;
        let own = S::load(well.token, &LANES).add(well.splat(16 * self.number as u32));
        best.any |= unclearing != 0;
        if settling == 0 {
            S::keep_larger(&mut best.values, &mut best.numbers, values, own, unclearing);
            return;
        }
        let mut values = S::store_floats(values);
        let mut valid = unclearing;
        while settling != 0 {
            let lane = settling.trailing_zeros() as usize;
            settling &= settling - 1;
            let mv = Placement { orientation: self.number as u8, column: lane as u8 };
            if let Some(value) = S::settled(well.token, &self.query, self.piece, mv) {
                values[lane] = value;
                valid |= 1 << lane;
            }
        }
        best.any |= valid != 0;
        let values = S::load_floats(well.token, &values);
        S::keep_larger(&mut best.values, &mut best.numbers, values, own, valid);
    }

    /// The resting row of the piece with its left edge at each lane.
    #[inline(always)]
    fn resting_rows<const W: usize>(&self) -> S {
        let well = &self.board.well;
        let mut rests = well.zero;
        for j in 0..W {
            if self.orientation.columns[j] != 0 {
                let bottom = well.splat(self.orientation.bottoms[j] as u32);
                rests = rests.max(self.board.heights[1 + j].sub(bottom));
            }
        }
        rests
    }

    /// The value of each placement if it clears no row, and the mask of those that do.
    #[inline(always)]
    fn values<const W: usize>(&self, rests: S) -> (S::Floats, u16) {
        let BoardCounts { well, columns, upside_down, heights, .. } = self.board;
        let untouched = self.board.untouched::<W>();
        // The columns from two before the piece to two after it, upside down.
        let mut p = *upside_down;
        let mut column_before = columns[1];
        let (mut changes, mut holes, mut depth) = (well.zero, well.zero, well.zero);
        let (mut open, mut hole_rows, mut pairs) =
            (untouched.open, untouched.hole_rows, untouched.pairs);
        let mut height_before = heights[0];
        for j in 0..W {
            let cells = self.orientation.columns[j];
            let column = columns[2 + j].or(well.splat(cells).shl_each(rests));
            let top = u32::BITS - cells.leading_zeros();
            // A column without a cell of the piece keeps its height.
            let height = if cells == 0 { heights[1 + j] } else { rests.add(well.splat(top)) };
            let gaps = well.holes(column, height);
            open = open.or(well.wall.without(column));
            changes = changes.add(well.changes(column));
            holes = holes.add(gaps.count_ones());
            hole_rows = hole_rows.or(gaps);
            depth = depth.add(well.depth(column));
            pairs = pairs.add(column.xor(column_before).count_ones());
            pairs = pairs.add(well.step(height_before, height));
            p[2 + j] = p[2 + j].or(well.splat(cells.reverse_bits()).shr_each(rests));
            (column_before, height_before) = (column, height);
        }
        pairs = pairs.add(column_before.xor(columns[2 + W]).count_ones());
        pairs = pairs.add(well.step(height_before, heights[1 + W]));
        let wells = untouched.wells.add(match W {
            1 => well.wells_of([p[0], p[1], p[2], p[3], p[4]]),
            2 => well.wells_of([p[0], p[1], p[2], p[3], p[4], p[5]]),
            3 => well.wells_of([p[0], p[1], p[2], p[3], p[4], p[5], p[6]]),
            4 => well.wells_of([p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]]),
            _ => well.wells_of(p),
        });
        let field = well.splat(FIELD_MASK);
        let changes = changes.add(untouched.own.and(field));
        let holes = holes.add(untouched.own.shr::<FIELD>().and(field));
        let depth = depth.add(untouched.own.shr::<{ 2 * FIELD }>());
        let middle = rests.add(rests).add(well.splat(self.orientation.height as u32 - 1));
        let mut sum = S::float(well.token, self.query.coefficients.reward * 0.0);
        sum = middle.add_weighted_half(sum, self.weight(0));
        // Eroded cells are 0, but the term keeps the rounding of `weighted_sum`.
        sum = S::plus(sum, S::float(well.token, self.query.coefficients.weights[1] * 0.0));
        sum = pairs.and(field).add_weighted(sum, self.weight(2));
        sum = changes.add_weighted(sum, self.weight(3));
        sum = holes.add_weighted(sum, self.weight(4));
        sum = wells.add_weighted(sum, self.weight(5));
        if self.query.coefficients.weights.len() == MAX_FEATURES {
            sum = depth.add_weighted(sum, self.weight(6));
            sum = hole_rows.count_ones().add_weighted(sum, self.weight(7));
            sum = well.diversity(pairs).add_weighted(sum, self.weight(8));
        }
        (sum, open.differs(well.wall))
    }

    #[inline(always)]
    fn weight(&self, number: usize) -> S::Floats {
        S::float(self.board.well.token, self.query.coefficients.weights[number])
    }
}

/// The value of a placement that clears rows or rests above the top: drops the piece and counts the
/// whole board. `None` if it loses the game.
#[inline(always)]
pub(super) fn settled<S: Simd>(
    token: S::Token,
    query: &Query,
    piece: u8,
    mv: Placement,
) -> Option<f32> {
    let Query { wells, game, state, coefficients } = *query;
    let stamp = game.form(piece).stamp(mv)?;
    let well = WellLanes::<S>::new(token, wells, game.setup().width, game.setup().height);
    let floor = resting_row(&state.board, stamp);
    let doubled_height = (2 * floor + stamp.height - 1) as u32;
    let (landing, counts, reward) = if floor + stamp.height <= well.height {
        let own = S::load(token, &stamp.cells).shl_each(well.splat(floor as u32));
        let columns = well.walled(state.board.columns()).or(own);
        let mut full = u32::MAX;
        for column in columns.store() {
            full &= column;
        }
        let cleared_cells = total(&own.and(well.splat(full)).count_ones().store());
        let (cleared, mut rows, mut columns) = (full.count_ones(), full, columns);
        // From the top down, so that the remaining rows keep their positions.
        while rows != 0 {
            let below = (1 << (u32::BITS - 1 - rows.leading_zeros())) - 1;
            let lower = well.splat(below);
            columns = columns.and(lower).or(columns.shr::<1>().without(lower));
            rows &= below;
        }
        let landing = Landing { doubled_height, eroded: cleared * cleared_cells };
        // Clearing also shifted the walls, so they are filled again.
        (landing, well.totals(columns.or(well.walls)), game.well.reward(cleared, 0))
    } else {
        let settled = game.well.drop(&state.board, stamp)?;
        let counts = well.totals(well.walled(settled.board.columns()));
        let reward = game.well.reward(settled.cleared, settled.pushed);
        (game.well.landing(&state.board, stamp), counts, reward)
    };
    let mut features = [0.0; MAX_FEATURES];
    features[0] = landing.doubled_height as f32 / 2.0;
    features[1] = landing.eroded as f32;
    for (feature, count) in features[2..].iter_mut().zip(counts) {
        *feature = count as f32;
    }
    Some(weighted_sum(coefficients.reward * reward, coefficients.weights, &features))
}
