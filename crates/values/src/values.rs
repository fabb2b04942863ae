//! `AfterstateValues`: values of many afterstates in one call; `Values`: the same in steps for
//! n-tuple networks.

use std::sync::atomic::AtomicU32;

use afterstate_core::Game;
use afterstate_core::policy::Choice;
use afterstate_games::Cells;

use crate::neural::Activations;
use crate::outcomes::{OutcomeScratch, reference_outcome_values};
use crate::{AnyNetwork, Network, QuantizedNetwork};

/// Values of afterstates, many in one call: the seam for every way to evaluate, on this processor
/// or on another device. Evaluation does not allocate once `scratch` has grown.
pub trait AfterstateValues<G: Game>: Send + Sync {
    /// Writes the value of each afterstate; `values` has the length of `afters`.
    fn evaluate(&self, game: &G, afters: &[G::After], scratch: &mut Scratch, values: &mut [f32]);
}

/// Memory that one thread reuses between evaluations.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(crate) indices: Vec<u32>,
    pub(crate) outcomes: OutcomeScratch,
    /// The cells of boards, the outputs of a neural network, and what is between them.
    pub(crate) cells: Vec<u8>,
    pub(crate) outputs: Vec<f32>,
    pub(crate) activations: Activations,
}

/// Values of afterstates as sums of weights, in steps that a search may separate: compute the
/// indices, prefetch, do something else while the weights arrive, sum.
pub trait Values<G: Cells>: Send + Sync {
    /// How many weights one afterstate has: its active features.
    fn active_features(&self) -> usize;

    /// The indices of the weights of an afterstate; `out` has the length
    /// [`Values::active_features`].
    fn indices(&self, game: &G, after: &G::After, out: &mut [u32]);

    /// The same for the afterstates of all moves, one move after the other, at the front of `out`,
    /// which grows as needed.
    fn indices_of_moves(&self, game: &G, moves: &[Choice<G>], out: &mut Vec<u32>);

    /// Prefetches weights that will be summed soon.
    fn prefetch(&self, indices: &[u32]);

    /// The value of an afterstate whose weights have these indices.
    fn sum(&self, indices: &[u32]) -> f32;

    /// As [`Values::sum`], and prefetches the weights of `later`.
    #[inline]
    fn sum_and_prefetch(&self, indices: &[u32], later: &[u32]) -> f32 {
        self.prefetch(later);
        self.sum(indices)
    }

    /// The values of the boards after each chance outcome of some afterstates, in the order of the
    /// rules, for values of states. Sums may be added in another order than by [`Values::sum`].
    fn outcome_values(
        &self,
        game: &G,
        afters: &[G::After],
        scratch: &mut Scratch,
        values: &mut Vec<f32>,
    ) where
        Self: Sized,
    {
        reference_outcome_values(self, game, afters, scratch, values);
    }

    /// The network, if its weights are integers, whose sums are exact in any order.
    fn quantized(&self) -> Option<&QuantizedNetwork<G>> {
        None
    }

    /// The value of one afterstate. Allocates: a hot loop keeps its own indices.
    fn value(&self, game: &G, after: &G::After) -> f32 {
        let mut indices = vec![0; self.active_features()];
        self.indices(game, after, &mut indices);
        self.sum(&indices)
    }
}

/// Afterstates whose weights are prefetched before the first is summed.
const CHUNK: usize = 16;

/// [`AfterstateValues::evaluate`] for sums of weights.
fn evaluate<G: Cells>(
    network: &impl Values<G>,
    game: &G,
    afters: &[G::After],
    scratch: &mut Scratch,
    values: &mut [f32],
) {
    assert_eq!(afters.len(), values.len(), "one value per afterstate");
    let features = network.active_features();
    scratch.indices.resize(CHUNK * features, 0);
    for (afters, values) in afters.chunks(CHUNK).zip(values.chunks_mut(CHUNK)) {
        for (after, indices) in afters.iter().zip(scratch.indices.chunks_exact_mut(features)) {
            network.indices(game, after, indices);
            network.prefetch(indices);
        }
        for (value, indices) in values.iter_mut().zip(scratch.indices.chunks_exact(features)) {
            *value = network.sum(indices);
        }
    }
}

