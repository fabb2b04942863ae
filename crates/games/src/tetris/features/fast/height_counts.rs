//! `HeightCounts`: the counts of the height-based features of a board before a placement, one lane
//! per column.

use super::super::super::board::{MAX_COLUMNS, reach};
use super::super::dt::Wells;
use super::board_counts::{FIELD, FIELD_MASK, WALL_HEIGHT, WellLanes, any_after, any_before, sums};
use super::placements::Query;
use super::simd::Simd;

/// From so many holes on, holes may surround full cells: a ring has at least eight.
pub(super) const MIN_RING: u32 = 8;

/// And so many enclose a run from the left.
const MIN_ENCLOSING: u32 = 5;

/// A set of height-based features.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct HeightSet {
    /// Whether the four features of Marchal et al. follow those of Bertsekas & Tsitsiklis.
    pub(in super::super) with_own: bool,
}

/// One number per column or per pair of columns, followed by -0.0: adding that changes no sum, not
/// even its sign.
pub(super) struct Padded([f32; 2 * MAX_COLUMNS]);

impl Padded {
    #[inline(always)]
    fn new<S: Simd>(lanes: S::Floats) -> Padded {
        let mut padded = [-0.0; 2 * MAX_COLUMNS];
        padded[..MAX_COLUMNS].copy_from_slice(&S::store_floats(lanes));
        Padded(padded)
    }

    /// The numbers that many lanes ahead.
    #[inline(always)]
    pub(super) fn ahead<S: Simd>(&self, token: S::Token, by: usize) -> S::Floats {
        match self.0[by % MAX_COLUMNS..].first_chunk() {
            Some(window) => S::load_floats(token, window),
            None => S::float(token, -0.0),
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, number: usize) -> f32 {
        self.0[number % MAX_COLUMNS]
    }
}

/// The counts of a board before a placement.
pub(super) struct HeightCounts<S: Simd> {
    pub(super) well: WellLanes<S>,
    pub(super) columns: S,
    /// The heights from one before each lane to five after it.
    pub(super) heights: [S; 7],
    pub(super) gaps: S,
    /// The terms of the board's heights and of their differences to the right neighbour.
    pub(super) height_terms: Padded,
    pub(super) difference_terms: Padded,
    /// The sum up to the heights of the columns before each lane.
    pub(super) start: S::Floats,
    pub(super) highest: u32,
    pub(super) height_sum: u32,
    pub(super) hole_count: u32,
    /// The lowest height before a lane, and of a lane and all after it.
    pub(super) lowest_before: S,
    lowest_after: S,
    /// Rows with an empty cell.
    open_before: S,
    open_after: S,
    /// Hole depth and runs of holes.
    own_before: S,
    own_after: S,
    /// Runs of holes that neighbours share.
    pairs_before: S,
    pairs_after: S,
    /// Whether a run of full cells has holes below, above and all along its left side.
    pub(super) may_have_ring: bool,
}

/// Counts of the columns that a placement does not touch.
pub(super) struct UntouchedHeights<S> {
    pub(super) lowest: S,
    pub(super) open: S,
    pub(super) depth: S,
    /// Runs of holes less those that neighbours share.
    pub(super) groups: S,
}

/// The number of runs of bits.
#[inline(always)]
pub(super) fn runs<S: Simd>(bits: S) -> S {
    bits.without(bits.shl::<1>()).count_ones()
}

/// The holes of two neighbours between which a run of full cells of the right one is enclosed from
/// the left: holes below it, above it, and in the left column from one to the other. A group of
/// holes that surrounds full cells has such a run where these cells begin.
#[inline(always)]
pub(super) fn enclosed<S: Simd>(left: S, right: S) -> S {
    let shared = left.and(right);
    let beside = left.without(right);
    // The carry from the lowest cell of a run goes to the cell above its highest.
    beside.add(beside.and(shared.shl::<1>())).and(shared)
}

impl<S: Simd> HeightCounts<S> {
    #[inline(always)]
    pub(super) fn count(token: S::Token, query: &Query<HeightSet>) -> HeightCounts<S> {
        let (setup, weights) = (query.game.setup(), query.coefficients.weights);
        let (width, board) = (setup.width, query.state.board.columns());
        // Wells are not counted.
        let well = WellLanes::<S>::new(token, Wells::FromTop, width, setup.height);
        let (zero, far) = (well.zero, well.splat(WALL_HEIGHT));
        let columns = well.walled(board);
        let reached = columns.reach();
        let h = reached.and(well.inside).or(far.without(well.inside));
        let gaps = well.holes(columns, reached);
        let right_gaps = gaps.down::<1>(zero);

        let right = h.down::<1>(far);
        let height_terms = h.times(S::load_where(u16::MAX, token, &weights[1..=width]));
        let difference_terms = h.max(right).sub(h.min(right)).times(S::load_where(
            u16::MAX,
            token,
            &weights[1 + width..2 * width],
        ));
        let height_terms = Padded::new::<S>(height_terms);
        let difference_terms = Padded::new::<S>(difference_terms);
        // Rewards of placements that clear no row are 0, but the term keeps the rounding.
        let first = query.coefficients.reward * 0.0 + weights[0] * 1.0;
        let mut start = S::float(token, first);
        for i in 0..width - 1 {
            start = S::add_where(u16::MAX << 1 << i, start, height_terms.get(i));
        }

        let holes = gaps.count_ones();
        let own = well.depth(columns).add(runs(gaps).shl::<FIELD>());
        let own = sums(own.add(holes.shl::<{ 2 * FIELD }>()), zero);
        let pairs = runs(gaps.and(right_gaps)).add(reached.and(well.inside).shl::<FIELD>());
        let pairs = sums(pairs, zero);
        let (own_sum, pair_sum) = (own.last(), pairs.last());
        let hole_count = own_sum.first() >> (2 * FIELD);
        let (own_before, pairs_before) = (own.up::<1>(zero), pairs.up::<1>(zero));
        let open = well.wall.without(columns);
        let lowest = least(h, |lanes, by| match by {
            1 => lanes.up::<1>(far),
            2 => lanes.up::<2>(far),
            4 => lanes.up::<4>(far),
            _ => lanes.up::<8>(far),
        });
        let all = board.iter().fold(0, |all, column| all | column);
        let may_have_ring = hole_count >= MIN_ENCLOSING && enclosed(gaps.up::<1>(zero), gaps).any();
        HeightCounts {
            columns,
            heights: [
                h.up::<1>(far),
                h,
                right,
                h.down::<2>(far),
                h.down::<3>(far),
                h.down::<4>(far),
                h.down::<5>(far),
            ],
            gaps,
            height_terms,
            difference_terms,
            start,
            highest: reach(all) as u32,
            height_sum: pair_sum.first() >> FIELD,
            hole_count,
            lowest_before: lowest.up::<1>(far),
            lowest_after: least(h, |lanes, by| match by {
                1 => lanes.down::<1>(far),
                2 => lanes.down::<2>(far),
                4 => lanes.down::<4>(far),
                _ => lanes.down::<8>(far),
            }),
            open_before: any_before(open, zero).up::<1>(zero),
            open_after: any_after(open, zero),
            own_before,
            own_after: own_sum.sub(own_before),
            pairs_before: pairs_before.up::<1>(zero),
            pairs_after: pair_sum.sub(pairs_before),
            may_have_ring,
            well,
        }
    }

