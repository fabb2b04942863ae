//! `PieceDistribution`: the probability distribution of the next piece.

use afterstate_core::Rng;

use super::{MAX_PIECES, Piece};

/// The distribution of the next piece: probabilities proportional to the weights of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceDistribution {
    /// The number of each piece, repeated by its weight.
    slots: Vec<u8>,
    weights: Vec<u32>,
}

impl PieceDistribution {
    /// The distribution of a piece set.
    pub(crate) fn new(pieces: &[Piece]) -> PieceDistribution {
        debug_assert!(pieces.len() <= MAX_PIECES);
        let weights: Vec<u32> = pieces.iter().map(|piece| piece.weight).collect();
        let repeated = |(i, &weight): (usize, &u32)| std::iter::repeat_n(i as u8, weight as usize);
        PieceDistribution {
            slots: weights.iter().enumerate().flat_map(repeated).collect(),
            weights,
        }
    }

    /// Draws a piece.
    #[inline]
    pub fn draw(&self, rng: &mut Rng) -> u8 {
        self.slots[rng.below(self.slots.len())]
    }

    /// The number of pieces in the set.
    #[inline]
    pub fn kinds(&self) -> usize {
        self.weights.len()
    }

    /// The probability of a piece.
    #[inline]
    pub fn probability(&self, piece: u8) -> f64 {
        f64::from(self.weights[usize::from(piece)]) / self.slots.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::parse_pieces;

    #[test]
    fn probabilities_are_proportional_to_weights() {
        let distribution = PieceDistribution::new(&parse_pieces("#*1+##*3").unwrap());
        let probabilities = [0, 1].map(|piece| distribution.probability(piece));
        assert_eq!((probabilities, distribution.kinds()), ([0.25, 0.75], 2));
    }
}
