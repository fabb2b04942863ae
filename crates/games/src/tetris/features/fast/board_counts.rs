//! `BoardCounts`: the feature counts of a board before a placement, one lane per column.
//!
//! A placement touches a few adjacent columns. The counts of the others are prefix and suffix sums
//! over the columns, with several counts packed into one lane.

use super::super::super::board::MAX_COLUMNS;
use super::super::counts::all_rows;
use super::super::dt::Wells;
use super::simd::Simd;

/// Bits per packed count. One lane packs column transitions, holes and hole depth; another packs
/// row transitions, and four bits for each height difference from -2 to 2 between neighbours.
pub(super) const FIELD: u32 = 10;
pub(super) const FIELD_MASK: u32 = (1 << FIELD) - 1;
const STEPS_MASK: u32 = 0xf_ffff << FIELD;

/// The height of a wall: height differences to it are outside -2..=2.
pub(super) const WALL_HEIGHT: u32 = 1_000;

/// The number of each lane.
pub(super) const LANES: [u32; MAX_COLUMNS] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The constants of a well, broadcast to lanes.
#[derive(Clone, Copy)]
pub(super) struct WellLanes<S: Simd> {
    pub(super) token: S::Token,
    pub(super) wells: Wells,
    pub(super) width: usize,
    pub(super) height: usize,
    /// A full column, as a wall is, in every lane.
    pub(super) wall: S,
    /// A full column in the lanes beyond the well, 0 in the others.
    pub(super) walls: S,
    /// All bits set in the lanes of the well.
    pub(super) inside: S,
    pub(super) zero: S,
    pub(super) one: S,
}

/// The counts of every column.
struct ColumnCounts<S> {
    columns: S,
    upside_down: S,
    heights: S,
    holes: S,
    /// Column transitions, holes and hole depth, packed.
    own: S,
    /// Row transitions and height difference to the right neighbour, packed.
    pairs: S,
    /// The same between the left wall and the first column.
    left_pair: u32,
    wells: S,
}

/// The counts of a board before a placement.
pub(super) struct BoardCounts<S: Simd> {
    pub(super) well: WellLanes<S>,
    /// The columns from two before each lane to six after it.
    pub(super) columns: [S; 9],
    /// The same columns upside down: the floor is the highest bit, where carries end.
    pub(super) upside_down: [S; 9],
    /// The heights from one before each lane to five after it.
    pub(super) heights: [S; 7],
    /// Counts of the columns before those that a placement touches.
    before: UntouchedCounts<S>,
    /// Counts of a lane's column and all after it.
    after: UntouchedCounts<S>,
}

/// Counts of the columns that a placement does not touch.
#[derive(Clone, Copy)]
pub(super) struct UntouchedCounts<S> {
    /// Column transitions, holes and hole depth, packed.
    pub(super) own: S,
    /// Row transitions and height differences, packed.
    pub(super) pairs: S,
    pub(super) wells: S,
    /// Rows with an empty cell.
    pub(super) open: S,
    /// Rows with a hole.
    pub(super) hole_rows: S,
}

impl<S: Simd> WellLanes<S> {
    #[inline(always)]
    pub(super) fn new(token: S::Token, wells: Wells, width: usize, height: usize) -> WellLanes<S> {
        let within = S::load(token, &LANES).sub(S::splat(token, width as u32));
        // The highest bit of a negative number is set.
        let inside = S::splat(token, 0).sub(within.shr::<31>());
        let wall = S::splat(token, all_rows(height));
        let walls = wall.without(inside);
        let (zero, one) = (S::splat(token, 0), S::splat(token, 1));
        WellLanes { token, wells, width, height, wall, walls, inside, zero, one }
    }

    #[inline(always)]
    pub(super) fn splat(&self, number: u32) -> S {
        S::splat(self.token, number)
    }

    /// Column transitions, as `changes_upward`.
    #[inline(always)]
    pub(super) fn changes(&self, column: S) -> S {
        column.xor(column.shr::<1>()).count_ones().or(self.one)
    }

    /// The holes of a column with this height.
    #[inline(always)]
    pub(super) fn holes(&self, column: S, height: S) -> S {
        self.one.shl_each(height).sub(self.one).without(column)
    }

    /// Hole depth: the full cells above the lowest empty one.
    #[inline(always)]
    pub(super) fn depth(&self, column: S) -> S {
        column.and(column.add(self.one)).count_ones()
    }

    /// One in the field of a height difference; 0 if it is outside -2..=2.
    #[inline(always)]
    pub(super) fn step(&self, from: S, to: S) -> S {
        let field = to.sub(from).shl::<2>().add(self.splat(8 + FIELD));
        self.one.shl_each(field).and(self.splat(STEPS_MASK))
    }

