//! Random networks and random boards for the tests of this crate.

use afterstate_core::{Policy, RandomPolicy, Rng};
use afterstate_games::{Cells, Tuples};

use crate::weights::store;
use crate::{AnyNetwork, Network, QuantizedNetwork};

/// A network with random weights of very different magnitudes; every fourth one is zero.
pub(crate) fn random_network<G: Cells>(game: &G, tuples: &[Vec<usize>], seed: u64) -> Network<G> {
    let network = Network::new(game, Tuples::new(game, tuples).unwrap(), 0.0).unwrap();
    let mut rng = Rng::stream(seed, 0);
    for word in network.weights() {
        let size = 10f64.powi(rng.below(8) as i32 - 3);
        let weight = (rng.unit() - 0.5) * if rng.below(4) == 0 { 0.0 } else { size };
        store(word, weight as f32);
    }
    network
}

/// A network in both precisions.
pub(crate) fn both<G: Cells>(network: Network<G>) -> [AnyNetwork<G>; 2] {
    let quantized = QuantizedNetwork::from_network(&network).unwrap().0;
    [AnyNetwork::Full(network), AnyNetwork::Quantized(quantized)]
}

/// States of random games.
pub(crate) fn random_states<G: Cells>(game: &G, count: usize, seed: u64) -> Vec<G::State> {
    let mut rng = Rng::stream(seed, 1);
    let mut state = game.start(&mut rng);
    let mut states = Vec::new();
    while states.len() < count {
        states.push(state);
        state = match RandomPolicy.choose(game, &state, &mut rng) {
            Some((_, step)) => game.sample(&step.after, &mut rng),
            None => game.start(&mut rng),
        };
    }
    states
}

/// Afterstates of random games.
pub(crate) fn random_afterstates<G: Cells>(game: &G, count: usize, seed: u64) -> Vec<G::After> {
    let mut rng = Rng::stream(seed, 2);
    let states = random_states(game, 2 * count, seed).into_iter();
    let choices = states.filter_map(|state| RandomPolicy.choose(game, &state, &mut rng));
    choices.map(|(_, step)| step.after).take(count).collect()
}
