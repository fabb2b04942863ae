//! `Board`: sixteen tiles in one `u64`, a nibble each, with room for 65,536 and beyond.

/// Rows of a board stand this many cells apart, whatever its width.
pub(super) const STRIDE: usize = 4;

/// The low bit of every nibble.
pub(super) const EVERY_CELL: u64 = 0x1111_1111_1111_1111;

/// The tiles of a board of up to 4x4 cells. A tile is kept as its power of two, 0 for an empty
/// cell; cell (row, column) is nibble `4 * row + column`.
///
/// A nibble ends at 15, the tile 32,768. A larger tile has its bit in `big` set and keeps its
/// power less 16 in the nibble; such boards are rare and take the slower way through the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Board {
    pub(super) tiles: u64,
    pub(super) big: u16,
}

/// Whether a nibble is more than a number: one that is leaves its nibble when it is raised.
#[inline]
fn has_more(nibbles: u64, number: u8) -> bool {
    let raise = u64::from(15 - number) * 0x0101_0101_0101_0101;
    let raised = |half: u64| (half & 0x0f0f_0f0f_0f0f_0f0f) + raise;
    (raised(nibbles) | raised(nibbles >> 4)) & 0x1010_1010_1010_1010 != 0
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

    /// The low bit of every nibble without a tile, cells outside a small board included.
    #[inline]
    pub(super) fn empty(self) -> u64 {
        let mut taken = self.tiles;
        taken |= taken >> 2;
        taken |= taken >> 1;
        if self.big != 0 {
            taken |= spread(self.big);
        }
        !taken & EVERY_CELL
    }

    /// The nibbles, with every tile beyond a power read as that power.
    #[inline]
    pub(super) fn capped(self, largest: u8) -> u64 {
        let tiles = if self.big == 0 { self.tiles } else { self.tiles | (15 * spread(self.big)) };
        if largest >= 15 || !has_more(tiles, largest) {
            return tiles;
        }
        let cell = |n: usize| (tiles >> (4 * n) & 15).min(u64::from(largest)) << (4 * n);
        (0..STRIDE * STRIDE).fold(0, |capped, n| capped | cell(n))
    }

    /// Rows and columns exchanged.
    #[inline]
    #[must_use]
    pub(super) fn transposed(self) -> Board {
        if self.big == 0 {
            return Board { tiles: transpose(self.tiles), big: 0 };
        }
        self.mapped(|row, column| (column, row))
    }

    /// Every tile moved to the cell that `place` says.
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

/// Rows and columns of sixteen nibbles exchanged: 2x2 blocks first, then the blocks themselves.
#[inline]
pub(super) fn transpose(x: u64) -> u64 {
    let swapped = (x & 0x0000_f0f0_0000_f0f0) << 12 | (x & 0x0f0f_0000_0f0f_0000) >> 12;
    let x = x & 0xf0f0_0f0f_f0f0_0f0f | swapped;
    let swapped = (x & 0x0000_0000_ff00_ff00) << 24 | (x & 0x00ff_00ff_0000_0000) >> 24;
    x & 0xff00_ff00_00ff_00ff | swapped
}

/// For each nibble, how many of those below it have their low bit set, at most fifteen; no other
/// bit is set.
#[inline]
fn counts_below(cells: u64) -> u64 {
    cells.wrapping_mul(EVERY_CELL) << 4
}

/// How many nibbles have their low bit set; no other bit is set.
#[inline]
pub(super) fn count_cells(cells: u64) -> usize {
    ((counts_below(cells) >> 60) + (cells >> 60)) as usize
}

/// The bit at which the `n`-th of these nibbles begins, counted from 0; there are more than `n` of
/// them. Without a loop, whose end the processor would have to guess.
#[inline]
pub(super) fn nth_cell(cells: u64, n: usize) -> u32 {
    const BYTES: u64 = 0x0101_0101_0101_0101;
    // It is the last nibble with at most `n` of them below it. The high bit of a byte outlives a
    // subtraction that is not more than what stands beside it.
    let most = (n as u64 * BYTES) | (BYTES << 7);
    let at_most = |below: u64| (most - (below & (15 * BYTES))) >> 7 & BYTES;
    let below = counts_below(cells);
    let nibbles = (at_most(below) + at_most(below >> 4)).wrapping_mul(BYTES) >> 56;
    4 * (nibbles as u32 - 1)
}

/// One bit a cell to the low bit of each nibble.
fn spread(bits: u16) -> u64 {
    (0..16).map(|cell| u64::from(bits >> cell & 1) << (4 * cell)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_of_cells_is_counted_and_found() {
        for bits in 0..=u16::MAX {
            let cells = spread(bits);
            assert_eq!(count_cells(cells), bits.count_ones() as usize, "{bits:016b}");
            let set = (0..16).filter(|cell| bits >> cell & 1 == 1);
            for (n, cell) in set.enumerate() {
                assert_eq!(nth_cell(cells, n), 4 * cell, "{n} of {bits:016b}");
            }
        }
    }
}
