//! `Board`: sixteen tiles in one `u64`, one nibble per cell, and one bit per cell for larger tiles.

/// The distance between rows in cells, whatever the width.
pub(super) const STRIDE: usize = 4;

/// The low bit of every nibble.
pub(super) const EVERY_CELL: u64 = 0x1111_1111_1111_1111;

/// The tiles of a board of up to 4x4 cells. A tile 2^p is stored as its power p, an empty cell as
/// 0; cell (row, column) is nibble `4 * row + column`.
///
/// The largest nibble is 15, the tile 32,768. For a larger tile the bit in `big` is set and the
/// nibble is the power less 16. Such boards are rare and take a slower path through the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Board {
    pub(super) tiles: u64,
    pub(super) big: u16,
}

/// Whether any nibble exceeds `max`: adding `15 - max` to it carries out of the nibble.
#[inline]
fn any_above(nibbles: u64, max: u8) -> bool {
    let addend = u64::from(15 - max) * 0x0101_0101_0101_0101;
    let sums = |half: u64| (half & 0x0f0f_0f0f_0f0f_0f0f) + addend;
    (sums(nibbles) | sums(nibbles >> 4)) & 0x1010_1010_1010_1010 != 0
}

impl Board {
    /// The board whose nibbles are the powers of its tiles, all of them below 65,536.
    #[inline]
    pub const fn from_nibbles(tiles: u64) -> Board {
        Board { tiles, big: 0 }
    }

    /// The nibbles, if no tile is 65,536 or larger.
    #[inline]
    pub fn nibbles(self) -> Option<u64> {
        (self.big == 0).then_some(self.tiles)
    }

    /// The power of two of the tile in a cell, 0 for an empty cell.
    #[inline]
    pub fn power(self, row: usize, column: usize) -> u8 {
        let cell = STRIDE * row + column;
        let nibble = (self.tiles >> (4 * cell)) as u8 & 15;
        nibble | ((self.big >> cell) as u8 & 1) << 4
    }

    /// The board with the tile 2^power in a cell, or an empty cell for power 0.
    #[inline]
    #[must_use]
    pub fn with(self, row: usize, column: usize, power: u8) -> Board {
        let cell = STRIDE * row + column;
        let tiles = self.tiles & !(15 << (4 * cell)) | u64::from(power & 15) << (4 * cell);
        let big = self.big & !(1 << cell) | u16::from(power >> 4) << cell;
        Board { tiles, big }
    }

    /// The largest power of two on the board.
    pub fn largest(self) -> u8 {
        let powers = (0..STRIDE).flat_map(|row| (0..STRIDE).map(move |c| self.power(row, c)));
        powers.max().unwrap_or(0)
    }

    /// The sum of all tiles.
    pub fn sum(self) -> u64 {
        let powers = (0..STRIDE).flat_map(|row| (0..STRIDE).map(move |c| self.power(row, c)));
        powers.filter(|&power| power > 0).map(|power| 1u64 << power).sum()
    }

    /// The low bit of every empty nibble, including cells outside a small board.
    #[inline]
    pub(super) fn empty(self) -> u64 {
        let mut taken = self.tiles;
        taken |= taken >> 2;
        taken |= taken >> 1;
        if self.big != 0 {
            taken |= low_bits(self.big);
        }
        !taken & EVERY_CELL
    }

    /// The nibbles, clamped to a largest power.
    #[inline]
    pub(super) fn capped(self, largest: u8) -> u64 {
        if self.big == 0 && largest >= 15 { self.tiles } else { self.capped_each(largest) }
    }

    /// The same for boards whose tiles may have to be clamped.
    fn capped_each(self, largest: u8) -> u64 {
        let tiles = if self.big == 0 { self.tiles } else { self.tiles | (15 * low_bits(self.big)) };
        if largest >= 15 || !any_above(tiles, largest) {
            return tiles;
        }
        let cell = |n: usize| (tiles >> (4 * n) & 15).min(u64::from(largest)) << (4 * n);
        (0..STRIDE * STRIDE).fold(0, |capped, n| capped | cell(n))
    }

    /// The transposed board.
    #[inline]
    #[must_use]
    pub(super) fn transposed(self) -> Board {
        if self.big == 0 {
            return Board { tiles: transpose(self.tiles), big: 0 };
        }
        self.mapped(|row, column| (column, row))
    }

    /// The board with every tile moved to the cell given by `place`.
    #[must_use]
    pub(super) fn mapped(self, place: impl Fn(usize, usize) -> (usize, usize)) -> Board {
        let mut moved = Board::default();
        for row in 0..STRIDE {
            for column in 0..STRIDE {
                let power = self.power(row, column);
                if power != 0 {
                    let (row, column) = place(row, column);
                    moved = moved.with(row, column, power);
                }
            }
        }
        moved
    }
}

/// Transposes sixteen nibbles: within 2x2 blocks first, then the blocks.
#[inline]
pub(super) fn transpose(x: u64) -> u64 {
    let swapped = (x & 0x0000_f0f0_0000_f0f0) << 12 | (x & 0x0f0f_0000_0f0f_0000) >> 12;
    let x = x & 0xf0f0_0f0f_f0f0_0f0f | swapped;
    let swapped = (x & 0x0000_0000_ff00_ff00) << 24 | (x & 0x00ff_00ff_0000_0000) >> 24;
    x & 0xff00_ff00_00ff_00ff | swapped
}

/// For each nibble, the number of lower nibbles whose low bit is set (prefix sums by one product);
/// no other bit of `cells` is set.
#[inline]
fn counts_below(cells: u64) -> u64 {
    cells.wrapping_mul(EVERY_CELL) << 4
}

/// The number of nibbles whose low bit is set; no other bit of `cells` is set.
#[inline]
pub(super) fn count_cells(cells: u64) -> usize {
    ((counts_below(cells) >> 60) + (cells >> 60)) as usize
}

/// The bit offset of the `n`-th of these nibbles, counted from 0; there are more than `n` of them.
/// Branch-free, because the trip count of a loop would be unpredictable.
#[inline]
pub(super) fn nth_cell(cells: u64, n: usize) -> u32 {
    const BYTES: u64 = 0x0101_0101_0101_0101;
    // It is the last nibble with at most `n` of them below it. The high bit of a byte survives the
    // subtraction exactly if the count is at most `n`.
    let limit = (n as u64 * BYTES) | (BYTES << 7);
    let at_most = |below: u64| (limit - (below & (15 * BYTES))) >> 7 & BYTES;
    let below = counts_below(cells);
    let nibbles = (at_most(below) + at_most(below >> 4)).wrapping_mul(BYTES) >> 56;
    4 * (nibbles as u32 - 1)
}

/// Expands one bit per cell to the low bit of each nibble.
fn low_bits(bits: u16) -> u64 {
    (0..16).map(|cell| u64::from(bits >> cell & 1) << (4 * cell)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_of_cells_is_counted_and_found() {
        for bits in 0..=u16::MAX {
            let cells = low_bits(bits);
            assert_eq!(count_cells(cells), bits.count_ones() as usize, "{bits:016b}");
            let set = (0..16).filter(|cell| bits >> cell & 1 == 1);
            for (n, cell) in set.enumerate() {
                assert_eq!(nth_cell(cells, n), 4 * cell, "{n} of {bits:016b}");
            }
        }
    }
}
