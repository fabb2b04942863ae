//! `Index`: an enumeration of the afterstates of a game that is small enough to be solved exactly.

use crate::Game;

/// An enumeration of afterstates: [`Index::index_of`] and [`Index::after_at`] are inverses, and
/// every afterstate that play can reach has an index.
pub trait Index: Game {
    /// An exclusive upper bound of the indices, or `None` if these rules have too many afterstates.
    fn index_len(&self) -> Option<u64>;

    /// The base-2 logarithm of the number of afterstates, also where these have no index.
    fn index_bits(&self) -> f64;

    /// The index of an afterstate; `None` for some that play from the start cannot reach.
    fn index_of(&self, after: &Self::After) -> Option<u64>;

    /// The afterstate with an index; `None` for a gap and beyond [`Index::index_len`].
    fn after_at(&self, index: u64) -> Option<Self::After>;
}
