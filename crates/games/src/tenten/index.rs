//! Numbers for the afterstates of small boards: the board's bits.

use afterstate_core::Index;

use super::hand::Hand;
use super::rules::{After, TenTen};

/// A value for each board of this many cells fills 4 GiB in single precision.
const MOST_CELLS: usize = 30;

impl Index for TenTen {
    /// One number a board, used only where no line is full. With a larger hand, what is left of
    /// it would belong to the afterstate, so only one piece at a time is numbered.
    fn index_len(&self) -> Option<u64> {
        (self.hand() == 1 && self.cells() <= MOST_CELLS).then(|| 1 << self.cells())
    }

    /// Besides the board, what is left of the hand: one to all but one of its pieces, or none.
    fn index_bits(&self) -> f64 {
        let kinds = self.pieces().len() as f64;
        let left = (0..i32::from(self.hand())).map(|pieces| kinds.powi(pieces)).sum::<f64>();
        self.cells() as f64 + left.log2()
    }

    #[inline]
    fn index_of(&self, after: &After) -> Option<u64> {
        let number = u64::try_from(after.board.bits()).ok()?;
        (after.hand.is_empty() && number < self.index_len()?).then_some(number)
    }

    #[inline]
    fn after_at(&self, index: u64) -> Option<After> {
        self.index_len()?;
        Some(After { board: self.board(u128::from(index))?, hand: Hand::EMPTY })
    }
}