/// N-tuple networks as values of afterstates.
macro_rules! afterstate_values {
    ($($network:ident),*) => {
        $(impl<G: Cells> AfterstateValues<G> for $network<G> {
            fn evaluate(
                &self,
                game: &G,
                afters: &[G::After],
                scratch: &mut Scratch,
                values: &mut [f32],
            ) {
                evaluate(self, game, afters, scratch, values);
            }
        })*
    };
}

afterstate_values!(Network, QuantizedNetwork, AnyNetwork);

/// Values whose weights a learner changes, on any number of threads.
pub trait TrainableValues<G: Cells>: Values<G> {
    /// All weights.
    fn weights(&self) -> &[AtomicU32];

    /// Initialises weights that have not been used yet, so that they can be changed.
    fn promote(&self, indices: &[u32]);
}

#[cfg(test)]
mod tests {
    use afterstate_games::spec::{GameSpec, Spec, Visitor};

    use super::*;
    use crate::test_networks::{random_afterstates, random_network};

    /// One scratch serves networks of all sizes.
    struct InOneCall<'a>(&'a mut Scratch);

    impl InOneCall<'_> {
        fn check<G: Spec>(
            &mut self,
            game: &G,
            network: &(impl Values<G> + AfterstateValues<G>),
            afters: &[G::After],
        ) {
            let one_by_one: Vec<u32> =
                afters.iter().map(|after| network.value(game, after).to_bits()).collect();
            for length in [0, 1, 15, 16, 17, 1000] {
                let mut found = vec![f32::NAN; afters.len()];
                if length == 0 {
                    AfterstateValues::evaluate(network, game, &[], self.0, &mut []);
                    continue;
                }
                for (afters, found) in afters.chunks(length).zip(found.chunks_mut(length)) {
                    network.evaluate(game, afters, self.0, found);
                }
                let found: Vec<u32> = found.into_iter().map(f32::to_bits).collect();
                assert!(found == one_by_one, "batches of {length} in {}", game.spec());
            }
        }
    }

    impl Visitor for InOneCall<'_> {
        type Output = ();

        fn visit<G: Spec>(mut self, game: &G) {
            let afters = random_afterstates(game, 10_000, 1);
            assert_eq!(afters.len(), 10_000);
            let full = random_network(game, &[vec![0], vec![1, 2, 3], vec![2, 5]], 1);
            let staged = full.tuples().clone().with_stages(vec![5, 40]).unwrap();
            let staged = crate::Network::new(game, staged, 3.0).unwrap();
            let (quantized, _) = QuantizedNetwork::from_network(&full).unwrap();
            self.check(game, &full, &afters);
            self.check(game, &quantized, &afters);
            self.check(game, &staged, &afters);
            self.check(game, &AnyNetwork::Full(full), &afters);
            self.check(game, &AnyNetwork::Quantized(quantized), &afters);
        }
    }

    #[test]
    fn many_values_in_one_call_are_those_of_single_calls() {
        let mut scratch = Scratch::default();
        for spec in ["2048:4x4", "tetris:10x20", "1010:10x10"] {
            spec.parse::<GameSpec>().unwrap().with(InOneCall(&mut scratch));
        }
    }

    #[test]
    #[should_panic(expected = "one value per afterstate")]
    fn values_of_another_length_are_a_mistake_of_the_caller() {
        let game = afterstate_games::twenty48::Twenty48::standard();
        let network = random_network(&game, &[vec![0]], 1);
        let afters = random_afterstates(&game, 2, 1);
        network.evaluate(&game, &afters, &mut Scratch::default(), &mut [0.0]);
    }
}
