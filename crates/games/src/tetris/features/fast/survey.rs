//! `Survey`: all that is known of a board before a piece is placed on it, a lane a column.
//!
//! A placement touches a few columns next to each other. What the others count is known from sums
//! over all columns before and after; these are kept here, several counts packed into one number.

use super::super::super::board::MOST_COLUMNS;
use super::super::counts::all_rows;
use super::super::dt::Wells;
use super::lanes::Lanes;

/// Bits of the counts that are packed: changes along columns, holes and hole depth; changes along
/// rows, and four bits for each of the five steps between neighbours.
pub(super) const FIELD: u32 = 10;
pub(super) const FIELD_MASK: u32 = (1 << FIELD) - 1;
const STEPS_MASK: u32 = 0xf_ffff << FIELD;

/// The height of a wall: no step to or from it is one of the five.
const WALL_HEIGHT: u32 = 1_000;

/// The number of each lane.
pub(super) const LANES: [u32; MOST_COLUMNS] =
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// A well in lanes.
#[derive(Clone, Copy)]
pub(super) struct Frame<L: Lanes> {
    pub(super) on: L::On,
    pub(super) wells: Wells,
    pub(super) width: usize,
    pub(super) height: usize,
    /// Full rows: what a wall looks like.
    pub(super) wall: L,
    /// Walls in the lanes beyond the well, nothing in the others.
    pub(super) walls: L,
    /// All bits in the lanes of the well.
    inside: L,
    pub(super) zero: L,
    pub(super) one: L,
}

/// What every column counts.
struct Counted<L> {
    columns: L,
    heights: L,
    holes: L,
    /// Changes along the column, holes and hole depth.
    own: L,
    /// Changes to the right neighbour, and the step to it.
    pairs: L,
    /// The same between the left wall and the first column.
    left_pair: u32,
    wells: L,
}

/// A board before a piece is placed.
pub(super) struct Survey<L: Lanes> {
    pub(super) frame: Frame<L>,
    /// The columns from two before each lane to six after it.
    pub(super) columns: [L; 9],
    /// The heights from one before each lane to five after it.
    pub(super) heights: [L; 7],
    /// Counts of the columns before those that a placement touches.
    before: Outside<L>,
    /// Counts of a lane's own column and all after it.
    after: Outside<L>,
}

/// Counts of the columns that a placement does not touch.
#[derive(Clone, Copy)]
pub(super) struct Outside<L> {
    /// Changes along columns, holes and hole depth.
    pub(super) own: L,
    /// Changes along rows, and steps.
    pub(super) pairs: L,
    pub(super) wells: L,
    /// Rows with a gap.
    pub(super) open: L,
    /// Rows with a hole.
    pub(super) hole_rows: L,
}

impl<L: Lanes> Frame<L> {
    #[inline(always)]
    pub(super) fn new(on: L::On, wells: Wells, width: usize, height: usize) -> Frame<L> {
        let within = L::load(on, &LANES).sub(L::splat(on, width as u32));
        // Less than nothing has the highest bit.
        let inside = L::splat(on, 0).sub(within.shr::<31>());
        let wall = L::splat(on, all_rows(height));
        let walls = wall.without(inside);
        let (zero, one) = (L::splat(on, 0), L::splat(on, 1));
        Frame { on, wells, width, height, wall, walls, inside, zero, one }
    }

    #[inline(always)]
    pub(super) fn splat(&self, number: u32) -> L {
        L::splat(self.on, number)
    }

    /// Changes along a column from the full floor to above the top, as `changes_upward` counts.
    #[inline(always)]
    pub(super) fn changes(&self, column: L) -> L {
        column.xor(column.shr::<1>()).count_ones().or(self.one)
    }

    /// The holes of a column of some height.
    #[inline(always)]
    pub(super) fn holes(&self, column: L, height: L) -> L {
        self.one.shl_each(height).sub(self.one).without(column)
    }

    /// The full cells above the lowest gap.
    #[inline(always)]
    pub(super) fn depth(&self, column: L) -> L {
        column.and(column.add(self.one)).count_ones()
    }

    /// One in the field of a step from one height to another, nothing if it is none of the five.
    #[inline(always)]
    pub(super) fn step(&self, from: L, to: L) -> L {
        let field = to.sub(from).shl::<2>().add(self.splat(8 + FIELD));
        self.one.shl_each(field).and(self.splat(STEPS_MASK))
    }

    /// How many of the five steps occur.
    #[inline(always)]
    pub(super) fn diversity(&self, pairs: L) -> L {
        let steps = pairs.shr::<FIELD>();
        let steps = steps.or(steps.shr::<1>());
        let steps = steps.or(steps.shr::<2>());
        steps.and(self.splat(0x1_1111)).count_ones()
    }

    /// What the wells of some columns count in all; each column stands between its neighbours.
    #[inline(always)]
    pub(super) fn wells_of<const N: usize>(&self, columns: [L; N]) -> L {
        let mut cells = columns;
        for j in 1..N - 1 {
            cells[j] = columns[j - 1].and(columns[j + 1]).without(columns[j]);
        }
        // Few runs and wells are longer: so far it is faster not to ask.
        if self.wells == Wells::FromTop {
            for _ in 0..2 {
                for j in 1..N - 1 {
                    cells[j] = cells[j].or(cells[j].shr::<1>().without(columns[j]));
                }
            }
            loop {
                let mut more = self.zero;
                for j in 1..N - 1 {
                    let below = cells[j].shr::<1>().without(columns[j].or(cells[j]));
                    cells[j] = cells[j].or(below);
                    more = more.or(below);
                }
                if !more.any() {
                    break;
                }
            }
        }
        let mut sum = self.zero;
        for _ in 0..3 {
            for j in 1..N - 1 {
                sum = sum.add(cells[j].count_ones());
                cells[j] = cells[j].shr::<1>().without(columns[j]);
            }
        }
        let mut left = self.zero;
        for &cells in &cells[1..N - 1] {
            left = left.or(cells);
        }
        while left.any() {
            left = self.zero;
            for j in 1..N - 1 {
                sum = sum.add(cells[j].count_ones());
                cells[j] = cells[j].shr::<1>().without(columns[j]);
                left = left.or(cells[j]);
            }
        }
        sum
    }

