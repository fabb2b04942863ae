//! Evaluators agree with each other bit by bit, and greedy play with its reference.

use afterstate_core::policy::Choice;
use afterstate_core::{Policy, Rng};
use afterstate_games::Cells;
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_games::twenty48::Twenty48;
use afterstate_search::evaluator::reference_expected_value;
use afterstate_search::{Evaluator, MoveValue, Search, Searcher};

use super::*;
use crate::test_networks::{random_afterstates, random_network, random_states};
use crate::{AfterstateValues, AnyNetwork, NetworkPolicy, QuantizedNetwork, Values};

/// Compares a [`BatchEvaluator`] with a [`NetworkEvaluator`] by search to this many plies.
struct Agree(u32);

impl Agree {
    fn check<G: Spec>(&self, game: &G, network: &(impl Values<G> + AfterstateValues<G>)) {
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
        let afters = random_afterstates(game, 100, 6);
        let each: Vec<_> = afters.iter().map(|after| other.expected_value(game, after)).collect();
        let mut values = vec![1.0];
        let states = one.expected_values(game, &afters, &mut values);
        assert_eq!(states, each.iter().map(|(_, states)| states).sum::<u64>());
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let each: Vec<f32> = each.iter().map(|(value, _)| *value).collect();
        assert_eq!((values[0], bits(&values[1..])), (1.0, bits(&each)));
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

/// Reference implementation: the first of the moves with the largest reward plus value.
fn reference<G: Cells>(
    game: &G,
    values: &(impl Values<G> + AfterstateValues<G>),
    state: &G::State,
) -> Option<Choice<G>> {
    let mut all = Vec::new();
    game.for_each_move(state, |mv, step| {
        all.push(((mv, step), step.reward + values.value(game, &step.after)));
    });
    let largest = all.iter().map(|&(_, value)| value).max_by(f32::total_cmp)?;
    all.into_iter().find(|&(_, value)| value == largest).map(|(choice, _)| choice)
}

/// Tuples, and the number of states.
struct AgreesWithReference<'a>(&'a [Vec<usize>], usize);

impl Visitor for AgreesWithReference<'_> {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let network = random_network(game, self.0, 1);
        let (quantized, _) = QuantizedNetwork::from_network(&network).unwrap();
        let any = AnyNetwork::Quantized(QuantizedNetwork::from_network(&network).unwrap().0);
        let mut full_policy = NetworkPolicy::new(&network);
        let mut quantized_policy = NetworkPolicy::new(&quantized);
        let mut any_policy = NetworkPolicy::new(&any);
        let mut rng = Rng::stream(1, 0);
        for state in random_states(game, self.1, 2) {
            let chosen = full_policy.choose(game, &state, &mut rng);
            assert_eq!(chosen, reference(game, &network, &state), "{state:?}");
            let chosen = quantized_policy.choose(game, &state, &mut rng);
            assert_eq!(chosen, reference(game, &quantized, &state), "{state:?}");
            assert_eq!(any_policy.choose(game, &state, &mut rng), chosen);
        }
        assert_eq!(rng, Rng::stream(1, 0), "greedy play uses no RNG");
    }
}

#[test]
fn a_policy_selects_the_move_of_the_reference() {
    let rows = [vec![0, 1, 2, 3], vec![4, 5, 6, 7], vec![0, 1, 4, 5], vec![9]];
    let (few, many) = ([vec![0, 1, 2], vec![5]], [(0..9).collect(), vec![20, 12]]);
    for (spec, tuples, states) in [
        ("2048:4x4", &rows[..], 10_000),
        ("2048:3x2", &few, 2_000),
        ("1010:10x10", &many, 500),
        ("tetris:6x8", &many, 2_000),
    ] {
        spec.parse::<GameSpec>().unwrap().with(AgreesWithReference(tuples, states));
    }
}

#[test]
fn ties_go_to_the_first_move() {
    let game = Twenty48::standard();
    let tuples = afterstate_games::Tuples::new(&game, &[vec![0]]).unwrap();
    let network = crate::Network::new(&game, tuples, 0.0).unwrap();
    let mut policy = NetworkPolicy::new(&network);
    let mut rng = Rng::stream(1, 0);
    for state in random_states(&game, 1_000, 3) {
        let greedy = afterstate_core::Greedy.choose(&game, &state, &mut rng);
        assert_eq!(policy.choose(&game, &state, &mut rng), greedy);
    }
}
