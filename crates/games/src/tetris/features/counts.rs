//! What can be counted on a board, column by column on its bitmaps; the sets share it.

use super::super::board::{MOST_COLUMNS, reach};

/// The cells of a column that are empty below a full one.
#[inline]
pub(super) fn holes(column: u32) -> u32 {
    !column & ((1u64 << reach(column)) - 1) as u32
}

/// The full cells of a column above its lowest empty one.
#[inline]
pub(super) fn above_lowest_gap(column: u32) -> u32 {
    column & column.wrapping_add(1)
}

/// How often a column changes between full and empty on the way from the floor, which counts as
/// full, to above the top, which is empty.
#[inline]
pub(super) fn changes_upward(column: u32) -> u32 {
    // A way from full to empty changes an odd number of times. Seen from the lowest cell on, it is
    // odd or one too few.
    (column ^ column >> 1).count_ones() | 1
}

/// The rows of a well as a bitmap.
#[inline]
pub(super) fn all_rows(height: usize) -> u32 {
    ((1u64 << height) - 1) as u32
}

/// How high each column reaches.
#[inline]
pub(super) fn heights(columns: &[u32]) -> [u32; MOST_COLUMNS] {
    let mut heights = [0; MOST_COLUMNS];
    for (height, &column) in heights.iter_mut().zip(columns) {
        *height = reach(column) as u32;
    }
    heights
}

/// How many groups some cells form, cells that share an edge being of one group.
///
/// Each column falls into runs of cells; runs that lie side by side in neighbouring columns join
/// their groups.
pub(super) fn groups(columns: &[u32]) -> u32 {
    // Every run points to another of its group, or to itself.
    let mut parents = [0u8; MOST_COLUMNS * 16];
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
                    let (a, b) = (first(&parents, runs - of_before + i), first(&parents, number));
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

/// The first run of the group of a run.
fn first(parents: &[u8], mut run: usize) -> usize {
    while usize::from(parents[run]) != run {
        run = usize::from(parents[run]);
    }
    run
}