    /// The counts of the columns that a placement of `W` columns at each lane does not touch.
    #[inline(always)]
    pub(super) fn untouched<const W: usize>(&self) -> UntouchedHeights<S> {
        let (zero, field) = (self.well.zero, self.well.splat(FIELD_MASK));
        let far = self.well.splat(WALL_HEIGHT);
        let own = self.own_before.add(self.own_after.down::<W>(zero));
        let pairs = self.pairs_before.add(self.pairs_after.down::<W>(zero));
        UntouchedHeights {
            lowest: self.lowest_before.min(self.lowest_after.down::<W>(far)),
            open: self.open_before.or(self.open_after.down::<W>(zero)),
            depth: own.and(field),
            groups: own.shr::<FIELD>().and(field).sub(pairs.and(field)),
        }
    }

    /// Lanes that many columns ahead; beyond the well, the fill.
    #[inline(always)]
    pub(super) fn ahead(lanes: S, by: usize, fill: S) -> S {
        match by {
            0 => lanes,
            1 => lanes.down::<1>(fill),
            2 => lanes.down::<2>(fill),
            3 => lanes.down::<3>(fill),
            4 => lanes.down::<4>(fill),
            _ => lanes.down::<5>(fill),
        }
    }
}

/// Inclusive minima of the lanes, which `moved` moves by 1, 2, 4 and 8.
#[inline(always)]
fn least<S: Simd>(lanes: S, moved: impl Fn(S, usize) -> S) -> S {
    let mut lanes = lanes;
    for by in [1, 2, 4, 8] {
        lanes = lanes.min(moved(lanes, by));
    }
    lanes
}