    /// Diversity: how many of the height differences from -2 to 2 occur.
    #[inline(always)]
    pub(super) fn diversity(&self, pairs: S) -> S {
        let steps = pairs.shr::<FIELD>();
        let steps = steps.or(steps.shr::<1>());
        let steps = steps.or(steps.shr::<2>());
        steps.and(self.splat(0x1_1111)).count_ones()
    }

    /// A wall with its rows in reverse.
    #[inline(always)]
    fn wall_upside_down(&self) -> S {
        self.splat(all_rows(self.height).reverse_bits())
    }

    /// The sum of the wells of the inner columns of a range of adjacent columns, upside down.
    #[inline(always)]
    pub(super) fn wells_of<const N: usize>(&self, columns: [S; N]) -> S {
        let mut cells = columns;
        let ones = self.splat(u32::MAX);
        for j in 1..N - 1 {
            let own = columns[j - 1].and(columns[j + 1]).without(columns[j]);
            // A well cell added to the empty ones carries down to the next full cell: the bits that
            // the carry clears are the cells below it.
            cells[j] = if self.wells == Wells::FromTop {
                let empty = ones.without(columns[j]);
                empty.without(empty.add(own)).or(own)
            } else {
                own
            };
        }
        let (mut sum, mut left) = (self.zero, self.zero);
        for j in 1..N - 1 {
            sum = sum.add(cells[j].count_ones());
            cells[j] = cells[j].shl::<1>().without(columns[j]);
            left = left.or(cells[j]);
        }
        if !left.any() {
            return sum;
        }
        if self.wells == Wells::FromTop {
            // A run of n cells, each of which counts those above it, too, adds n (n + 1) / 2.
            let (mut twice, mut runs) = (self.zero, self.zero);
            for &cells in &cells[1..N - 1] {
                let count = cells.count_ones();
                twice = twice.add(count.mul(count)).add(count);
                // Adding the lowest cell of a run clears it: what is left is another run.
                runs = runs.or(cells.add(cells.and(self.zero.sub(cells))).and(cells));
            }
            if !runs.any() {
                return sum.add(twice.shr::<1>());
            }
        }
        while left.any() {
            left = self.zero;
            for j in 1..N - 1 {
                sum = sum.add(cells[j].count_ones());
                cells[j] = cells[j].shl::<1>().without(columns[j]);
                left = left.or(cells[j]);
            }
        }
        sum
    }

    /// Loads the columns of a board, with walls beyond the well.
    #[inline(always)]
    pub(super) fn walled(&self, board: &[u32; MAX_COLUMNS]) -> S {
        S::load(self.token, board).or(self.walls)
    }

    /// Counts every column of a board.
    #[inline(always)]
    fn count(&self, columns: S) -> ColumnCounts<S> {
        let right = columns.down::<1>(self.wall);
        let wall_heights = self.splat(WALL_HEIGHT);
        let reach = columns.reach();
        let heights = reach.and(self.inside).or(wall_heights.without(self.inside));
        let holes = self.holes(columns, reach);
        let own = self.changes(columns).and(self.inside);
        let own = own.add(holes.count_ones().shl::<FIELD>());
        let own = own.add(self.depth(columns).shl::<{ 2 * FIELD }>());
        let steps = self.step(heights, heights.down::<1>(wall_heights)).and(self.inside);
        let pairs = columns.xor(right).count_ones().add(steps);
        let left_pair = columns.xor(self.wall).count_ones().first();
        let (upside_down, wall) = (columns.reverse_bits(), self.wall_upside_down());
        let (left, right) = (upside_down.up::<1>(wall), upside_down.down::<1>(wall));
        let wells = self.wells_of([left, upside_down, right]);
        ColumnCounts { columns, upside_down, heights, holes, own, pairs, left_pair, wells }
    }

    /// The seven counts of a whole board, in the order of the features.
    #[inline(always)]
    pub(super) fn totals(&self, columns: S) -> [u32; 7] {
        let counted = self.count(columns);
        let (own, wells) = (total(&counted.own.store()), total(&counted.wells.store()));
        let pairs = total(&counted.pairs.store()).wrapping_add(counted.left_pair);
        let mut hole_rows = 0;
        for rows in counted.holes.store() {
            hole_rows |= rows;
        }
        let field = |packed: u32, number: u32| packed >> (number * FIELD) & FIELD_MASK;
        let steps = pairs >> FIELD;
        let steps = steps | steps >> 1;
        let steps = (steps | steps >> 2) & 0x1_1111;
        let (hole_rows, steps) = (hole_rows.count_ones(), steps.count_ones());
        [field(pairs, 0), field(own, 0), field(own, 1), wells, field(own, 2), hole_rows, steps]
    }
}

