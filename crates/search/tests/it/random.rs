//! Random networks with integer weights, whose sums are exact in any order, and random states.

use afterstate_core::{Policy, RandomPolicy, Rng};
use afterstate_games::{Cells, Tuples};
use afterstate_values::Network;
use afterstate_values::weights::store;

pub(crate) fn network<G: Cells>(game: &G, seed: u64) -> Network<G> {
    let tuples = Tuples::new(game, &[vec![0, 1, 2], vec![1, 3], vec![3]]).unwrap();
    let network = Network::new(game, tuples, 0.0).unwrap();
    let mut rng = Rng::stream(seed, 0);
    for word in network.weights() {
        store(word, rng.below(64) as f32 - 20.0);
    }
    network
}

/// States of random games.
pub(crate) fn states<G: Cells>(game: &G, count: usize, seed: u64) -> Vec<G::State> {
    let mut rng = Rng::stream(seed, 1);
    let mut state = game.start(&mut rng);
    let mut states = Vec::new();
    while states.len() < count {
        // Consecutive states are too similar.
        for _ in 0..7 {
            state = match RandomPolicy.choose(game, &state, &mut rng) {
                Some((_, step)) => game.sample(&step.after, &mut rng),
                None => game.start(&mut rng),
            };
        }
        states.push(state);
    }
    states
}
