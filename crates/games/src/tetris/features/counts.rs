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
pub(super) fn groups(columns: &[u32]) -> u32 {
    let mut left = [0; MOST_COLUMNS];
    left[..columns.len()].copy_from_slice(columns);
    let left = &mut left[..columns.len()];
    let mut found = 0;
    while let Some(first) = left.iter().position(|&column| column != 0) {
        found += 1;
        let mut group = [0; MOST_COLUMNS];
        group[first] = left[first] & left[first].wrapping_neg();
        // Grows to the right and back until nothing is added.
        let mut grows = true;
        while grows {
            grows = false;
            for column in (0..left.len()).chain((0..left.len()).rev()) {
                let before = column.checked_sub(1).map_or(0, |column| group[column]);
                let after = group.get(column + 1).copied().unwrap_or(0);
                let mut cells = group[column] | (before | after) & left[column];
                loop {
                    let more = (cells | cells << 1 | cells >> 1) & left[column];
                    if more == cells {
                        break;
                    }
                    cells = more;
                }
                grows |= cells != group[column];
                group[column] = cells;
            }
        }
        for (cells, own) in left.iter_mut().zip(group) {
            *cells &= !own;
        }
    }
    found
}
