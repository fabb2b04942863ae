//! Evaluators agree with each other bit by bit.

use afterstate_core::{Policy, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_search::evaluator::reference_expected_value;
use afterstate_search::{Evaluator, MoveValue, Search, Searcher};

use super::*;
use crate::test_networks::{random_afterstates, random_network, random_states};
use crate::{AnyNetwork, NetworkPolicy, QuantizedNetwork, Values};

/// Compares a [`BatchEvaluator`] with a [`NetworkEvaluator`] by search to this many plies.
struct Agree(u32);

impl Agree {
    fn check<G: Spec>(&self, game: &G, network: &impl Values<G>) {
        let mut rng = Rng::stream(1, 0);
        let (mut one, mut other) = (NetworkEvaluator::new(network), BatchEvaluator::new(network));
        let mut reference = BatchEvaluator::new(network);
        for after in random_afterstates(game, 300, 3) {
            let (value, states) = one.expected_value(game, &after);
            let found = other.expected_value(game, &after);
            assert_eq!((found.0.to_bits(), found.1), (value.to_bits(), states), "{after:?}");
            let (each, states) = reference_expected_value(&mut reference, game, &after);
            assert_eq!((found.0.to_bits(), found.1), (each.to_bits(), states), "{after:?}");
        }
        let mut greedy = NetworkPolicy::new(network);
        for state in random_states(game, 500, 4) {
            let bits = |value: MoveValue| [value.value, value.immediate_reward].map(f32::to_bits);
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            one.evaluate_moves(game, &state, &mut |choice, value| {
                expected.push((choice, bits(value)));
            });
            other.evaluate_moves(game, &state, &mut |choice, value| {
                found.push((choice, bits(value)));
            });
            assert_eq!(found, expected, "{state:?}");
            let best = |best: Option<f32>| best.map(f32::to_bits);
            assert_eq!(best(other.best(game, &state)), best(one.best(game, &state)));
            let choice = greedy.choose(game, &state, &mut rng);
            assert_eq!(other.choose(game, &state, &mut rng), choice);
        }
        for plies in 1..=self.0 {
            for search in [Search::expectimax(plies), Search::minimax(plies)] {
                let mut one = Searcher::new(NetworkEvaluator::new(network), search);
                let mut other = Searcher::new(BatchEvaluator::new(network), search);
                for state in random_states(game, 60, 5).into_iter().step_by(7) {
                    let expected = one.rank(game, &state);
                    let ranking = other.rank(game, &state);
                    assert_eq!((ranking.best, ranking.nodes), (expected.best, expected.nodes));
                    for (found, expected) in ranking.moves.iter().zip(&expected.moves) {
                        assert_eq!(found.0, expected.0);
                        assert_eq!(found.1.to_bits(), expected.1.to_bits(), "{search}: {state:?}");
                    }
                    let choice = one.choose(game, &state, &mut rng);
                    assert_eq!(other.choose(game, &state, &mut rng), choice, "{search}: {state:?}");
                }
            }
        }
    }
}

impl Visitor for Agree {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let network = random_network(game, &[vec![0], vec![1, 2, 3], vec![2, 5]], 1);
        let (quantized, _) = QuantizedNetwork::from_network(&network).unwrap();
        self.check(game, &network);
        self.check(game, &quantized);
        self.check(game, &AnyNetwork::Full(network));
    }
}

#[test]
fn values_in_batches_are_those_of_the_evaluator_of_networks() {
    for (spec, plies) in [
        ("2048:4x4", 2),
        ("2048:3x3", 3),
        ("tetris:5x6,pieces=melax", 3),
        ("tetris:6x8,next", 2),
        ("1010:4x4,pieces=3", 3),
        ("1010:5x5,pieces=7,hand=2", 2),
    ] {
        spec.parse::<GameSpec>().unwrap().with(Agree(plies));
    }
}
