//! Boards as numbers, for exact solutions: the powers of the tiles are digits.

use afterstate_core::Index;

use super::{Board, Twenty48};

/// The largest number of indices for an exact solution.
const MAX_INDICES: u64 = 1 << 32;

impl Index for Twenty48 {
    fn index_len(&self) -> Option<u64> {
        let powers = u64::from(self.largest_power()) + 1;
        let len = powers.checked_pow((self.width() * self.height()) as u32)?;
        (len <= MAX_INDICES).then_some(len)
    }

    fn index_bits(&self) -> f64 {
        let powers = f64::from(self.largest_power()) + 1.0;
        (self.width() * self.height()) as f64 * powers.log2()
    }

    /// The powers of the tiles as the digits of a number.
    fn index_of(&self, after: &Board) -> Option<u64> {
        self.index_len()?;
        let base = u64::from(self.largest_power()) + 1;
        let mut index = 0;
        for row in (0..self.height()).rev() {
            for column in (0..self.width()).rev() {
                let power = u64::from(after.power(row, column));
                index = index * base + (power < base).then_some(power)?;
            }
        }
        (self.empty_cells(*after) != 0).then_some(index)
    }

    /// Full boards are gaps: no slide leads to one.
    fn after_at(&self, index: u64) -> Option<Board> {
        if index >= self.index_len()? {
            return None;
        }
        let base = u64::from(self.largest_power()) + 1;
        let (mut board, mut rest) = (Board::default(), index);
        for row in 0..self.height() {
            for column in 0..self.width() {
                board = board.with(row, column, (rest % base) as u8);
                rest /= base;
            }
        }
        (self.empty_cells(board) != 0).then_some(board)
    }
}
