//! `Deal`: draws pieces with the odds of their weights.

use afterstate_core::Rng;

use super::{MOST_PIECES, Piece};

/// Deals pieces with the odds of their weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deal {
    /// The number of a piece, as often as its weight says.
    slots: Vec<u8>,
    weights: Vec<u32>,
}

impl Deal {
    /// The deal of a set of pieces.
    pub(crate) fn new(pieces: &[Piece]) -> Deal {
        debug_assert!(pieces.len() <= MOST_PIECES);
        let weights: Vec<u32> = pieces.iter().map(|piece| piece.weight).collect();
        let repeated = |(i, &weight): (usize, &u32)| std::iter::repeat_n(i as u8, weight as usize);
        Deal { slots: weights.iter().enumerate().flat_map(repeated).collect(), weights }
    }

    /// A piece, drawn.
    #[inline]
    pub fn draw(&self, rng: &mut Rng) -> u8 {
        self.slots[rng.below(self.slots.len())]
    }

    /// How many different pieces there are.
    #[inline]
    pub fn kinds(&self) -> usize {
        self.weights.len()
    }

    /// The odds of a piece.
    #[inline]
    pub fn odds(&self, piece: u8) -> f64 {
        f64::from(self.weights[usize::from(piece)]) / self.slots.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::parse_pieces;

    #[test]
    fn the_deal_follows_the_weights() {
        let deal = Deal::new(&parse_pieces("#*1+##*3").unwrap());
        assert_eq!((deal.odds(0), deal.odds(1), deal.kinds()), (0.25, 0.75, 2));
    }
}
