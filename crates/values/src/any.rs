//! `AnyNetwork`: a network with weights of either precision, as it comes from a file.

use afterstate_core::policy::Choice;
use afterstate_games::{Cells, Tuples};

use crate::weights::load;
use crate::{Network, QuantizedNetwork, Scratch, Values};

/// A network whose precision is known when its file is read. The precision is matched once for each
/// afterstate, never for each weight.
#[non_exhaustive]
pub enum AnyNetwork<G: Cells> {
    /// 32-bit weights.
    Full(Network<G>),
    /// 16-bit weights.
    Quantized(QuantizedNetwork<G>),
}

impl<G: Cells> AnyNetwork<G> {
    /// The tuples.
    pub fn tuples(&self) -> &Tuples {
        match self {
            AnyNetwork::Full(network) => network.tuples(),
            AnyNetwork::Quantized(network) => network.tuples(),
        }
    }

    /// A copy of all weights.
    pub fn weights(&self) -> Vec<f32> {
        match self {
            AnyNetwork::Full(network) => network.weights().iter().map(load).collect(),
            AnyNetwork::Quantized(network) => network.weights(),
        }
    }

    /// The weight with an index, of the tuple with that number, stage after stage.
    #[inline]
    pub(crate) fn weight(&self, part: usize, index: usize) -> f32 {
        match self {
            AnyNetwork::Full(network) => network.promoted(index as u32),
            AnyNetwork::Quantized(network) => network.weight(part, index),
        }
    }

    /// The share of each active feature in the value of an afterstate: for each tuple, one for each
    /// symmetry.
    pub fn shares(&self, game: &G, after: &G::After) -> Vec<f32> {
        let mut indices = vec![0; self.active_features()];
        self.indices(game, after, &mut indices);
        let each = indices.chunks_exact(1);
        match self {
            AnyNetwork::Full(network) => each.map(|own| network.sum(own)).collect(),
            AnyNetwork::Quantized(network) => {
                let symmetries = indices.len() / network.tuples().cells().len();
                each.enumerate()
                    .map(|(feature, own)| network.sum_of(feature / symmetries, own))
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
            AnyNetwork::Quantized(network) => network.indices(game, after, out),
        }
    }

    #[inline]
    fn indices_of_moves(&self, game: &G, moves: &[Choice<G>], out: &mut Vec<u32>) {
        match self {
            AnyNetwork::Full(network) => network.indices_of_moves(game, moves, out),
            AnyNetwork::Quantized(network) => network.indices_of_moves(game, moves, out),
        }
    }

    #[inline]
    fn prefetch(&self, indices: &[u32]) {
        match self {
            AnyNetwork::Full(network) => network.prefetch(indices),
            AnyNetwork::Quantized(network) => network.prefetch(indices),
        }
    }

    #[inline]
    fn sum(&self, indices: &[u32]) -> f32 {
        match self {
            AnyNetwork::Full(network) => network.sum(indices),
            AnyNetwork::Quantized(network) => network.sum(indices),
        }
    }

    #[inline]
    fn sum_and_prefetch(&self, indices: &[u32], later: &[u32]) -> f32 {
        match self {
            AnyNetwork::Full(network) => network.sum_and_prefetch(indices, later),
            AnyNetwork::Quantized(network) => network.sum_and_prefetch(indices, later),
        }
    }

    fn outcome_values(
        &self,
        game: &G,
        afters: &[G::After],
        scratch: &mut Scratch,
        values: &mut Vec<f32>,
    ) {
        match self {
            AnyNetwork::Full(network) => network.outcome_values(game, afters, scratch, values),
            AnyNetwork::Quantized(network) => {
                network.outcome_values(game, afters, scratch, values);
            }
        }
    }

    fn quantized(&self) -> Option<&QuantizedNetwork<G>> {
        match self {
            AnyNetwork::Full(_) => None,
            AnyNetwork::Quantized(network) => Some(network),
        }
    }
}
