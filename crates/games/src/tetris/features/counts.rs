//! Counts on the column bitmaps of a board, shared by the feature sets.

use super::super::board::{MAX_COLUMNS, reach};

/// The holes of a column: empty cells below a full one.
#[inline]
pub(super) fn holes(column: u32) -> u32 {
    !column & ((1u64 << reach(column)) - 1) as u32
}

/// The full cells of a column above its lowest empty one.
#[inline]
pub(super) fn above_lowest_gap(column: u32) -> u32 {
    column & column.wrapping_add(1)
}

/// The transitions of a column between full and empty, from the full floor to empty above the top.
#[inline]
pub(super) fn changes_upward(column: u32) -> u32 {
    // From full to empty the number of transitions is odd. Counted from the lowest cell it is that
    // or one less, so setting the lowest bit completes it.
    (column ^ column >> 1).count_ones() | 1
}

/// The rows of a well as a bitmap.
#[inline]
pub(super) fn all_rows(height: usize) -> u32 {
    ((1u64 << height) - 1) as u32
}

/// The height of each column.
#[inline]
pub(super) fn heights(columns: &[u32]) -> [u32; MAX_COLUMNS] {
    let mut heights = [0; MAX_COLUMNS];
    for (height, &column) in heights.iter_mut().zip(columns) {
        *height = reach(column) as u32;
    }
    heights
}

/// The number of connected groups of cells that share an edge, by union-find over the vertical runs
/// of each column.
#[inline(always)]
pub(super) fn groups(columns: &[u32]) -> u32 {
    // The parent of each run in its group; a root is its own parent.
    let mut parents = [0u8; MAX_COLUMNS * 16];
    let (mut runs, mut joined) = (0, 0);
    let (mut before, mut of_before) = ([0u32; 16], 0);
    for &column in columns {
        let (mut own, mut of_own) = ([0u32; 16], 0);
        let mut left = column;
        while left != 0 {
            let lowest = left & left.wrapping_neg();
            let run = left & !left.wrapping_add(lowest);
            left &= !run;
            own[of_own] = run;
            let number = runs + of_own;
            parents[number] = number as u8;
            for (i, other) in before[..of_before].iter().enumerate() {
                if other & run != 0 {
                    let (a, b) = (root(&parents, runs - of_before + i), root(&parents, number));
                    joined += usize::from(a != b);
                    parents[a.max(b)] = a.min(b) as u8;
                }
            }
            of_own += 1;
        }
        runs += of_own;
        (before, of_before) = (own, of_own);
    }
    (runs - joined) as u32
}

/// The root of the group of a run.
fn root(parents: &[u8], mut run: usize) -> usize {
    while usize::from(parents[run]) != run {
        run = usize::from(parents[run]);
    }
    run
}
