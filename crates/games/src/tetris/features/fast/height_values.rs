//! The values of the height-based features for all placements of an orientation at once.
//!
//! The terms of a sum are added in the order of the features: first those of the columns before the
//! placement, then of those that it touches, then of the others. Which these are differs between the
//! lanes, so each lane adds -0.0 where another has a term more.
//!
//! Groups of holes are counted by Euler's formula: the runs of holes of each column, less the runs
//! that two neighbours share, are the groups less the rings, groups that surround full cells. Where a
//! ring is possible the groups are counted one by one.

use afterstate_core::features::{MAX_FEATURES, weighted_sum};

use super::super::super::Placement;
use super::super::super::board::MAX_COLUMNS;
use super::super::super::form::Orientation;
use super::super::counts::groups;
use super::board_counts::WellLanes;
use super::height_counts::{HeightCounts, HeightSet, MIN_RING, enclosed, runs};
use super::placements::{Counts, Query};
use super::settle::settle;
use super::simd::Simd;
use crate::tetris::features::dt::Wells;

impl<S: Simd> Counts<S> for HeightCounts<S> {
    type Set = HeightSet;

    #[inline(always)]
    fn new(token: S::Token, query: &Query<HeightSet>) -> HeightCounts<S> {
        HeightCounts::count(token, query)
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
        query: &Query<HeightSet>,
        orientation: &Orientation,
        rests: S,
        fits: u16,
    ) -> (S::Floats, u16) {
        let HeightCounts { well, heights, .. } = self;
        let (token, width, weights) = (well.token, well.width, query.coefficients.weights);
        let untouched = self.untouched::<W>();
        let (mut own, mut open) = ([well.zero; W], untouched.open);
        let (mut highest, mut lowest) = (well.splat(self.highest), untouched.lowest);
        let mut holes = well.splat(self.hole_count);
        let (mut sum, mut depth) = (well.splat(self.height_sum), untouched.depth);
        for j in 0..W {
            let (cells, before) = (orientation.columns[j], heights[1 + j]);
            let column = HeightCounts::ahead(self.columns, j, well.wall);
            let column = column.or(well.splat(cells).shl_each(rests));
            open = open.or(well.wall.without(column));
            depth = depth.add(well.depth(column));
            // A column without a cell of the piece keeps its height.
            own[j] = before;
            if cells != 0 {
                let top = u32::BITS - cells.leading_zeros();
                own[j] = rests.add(well.splat(top));
                // Between the column and the piece, and within the piece.
                let covered = rests.add(well.splat(top - cells.count_ones())).sub(before);
                holes = holes.add(covered);
            }
            highest = highest.max(own[j]);
            lowest = lowest.min(own[j]);
            sum = sum.add(own[j]).sub(before);
        }
        let clears = open.differs(well.wall);
        let mut value = self.add_heights::<W>(&own, &weights[1..2 * width]);
        let weight = |number: usize| S::float(token, weights[number]);
        value = highest.add_weighted(value, weight(2 * width));
        value = holes.add_weighted(value, weight(2 * width + 1));
        if query.set.with_own {
            let groups = self.groups::<W>(orientation, rests, holes, fits & !clears);
            value = sum.add_weighted(value, weight(2 * width + 2));
            value = highest.sub(lowest).add_weighted(value, weight(2 * width + 3));
            value = groups.add_weighted(value, weight(2 * width + 4));
            value = depth.add_weighted(value, weight(2 * width + 5));
        }
        (value, clears)
    }

    #[inline(always)]
    fn settled(token: S::Token, query: &Query<HeightSet>, piece: u8, mv: Placement) -> Option<f32> {
        S::settled_by_heights(token, query, piece, mv)
    }
}

impl<S: Simd> HeightCounts<S> {
    /// The sum with the terms of heights and height differences, by the heights of the touched
    /// columns and the weights of both.
    #[inline(always)]
    fn add_heights<const W: usize>(&self, own: &[S; W], weights: &[f32]) -> S::Floats {
        let (token, width) = (self.well.token, self.well.width);
        let mut value = self.start;
        for (j, height) in own.iter().enumerate() {
            value = height.add_weighted(value, S::load_where(u16::MAX, token, &weights[j..width]));
        }
        for by in W..width {
            value = S::plus(value, self.height_terms.ahead::<S>(token, by));
        }
        for pair in 0..(width - W).saturating_sub(1) {
            let later = u16::MAX << 1 << 1 << pair;
            value = S::add_where(later, value, self.difference_terms.get(pair));
        }
        let mut before = self.heights[0];
        for j in 0..=W {
            let height = if j < W { own[j] } else { self.heights[1 + W] };
            let difference = height.max(before).sub(height.min(before));
            // The first lane has no pair before it.
            let lanes = if j == 0 { u16::MAX << 1 } else { u16::MAX };
            let weights = S::load_where(lanes, token, &weights[width - 1 + j..]);
            value = difference.add_weighted(value, weights);
            before = height;
        }
        for by in W..width - 1 {
            value = S::plus(value, self.difference_terms.ahead::<S>(token, by));
        }
        value
    }

