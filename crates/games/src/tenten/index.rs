//! `Index` for `TenTen`: the bits of small boards.

use afterstate_core::Index;

use super::hand::Hand;
use super::rules::{After, TenTen};

/// A value for each board of this many cells fills 4 GiB in single precision.
const MAX_CELLS: usize = 30;

impl Index for TenTen {
    /// One index per board; boards with a full line are gaps. Only rules with one piece at a time
    /// have an index, because otherwise the rest of the hand belongs to the afterstate.
    fn index_len(&self) -> Option<u64> {
        (self.hand() == 1 && self.cells() <= MAX_CELLS).then(|| 1 << self.cells())
    }

    /// The board and the rest of the hand: all but one of its pieces, or fewer.
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
