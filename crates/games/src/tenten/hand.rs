//! `Hand`: the pieces yet to be placed, as a sorted multiset.

use super::rules::MAX_HAND;

/// An empty slot: above every piece number, so that it sorts to the end.
const NONE: u8 = u8::MAX;

/// Numbers of pieces, smallest first. The order in which pieces were dealt does not matter, so
/// equal hands are equal states.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hand([u8; MAX_HAND]);

impl Hand {
    /// No piece.
    pub const EMPTY: Hand = Hand([NONE; MAX_HAND]);

    /// The number of pieces.
    #[inline]
    pub fn len(self) -> usize {
        self.0.iter().filter(|&&piece| piece != NONE).count()
    }

    /// Whether there is no piece.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0[0] == NONE
    }

    /// Whether the hand contains a piece.
    #[inline]
    pub fn has(self, piece: u8) -> bool {
        piece != NONE && self.0.contains(&piece)
    }

    /// The pieces, smallest number first.
    #[inline]
    pub fn pieces(self) -> impl Iterator<Item = u8> {
        self.0.into_iter().take_while(|&piece| piece != NONE)
    }

    /// The distinct pieces, smallest number first.
    #[inline]
    pub fn distinct(self) -> impl Iterator<Item = u8> {
        let mut previous = NONE;
        let fresh = move |piece: &u8| std::mem::replace(&mut previous, *piece) != *piece;
        self.pieces().filter(fresh)
    }

    /// The hand with one more piece. It must not be full.
    #[inline]
    pub(super) fn with(self, piece: u8) -> Hand {
        debug_assert!(self.0[MAX_HAND - 1] == NONE, "a full hand");
        let [a, b, _] = self.0;
        Hand([a.min(piece), b.min(a.max(piece)), b.max(piece)])
    }

    /// The hand without one piece, which must be in it.
    #[inline]
    pub(super) fn without(self, piece: u8) -> Hand {
        debug_assert!(self.has(piece), "a piece that is not in the hand");
        let [a, b, c] = self.0;
        if piece == a {
            Hand([b, c, NONE])
        } else if piece == b {
            Hand([a, c, NONE])
        } else {
            Hand([a, b, NONE])
        }
    }

    /// The number of distinct orders of the pieces.
    pub(super) fn orders(self) -> f64 {
        let kinds = self.distinct().count();
        match (self.len(), kinds) {
            (3, 3) => 6.0,
            (3, 2) => 3.0,
            (2, 2) => 2.0,
            _ => 1.0,
        }
    }
}

impl std::fmt::Debug for Hand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.pieces()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_of_dealing_gives_the_same_hand() {
        let hand = |order: [u8; 3]| order.into_iter().fold(Hand::EMPTY, Hand::with);
        for order in [[2, 5, 5], [5, 2, 5], [5, 5, 2]] {
            assert_eq!(hand(order), Hand([2, 5, 5]));
        }
        for order in [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] {
            assert_eq!(hand(order), Hand([1, 2, 3]));
        }
    }

    #[test]
    fn taking_pieces_out_keeps_the_order() {
        let hand = Hand([2, 5, 5]);
        assert_eq!(hand.without(2), Hand([5, 5, NONE]));
        assert_eq!(hand.without(5), Hand([2, 5, NONE]));
        assert_eq!(Hand([1, 2, 3]).without(3), Hand([1, 2, NONE]));
        assert_eq!(Hand::EMPTY.with(7).without(7), Hand::EMPTY);
        assert_eq!(hand.distinct().collect::<Vec<_>>(), [2, 5]);
        assert_eq!((hand.len(), hand.without(5).len()), (3, 2));
        assert!(hand.has(5) && !hand.has(1) && !Hand::EMPTY.has(NONE));
    }

    #[test]
    fn orders_are_counted() {
        for (pieces, orders) in
            [([1, 2, 3], 6.0), ([1, 1, 2], 3.0), ([1, 2, 2], 3.0), ([4, 4, 4], 1.0)]
        {
            assert_eq!(Hand(pieces).orders(), orders);
        }
        assert_eq!(Hand([1, 2, NONE]).orders(), 2.0);
        assert_eq!(Hand([1, 1, NONE]).orders(), 1.0);
        assert_eq!(Hand([1, NONE, NONE]).orders(), 1.0);
    }
}
