//! No allocation per move or evaluation: a counting allocator watches networks in every game.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../../games/tests/counting_allocator/mod.rs"]
mod counting_allocator;

use afterstate_core::{Policy, Rng};
use afterstate_games::Tuples;
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_values::model::{NTupleModel, ValuesOf};
use afterstate_values::{
    AfterstateValues, AnyNetwork, BatchEvaluator, Model, Network, NetworkPolicy, QuantizedNetwork,
    Scratch,
};
use counting_allocator::allocations;

fn small_network<G: Spec>(game: &G) -> Network<G> {
    let tuples = Tuples::new(game, &[vec![0, 1], vec![2]]).unwrap();
    Network::new(game, tuples, 1.0).unwrap()
}

/// Allocations of the same moves when they are played for the first and for the second time.
struct PlayTwice;

impl Visitor for PlayTwice {
    type Output = [u64; 2];

    fn visit<G: Spec>(self, game: &G) -> [u64; 2] {
        let network = small_network(game);
        let quantized = AnyNetwork::Quantized(QuantizedNetwork::from_network(&network).unwrap().0);
        let over_states = NTupleModel {
            network: AnyNetwork::Full(small_network(game)),
            values_of: ValuesOf::States,
        };
        let mut policies: [Box<dyn Policy<G>>; 4] = [
            Box::new(NetworkPolicy::new(&network)),
            Box::new(NetworkPolicy::new(&quantized)),
            Box::new(BatchEvaluator::new(&network)),
            over_states.policy(),
        ];
        [(); 2].map(|()| {
            let mut rng = Rng::stream(1, 0);
            let mut state = game.start(&mut rng);
            let before = allocations();
            for number in 0..2_000 {
                // An expectation over the hands of 1010! takes long.
                let policy = &mut policies[if number % 50 == 0 { 3 } else { number % 3 }];
                state = match policy.choose(game, &state, &mut rng) {
                    Some((_, step)) => game.sample(&step.after, &mut rng),
                    None => game.start(&mut rng),
                };
            }
            allocations() - before
        })
    }
}

#[test]
fn a_policy_that_is_warm_allocates_nothing() {
    for text in GameSpec::documented() {
        let spec: GameSpec = text.parse().unwrap();
        let [cold, warm] = spec.with(PlayTwice);
        assert!(cold > 0, "the counter counts");
        assert_eq!(warm, 0, "allocations in 2,000 moves of {text}");
    }
}

/// Allocations of batches of all sizes, when they are evaluated for the first and for the second
/// time.
struct EvaluateTwice;

impl Visitor for EvaluateTwice {
    type Output = [u64; 2];

    fn visit<G: Spec>(self, game: &G) -> [u64; 2] {
        let network = small_network(game);
        let quantized = QuantizedNetwork::from_network(&network).unwrap().0;
        let networks: [&dyn AfterstateValues<G>; 2] = [&network, &quantized];
        let mut afters = Vec::new();
        while afters.len() < 1000 {
            let state = game.start(&mut Rng::stream(1, afters.len() as u64));
            game.for_each_move(&state, |_, step| afters.push(step.after));
        }
        let (mut scratch, mut values) = (Scratch::default(), vec![0.0; 1000]);
        [(); 2].map(|()| {
            let before = allocations();
            for length in [0, 1, 15, 16, 17, 1000] {
                for network in networks {
                    network.evaluate(game, &afters[..length], &mut scratch, &mut values[..length]);
                }
            }
            allocations() - before
        })
    }
}

#[test]
fn evaluation_allocates_nothing_once_its_scratch_has_grown() {
    for text in GameSpec::documented() {
        let spec: GameSpec = text.parse().unwrap();
        let [cold, warm] = spec.with(EvaluateTwice);
        assert!(cold > 0, "the scratch grows");
        assert_eq!(warm, 0, "allocations in {text}");
    }
}
