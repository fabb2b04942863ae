//! `AnyNetwork`: a network with weights of either precision, as it comes from a file.

use afterstate_games::{Cells, Tuples};

use crate::{Network, QuantizedNetwork, Values};

/// A network whose precision is known only when its file is read. The choice is made once for
/// each afterstate, never for each weight.
pub enum AnyNetwork<G: Cells> {
    /// 32-bit weights.
    Full(Network<G>),
    /// 16-bit weights.
    Small(QuantizedNetwork<G>),
}

impl<G: Cells> AnyNetwork<G> {
    /// The tuples.
    pub fn tuples(&self) -> &Tuples {
        match self {
            AnyNetwork::Full(network) => network.tuples(),
            AnyNetwork::Small(network) => network.tuples(),
        }
    }
}

impl<G: Cells> AnyNetwork<G> {
    /// What each looked-up weight adds to the value of an afterstate: for each tuple, one for each
    /// symmetry.
    pub fn shares(&self, game: &G, after: &G::After) -> Vec<f32> {
        let mut numbers = vec![0; self.active_features()];
        self.indices(game, after, &mut numbers);
        let each = numbers.chunks_exact(1);
        match self {
            AnyNetwork::Full(network) => each.map(|own| network.sum(own)).collect(),
            AnyNetwork::Small(network) => {
                let symmetries = numbers.len() / network.tuples().cells().len();
                each.enumerate()
                    .map(|(number, own)| network.sum_of(number / symmetries, own))
                    .collect()
            }
        }
    }
}

impl<G: Cells> Values<G> for AnyNetwork<G> {
    #[inline]
    fn active_features(&self) -> usize {
        self.tuples().active_features()
    }

    #[inline]
    fn indices(&self, game: &G, after: &G::After, out: &mut [u32]) {
        match self {
            AnyNetwork::Full(network) => network.indices(game, after, out),
            AnyNetwork::Small(network) => network.indices(game, after, out),
        }
    }

    #[inline]
    fn prefetch_all(&self, numbers: &[u32]) {
        match self {
            AnyNetwork::Full(network) => network.prefetch_all(numbers),
            AnyNetwork::Small(network) => network.prefetch_all(numbers),
        }
    }

    #[inline]
    fn sum(&self, numbers: &[u32]) -> f32 {
        match self {
            AnyNetwork::Full(network) => network.sum(numbers),
            AnyNetwork::Small(network) => network.sum(numbers),
        }
    }
}