    /// The columns of a board between its walls.
    #[inline(always)]
    pub(super) fn walled(&self, board: &[u32; MOST_COLUMNS]) -> L {
        L::load(self.on, board).or(self.walls)
    }

    /// Counts every column of a board.
    #[inline(always)]
    fn count(&self, columns: L) -> Counted<L> {
        let (left, right) = (columns.up::<1>(self.wall), columns.down::<1>(self.wall));
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
        let wells = self.wells_of([left, columns, right]);
        Counted { columns, heights, holes, own, pairs, left_pair, wells }
    }

    /// The seven counts of a whole board, in the order of the features.
    #[inline(always)]
    pub(super) fn totals(&self, columns: L) -> [u32; 7] {
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

impl<L: Lanes> Survey<L> {
    #[inline(always)]
    pub(super) fn new(frame: Frame<L>, board: &[u32; MOST_COLUMNS]) -> Survey<L> {
        let Counted { columns: c, heights: h, holes, own, pairs, left_pair, wells } =
            frame.count(frame.walled(board));
        let (wall, zero) = (frame.wall, frame.zero);
        let columns = [
            c.up::<2>(wall),
            c.up::<1>(wall),
            c,
            c.down::<1>(wall),
            c.down::<2>(wall),
            c.down::<3>(wall),
            c.down::<4>(wall),
            c.down::<5>(wall),
            c.down::<6>(wall),
        ];
        let far = frame.splat(WALL_HEIGHT);
        let heights = [
            h.up::<1>(far),
            h,
            h.down::<1>(far),
            h.down::<2>(far),
            h.down::<3>(far),
            h.down::<4>(far),
            h.down::<5>(far),
        ];
        let first = frame.splat(left_pair);
        let (own, pairs, wells) = (sums(own, zero), sums(pairs, zero), sums(wells, zero));
        let open = wall.without(c);
        // A placement from a lane on touches its column and the pair with the one before, and the
        // wells of the one before.
        let before = Outside {
            own: own.up::<1>(zero),
            pairs: pairs.add(first).up::<1>(first).up::<1>(zero),
            wells: wells.up::<2>(zero),
            open: any_before(open, zero).up::<1>(zero),
            hole_rows: any_before(holes, zero).up::<1>(zero),
        };
        // Looked at so many lanes on as the placement is wide: there its last column and pair lie
        // one lane back, the touched well in the lane itself.
        let after = Outside {
            own: own.last().sub(own).up::<1>(zero),
            pairs: pairs.last().sub(pairs).up::<1>(zero),
            wells: wells.last().sub(wells),
            open: any_after(open, zero),
            hole_rows: any_after(holes, zero),
        };
        Survey { frame, columns, heights, before, after }
    }

    /// What a placement of `W` columns from each lane on leaves untouched.
    #[inline(always)]
    pub(super) fn outside<const W: usize>(&self) -> Outside<L> {
        let (before, after, zero) = (&self.before, &self.after, self.frame.zero);
        Outside {
            own: before.own.add(after.own.down::<W>(zero)),
            pairs: before.pairs.add(after.pairs.down::<W>(zero)),
            wells: before.wells.add(after.wells.down::<W>(zero)),
            open: before.open.or(after.open.down::<W>(zero)),
            hole_rows: before.hole_rows.or(after.hole_rows.down::<W>(zero)),
        }
    }
}

/// The sums of all lanes up to each.
#[inline(always)]
fn sums<L: Lanes>(lanes: L, zero: L) -> L {
    let lanes = lanes.add(lanes.up::<1>(zero));
    let lanes = lanes.add(lanes.up::<2>(zero));
    let lanes = lanes.add(lanes.up::<4>(zero));
    lanes.add(lanes.up::<8>(zero))
}

/// The bits of all lanes up to each.
#[inline(always)]
fn any_before<L: Lanes>(lanes: L, zero: L) -> L {
    let lanes = lanes.or(lanes.up::<1>(zero));
    let lanes = lanes.or(lanes.up::<2>(zero));
    let lanes = lanes.or(lanes.up::<4>(zero));
    lanes.or(lanes.up::<8>(zero))
}

/// The bits of all lanes from each on.
#[inline(always)]
fn any_after<L: Lanes>(lanes: L, zero: L) -> L {
    let lanes = lanes.or(lanes.down::<1>(zero));
    let lanes = lanes.or(lanes.down::<2>(zero));
    let lanes = lanes.or(lanes.down::<4>(zero));
    lanes.or(lanes.down::<8>(zero))
}

/// The sum of some numbers.
#[inline(always)]
pub(super) fn total(numbers: &[u32; MOST_COLUMNS]) -> u32 {
    let mut sum = 0u32;
    for &number in numbers {
        sum = sum.wrapping_add(number);
    }
    sum
}