    /// The groups of holes after each placement; only those of the mask `legal` count.
    #[inline(always)]
    fn groups<const W: usize>(
        &self,
        orientation: &Orientation,
        rests: S,
        holes: S,
        legal: u16,
    ) -> S {
        let (well, zero) = (&self.well, self.well.zero);
        let mut groups = self.untouched::<W>().groups;
        let mut before = self.gaps.up::<1>(zero);
        let mut rings = zero;
        for j in 0..=W {
            let mut gaps = HeightCounts::ahead(self.gaps, j, zero);
            if j < W {
                gaps = self.gaps_under(orientation.columns[j], gaps, self.heights[1 + j], rests);
                groups = groups.add(runs(gaps));
            }
            groups = groups.sub(runs(gaps.and(before)));
            rings = rings.or(enclosed(before, gaps));
            before = gaps;
        }
        let many = !holes.at_most(well.splat(MIN_RING - 1)) & legal;
        if many == 0 {
            return groups;
        }
        let mut suspects = if self.may_have_ring { many } else { many & rings.differs(zero) };
        let mut counted = groups.store();
        let (rests, board) = (rests.store(), self.gaps.store());
        while suspects != 0 {
            let lane = suspects.trailing_zeros() as usize;
            suspects &= suspects - 1;
            counted[lane] = self.groups_of(orientation, lane, rests[lane], &board);
        }
        S::load(well.token, &counted)
    }

    /// The holes of a column after a placement with these cells in it.
    #[inline(always)]
    fn gaps_under(&self, cells: u32, gaps: S, height: S, rests: S) -> S {
        if cells == 0 {
            return gaps;
        }
        let (well, bottom) = (&self.well, cells & cells.wrapping_neg());
        // From the height of the column to the lowest cell.
        let gaps = gaps.or(well.splat(bottom).shl_each(rests).sub(well.one.shl_each(height)));
        let within = !cells & (cells.next_power_of_two() - 1) & !(bottom - 1);
        if within == 0 { gaps } else { gaps.or(well.splat(within).shl_each(rests)) }
    }

    /// The groups of holes after one placement, counted one by one.
    #[inline(never)]
    fn groups_of(
        &self,
        orientation: &Orientation,
        lane: usize,
        rest: u32,
        board: &[u32; MAX_COLUMNS],
    ) -> u32 {
        let (mut gaps, columns) = (*board, self.columns.store());
        for (j, &cells) in orientation.columns[..orientation.width].iter().enumerate() {
            let column = columns[lane + j] | cells << rest;
            gaps[lane + j] = super::super::counts::holes(column);
        }
        groups(&gaps[..self.well.width])
    }
}

/// The value of a placement that clears rows or rests above the top: counts the whole board. `None`
/// if it loses the game.
#[inline(always)]
pub(super) fn settled<S: Simd>(
    token: S::Token,
    query: &Query<HeightSet>,
    piece: u8,
    mv: Placement,
) -> Option<f32> {
    let (game, coefficients) = (query.game, query.coefficients);
    let width = game.setup().width;
    let well = WellLanes::<S>::new(token, Wells::FromTop, width, game.setup().height);
    let (columns, _, reward) = settle(&well, query, piece, mv)?;
    let reached = columns.reach();
    let gaps = well.holes(columns, reached);
    let (heights, holes) = (reached.store(), gaps.count_ones().store());
    let mut features = [0.0; MAX_FEATURES];
    features[0] = 1.0;
    let (mut lowest, mut highest, mut sum, mut hole_count) = (u32::MAX, 0, 0, 0);
    for i in 0..width {
        let height = heights[i];
        features[1 + i] = height as f32;
        if i > 0 {
            features[width + i] = height.abs_diff(heights[i - 1]) as f32;
        }
        (lowest, highest) = (lowest.min(height), highest.max(height));
        (sum, hole_count) = (sum + height, hole_count + holes[i]);
    }
    features[2 * width] = highest as f32;
    features[2 * width + 1] = hole_count as f32;
    if query.set.with_own {
        let shared = gaps.and(gaps.down::<1>(well.zero));
        let groups = if hole_count < MIN_RING {
            super::board_counts::total(&runs(gaps).sub(runs(shared)).store())
        } else {
            groups(&gaps.store()[..width])
        };
        let depth = super::board_counts::total(&well.depth(columns).store());
        let own = [sum, highest - lowest, groups, depth];
        for (feature, count) in features[2 * width + 2..].iter_mut().zip(own) {
            *feature = count as f32;
        }
    }
    Some(weighted_sum(coefficients.reward * reward, coefficients.weights, &features))
}
