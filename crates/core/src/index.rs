//! `Index`: numbers for the afterstates of a game that is small enough to be solved exactly.

use crate::Game;

/// A numbering of afterstates: [`Index::index_of`] and [`Index::after_at`] undo each other, and
/// play never leaves the numbered ones.
pub trait Index: Game {
    /// Every index is below this. `None`: these rules have too many afterstates to number.
    fn index_len(&self) -> Option<u64>;

    /// How many afterstates there are, as a power of two: also where they are too many to number.
    fn index_bits(&self) -> f64;

    /// The number of an afterstate, or `None` for one that play from the start cannot reach and
    /// that has no number.
    fn index_of(&self, after: &Self::After) -> Option<u64>;

    /// The afterstate with a number, or `None` where the numbering has a gap, has ended, or is
    /// missing.
    fn after_at(&self, index: u64) -> Option<Self::After>;
}
