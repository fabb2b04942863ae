//! The values of the DT features for all placements of an orientation at once.

use afterstate_core::features::weighted_sum;

use super::super::super::Placement;
use super::super::super::form::Orientation;
use super::board_counts::{BoardCounts, FIELD, FIELD_MASK, WellLanes};
use super::placements::{Counts, Query};
use super::settle::settle;
use super::simd::Simd;
use crate::tetris::features::dt::Wells;

/// The number of DT features.
pub(super) const MAX_FEATURES: usize = 9;

impl<S: Simd> Counts<S> for BoardCounts<S> {
    type Set = Wells;

    #[inline(always)]
    fn new(token: S::Token, query: &Query) -> BoardCounts<S> {
        let setup = query.game.setup();
        let well = WellLanes::new(token, query.set, setup.width, setup.height);
        BoardCounts::count(well, query.state.board.columns())
    }

    #[inline(always)]
    fn well(&self) -> &WellLanes<S> {
        &self.well
    }

    #[inline(always)]
    fn heights(&self) -> &[S; 7] {
        &self.heights
    }

    #[inline(always)]
    fn values<const W: usize>(
        &self,
        query: &Query,
        orientation: &Orientation,
        rests: S,
        _: u16,
    ) -> (S::Floats, u16) {
        let BoardCounts { well, columns, upside_down, heights, .. } = self;
        let weight = |number: usize| S::float(well.token, query.coefficients.weights[number]);
        let untouched = self.untouched::<W>();
        // The columns from two before the piece to two after it, upside down.
        let mut p = *upside_down;
        let mut column_before = columns[1];
        let (mut changes, mut holes, mut depth) = (well.zero, well.zero, well.zero);
        let (mut open, mut hole_rows, mut pairs) =
            (untouched.open, untouched.hole_rows, untouched.pairs);
        let mut height_before = heights[0];
        for j in 0..W {
            let cells = orientation.columns[j];
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
        let middle = rests.add(rests).add(well.splat(orientation.height as u32 - 1));
        let mut sum = S::float(well.token, query.coefficients.reward * 0.0);
        sum = middle.add_weighted_half(sum, weight(0));
        // Eroded cells are 0, but the term keeps the rounding of `weighted_sum`.
        sum = S::plus(sum, S::float(well.token, query.coefficients.weights[1] * 0.0));
        sum = pairs.and(field).add_weighted(sum, weight(2));
        sum = changes.add_weighted(sum, weight(3));
        sum = holes.add_weighted(sum, weight(4));
        sum = wells.add_weighted(sum, weight(5));
        if query.coefficients.weights.len() == MAX_FEATURES {
            sum = depth.add_weighted(sum, weight(6));
            sum = hole_rows.count_ones().add_weighted(sum, weight(7));
            sum = well.diversity(pairs).add_weighted(sum, weight(8));
        }
        (sum, open.differs(well.wall))
    }

    #[inline(always)]
    fn settled(token: S::Token, query: &Query, piece: u8, mv: Placement) -> Option<f32> {
        S::settled(token, query, piece, mv)
    }
}

/// The value of a placement that clears rows or rests above the top: counts the whole board. `None`
/// if it loses the game.
#[inline(always)]
pub(super) fn settled<S: Simd>(
    token: S::Token,
    query: &Query,
    piece: u8,
    mv: Placement,
) -> Option<f32> {
    let Query { set, game, coefficients, .. } = *query;
    let well = WellLanes::<S>::new(token, set, game.setup().width, game.setup().height);
    let (columns, landing, reward) = settle(&well, query, piece, mv)?;
    let mut features = [0.0; MAX_FEATURES];
    features[0] = landing.doubled_height as f32 / 2.0;
    features[1] = landing.eroded as f32;
    for (feature, count) in features[2..].iter_mut().zip(well.totals(columns)) {
        *feature = count as f32;
    }
    Some(weighted_sum(coefficients.reward * reward, coefficients.weights, &features))
}