impl<S: Simd> BoardCounts<S> {
    #[inline(always)]
    pub(super) fn count(well: WellLanes<S>, board: &[u32; MAX_COLUMNS]) -> BoardCounts<S> {
        let counted = well.count(well.walled(board));
        let ColumnCounts { columns: c, heights: h, holes, own, pairs, left_pair, wells, .. } =
            counted;
        let (wall, zero) = (well.wall, well.zero);
        let columns = neighbours(c, wall);
        let upside_down = neighbours(counted.upside_down, well.wall_upside_down());
        let far = well.splat(WALL_HEIGHT);
        let heights = [
            h.up::<1>(far),
            h,
            h.down::<1>(far),
            h.down::<2>(far),
            h.down::<3>(far),
            h.down::<4>(far),
            h.down::<5>(far),
        ];
        let first = well.splat(left_pair);
        let (own, pairs, wells) = (sums(own, zero), sums(pairs, zero), sums(wells, zero));
        let open = wall.without(c);
        // A placement whose first column is a lane touches that column, its pair with the column
        // before, and the wells of the column before.
        let before = UntouchedCounts {
            own: own.up::<1>(zero),
            pairs: pairs.add(first).up::<1>(first).up::<1>(zero),
            wells: wells.up::<2>(zero),
            open: any_before(open, zero).up::<1>(zero),
            hole_rows: any_before(holes, zero).up::<1>(zero),
        };
        // Read at the lane plus the width of the placement: its last column and pair are one lane
        // before, the touched well is in the lane itself.
        let after = UntouchedCounts {
            own: own.last().sub(own).up::<1>(zero),
            pairs: pairs.last().sub(pairs).up::<1>(zero),
            wells: wells.last().sub(wells),
            open: any_after(open, zero),
            hole_rows: any_after(holes, zero),
        };
        BoardCounts { well, columns, upside_down, heights, before, after }
    }

    /// The counts of the columns that a placement of `W` columns at each lane does not touch.
    #[inline(always)]
    pub(super) fn untouched<const W: usize>(&self) -> UntouchedCounts<S> {
        let (before, after, zero) = (&self.before, &self.after, self.well.zero);
        UntouchedCounts {
            own: before.own.add(after.own.down::<W>(zero)),
            pairs: before.pairs.add(after.pairs.down::<W>(zero)),
            wells: before.wells.add(after.wells.down::<W>(zero)),
            open: before.open.or(after.open.down::<W>(zero)),
            hole_rows: before.hole_rows.or(after.hole_rows.down::<W>(zero)),
        }
    }
}

/// The columns from two before each lane to six after it.
#[inline(always)]
fn neighbours<S: Simd>(columns: S, wall: S) -> [S; 9] {
    [
        columns.up::<2>(wall),
        columns.up::<1>(wall),
        columns,
        columns.down::<1>(wall),
        columns.down::<2>(wall),
        columns.down::<3>(wall),
        columns.down::<4>(wall),
        columns.down::<5>(wall),
        columns.down::<6>(wall),
    ]
}

/// Inclusive prefix sums of the lanes.
#[inline(always)]
pub(super) fn sums<S: Simd>(lanes: S, zero: S) -> S {
    let lanes = lanes.add(lanes.up::<1>(zero));
    let lanes = lanes.add(lanes.up::<2>(zero));
    let lanes = lanes.add(lanes.up::<4>(zero));
    lanes.add(lanes.up::<8>(zero))
}

/// Inclusive prefix ORs of the lanes.
#[inline(always)]
pub(super) fn any_before<S: Simd>(lanes: S, zero: S) -> S {
    let lanes = lanes.or(lanes.up::<1>(zero));
    let lanes = lanes.or(lanes.up::<2>(zero));
    let lanes = lanes.or(lanes.up::<4>(zero));
    lanes.or(lanes.up::<8>(zero))
}

/// Inclusive suffix ORs of the lanes.
#[inline(always)]
pub(super) fn any_after<S: Simd>(lanes: S, zero: S) -> S {
    let lanes = lanes.or(lanes.down::<1>(zero));
    let lanes = lanes.or(lanes.down::<2>(zero));
    let lanes = lanes.or(lanes.down::<4>(zero));
    lanes.or(lanes.down::<8>(zero))
}

/// The wrapping sum.
#[inline(always)]
pub(super) fn total(numbers: &[u32; MAX_COLUMNS]) -> u32 {
    let mut sum = 0u32;
    for &number in numbers {
        sum = sum.wrapping_add(number);
    }
    sum
}
