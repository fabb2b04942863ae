//! Networks over afterstates and over states.

use std::fs;

use afterstate_core::Game;
use afterstate_games::spec::{GameSpec, Visitor, parse_rules};
use afterstate_games::tenten::TenTen;
use afterstate_search::reference;

use super::*;
use crate::test_files::{model, value};
use crate::test_networks::{both, random_afterstates, random_network};
use crate::{AnyNetwork, NetworkPolicy, Values};

/// Weights of similar sizes, so that choices depend on all of them.
fn networks<G: Spec>(game: &G) -> [AnyNetwork<G>; 2] {
    let network = random_network(game, &[vec![0, 1], vec![2, 3, 5]], 1);
    for (index, word) in network.weights().iter().enumerate() {
        crate::weights::store(word, (index * 7919 % 1009) as f32 / 10.0);
    }
    both(network)
}

/// The reference: reward plus the expected value of the board after chance, ties to the first.
fn by_expectation<G: Spec>(
    game: &G,
    network: &AnyNetwork<G>,
    state: &G::State,
) -> Option<(Choice<G>, f32)> {
    game.best_move(state, |(_, step)| step.reward + expected(game, network, &step.after))
}

fn expected<G: Spec>(game: &G, network: &AnyNetwork<G>, after: &G::After) -> f32 {
    let mut sum = 0.0;
    game.for_each_chance(after, |next, probability| {
        sum += probability as f32 * network.value(game, &game.board_of(&next));
    });
    sum
}

struct OverStates;

impl Visitor for OverStates {
    /// Whether some choice differs from that of the same network over afterstates.
    type Output = bool;

    fn visit<G: Spec>(self, game: &G) -> bool {
        let (folder, mut rng) = (Folder::new("over-states"), Rng::stream(1, 0));
        let mut differs = false;
        for network in networks(game) {
            let path = folder.path("agent");
            let mut saved = NTupleModel { network, values_of: ValuesOf::States };
            saved.save(&path, &full_info(&game.spec(), G::VERSION)).unwrap();
            let (_, loaded) = load(&path, game).unwrap();
            assert!(loaded.afterstate_values().is_none());
            let (mut own, mut policy) = (saved.policy(), loaded.policy());
            let mut greedy = loaded.searcher(&Search::GREEDY, 1).unwrap();
            let mut deep = loaded.searcher(&Search::expectimax(2), 1).unwrap();
            let mut over_afterstates = NetworkPolicy::new(&saved.network);
            let mut evaluator = afterstate_search::AfterstateFn(|game: &G, after: &G::After| {
                expected(game, &saved.network, after)
            });
            for (number, state) in random_states(game, 400, 3).into_iter().enumerate() {
                let best = by_expectation(game, &saved.network, &state);
                let choice = best.map(|(choice, _)| choice);
                assert_eq!(policy.choose(game, &state, &mut rng), choice, "{state:?}");
                assert_eq!(own.choose(game, &state, &mut rng), choice, "{state:?}");
                assert_eq!(
                    loaded.searching(&Search::GREEDY).choose(game, &state, &mut rng),
                    choice
                );
                let ranking = greedy.rank(game, &state);
                let found = ranking.best.map(|best| ranking.moves[best].1.to_bits());
                assert_eq!(found, best.map(|(_, value)| value.to_bits()));
                differs |= over_afterstates.choose(game, &state, &mut rng) != choice;
                if number % 20 == 0 {
                    let ranking = deep.rank(game, &state);
                    for (choice, value) in &ranking.moves {
                        let by_reference =
                            reference::expectimax_of_move(game, &mut evaluator, &state, choice, 2);
                        assert!((value - by_reference).abs() <= 1e-5 * by_reference.abs().max(1.0));
                    }
                }
                if let Some((choice, _)) = best {
                    assert!(loaded.explain(game, &state, &choice).is_none());
                }
            }
        }
        differs
    }
}

#[test]
fn a_network_over_states_chooses_by_expectation() {
    let differs = ["2048:4x4", "2048:2x3", "tetris:6x8", "1010:5x5,pieces=7"]
        .map(|spec| spec.parse::<GameSpec>().unwrap().with(OverStates));
    assert!(differs.contains(&true), "the expectation matters");
}

struct Searched;

impl Visitor for Searched {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let mut rng = Rng::stream(1, 0);
        for network in networks(game) {
            let model = model(network);
            let mut policy = NetworkPolicy::new(&model.network);
            let mut searcher = model.searcher(&Search::GREEDY, 2).unwrap();
            let mut deep = model.searcher(&Search::expectimax(2), 1).unwrap();
            for state in random_states(game, 100, 4) {
                let choice = policy.choose(game, &state, &mut rng);
                assert_eq!(model.policy().choose(game, &state, &mut rng), choice);
                assert_eq!(searcher.choose(game, &state, &mut rng), choice);
                let searched = deep.choose(game, &state, &mut rng);
                let same = model.searching(&Search::expectimax(2)).choose(game, &state, &mut rng);
                assert_eq!(same, searched);
                let Some(choice) = choice else { continue };
                let parts = model.explain(game, &state, &choice).unwrap();
                let explained = Explanation::new("move".to_owned(), parts).value;
                let value = choice.1.reward + model.network.value(game, &choice.1.after);
                assert!((explained - value).abs() <= 1e-4 * value.abs().max(1.0));
            }
        }
    }
}

#[test]
fn a_network_over_afterstates_is_played_searched_and_explained() {
    for spec in ["2048:4x4", "tetris:6x8", "1010:5x5,pieces=7"] {
        spec.parse::<GameSpec>().unwrap().with(Searched);
    }
}

#[test]
fn a_network_is_quantized_once() {
    let (folder, game) = (Folder::new("quantize"), Twenty48::standard());
    let path = folder.path("agent");
    for values_of in [ValuesOf::Afterstates, ValuesOf::States] {
        let [network, by_hand] = networks(&game);
        let (mut quantized, loss) = NTupleModel { network, values_of }.quantize().unwrap();
        assert_eq!(loss.bytes_before, 4 * by_hand.tuples().weights());
        assert!(matches!(quantized.quantize().err().unwrap(), QuantizeError::Already));
        quantized.save(&path, &full_info("2048:4x4", 1)).unwrap();
        let first = fs::read(&path).unwrap();
        NTupleModel { network: by_hand, values_of }.save(&path, &full_info("2048:4x4", 1)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), first);
        let (_, loaded) = load(&path, &game).unwrap();
        assert_eq!(loaded.afterstate_values().is_some(), values_of == ValuesOf::Afterstates);
    }
}

/// A hand of 1010! has the afterstates of single pieces; other rules have other ones.
#[test]
fn rules_with_the_same_afterstates_share_networks() {
    let folder = Folder::new("served");
    let path = folder.path("agent");
    let game: TenTen = parse_rules("1010:5x5,pieces=7").unwrap();
    let hand: TenTen = parse_rules("1010:5x5,pieces=7,hand=3").unwrap();
    let [network, _] = networks(&game);
    let mut saved = model(network);
    saved.save(&path, &full_info(&game.spec(), TenTen::VERSION)).unwrap();
    let (_, loaded) = load(&path, &hand).unwrap();
    for after in random_afterstates(&hand, 50, 1) {
        assert_eq!(value(&*loaded, &hand, &after), saved.network.value(&hand, &after));
    }
    let other: TenTen = parse_rules("1010:5x5,pieces=3").unwrap();
    let error = load(&path, &other).err().unwrap().to_string();
    let sentence = format!("agent: is an agent for {}, not for {}", game.spec(), other.spec());
    assert!(error.ends_with(&sentence), "{error}");
}
