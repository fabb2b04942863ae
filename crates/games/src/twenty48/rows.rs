//! The result of sliding one row, precomputed for every row of four nibbles.

use std::sync::LazyLock;

/// For each row, packed: the row slid towards its first cell (bits 0..16), slid towards its last
/// cell (16..32), and the points divided by 4 (32..63), which are equal in both directions, since a
/// run of k equal tiles makes k / 2 merges from either end. [`TOO_BIG`] marks a row in which two
/// tiles of 32,768 merge: the result does not fit in a nibble.
pub(super) type RowTable = [u64; 1 << 16];

/// Marks a row that needs the slow path.
pub(super) const TOO_BIG: u64 = 1 << 63;

/// The table for rows of `length` cells, 2 to 4; cells beyond the length stay empty.
pub(super) fn row_table(length: usize) -> &'static RowTable {
    static TABLES: [LazyLock<Box<RowTable>>; 3] =
        [LazyLock::new(|| build(2)), LazyLock::new(|| build(3)), LazyLock::new(|| build(4))];
    &TABLES[length - 2]
}

fn build(length: usize) -> Box<RowTable> {
    let mut table = vec![0; 1 << 16];
    for (row, entry) in table.iter_mut().enumerate().take(1 << (4 * length)) {
        let powers: [u8; 4] = std::array::from_fn(|cell| (row >> (4 * cell)) as u8 & 15);
        let mut forward = powers;
        let points = slide(&mut forward[..length]);
        let mut backward = powers;
        backward[..length].reverse();
        slide(&mut backward[..length]);
        backward[..length].reverse();
        let too_big = if forward.contains(&16) || backward.contains(&16) { TOO_BIG } else { 0 };
        let points = u64::from(points / 4);
        *entry = pack(forward) | pack(backward) << 16 | points << 32 | too_big;
    }
    table.try_into().expect("the table has an entry for every row")
}

/// The nibbles of a row; rows with a power of 16 or more are marked [`TOO_BIG`].
fn pack(powers: [u8; 4]) -> u64 {
    powers.iter().rev().fold(0, |row, &power| row << 4 | u64::from(power & 15))
}

/// Slides a row of powers towards its first cell, merging equal neighbours once, and returns the
/// points: the sum of the merged tiles.
pub(super) fn slide(row: &mut [u8]) -> u32 {
    let mut points = 0;
    let mut resting = 0;
    let mut may_merge = false;
    for cell in 0..row.len() {
        let power = std::mem::take(&mut row[cell]);
        if power == 0 {
            continue;
        }
        if may_merge && row[resting - 1] == power {
            row[resting - 1] = power + 1;
            points += 1 << (power + 1);
            may_merge = false;
        } else {
            row[resting] = power;
            resting += 1;
            may_merge = true;
        }
    }
    points
}
