//! Least-squares policy iteration on 1010!, against the exact value of the policies it finds.

use afterstate_core::{Features, Rng};
use afterstate_games::RewardMixture;
use afterstate_games::spec::Spec;
use afterstate_games::tenten::TenTen;
use afterstate_learn::lspi::{Goal, Online, Samples};
use afterstate_learn::solve::Chain;
use afterstate_values::GreedyRule;

use crate::tenten;

const GOAL: Goal = Goal {
    reward: RewardMixture { score: 0.0, lines: 1.0, moves: 0.0, step: 0.0 },
    penalty: -1000.0,
    gamma: 0.8,
    ridge: 1e-6,
};

fn rounds(game: &TenTen, features: &dyn Features<TenTen>, weights: &[f32]) -> f64 {
    let chain = Chain::new(game, |state, offer| {
        if let Some((choice, _)) = features.best(game, state, 0.0, weights) {
            offer(choice, 1.0);
        }
    });
    chain.unwrap().expected().rounds.unwrap()
}

#[test]
fn both_forms_learn_to_survive_longer_than_greedy_play() {
    let game = tenten(4, 4, "7");
    let features = game.features("tang").unwrap();
    let greedy =
        Chain::new(&game, |state, offer| GreedyRule::MostLines.probabilities(&game, state, offer));
    let greedy = greedy.unwrap().expected().rounds.unwrap();
    let mut learner = Online::new(&game, &*features, GOAL, 20);
    for episode in 0..60 {
        learner.episode(&mut Rng::stream(1, episode), 5_000).unwrap();
    }
    let online = rounds(&game, &*features, &learner.weights);
    assert!(online > 2.0 * greedy, "{online} rounds, greedy play survives for {greedy}");
    let samples = Samples::random(&game, &*features, &GOAL, 20_000, 2, &|| false).unwrap();
    let mut weights = vec![0.0; features.names().len()];
    for _ in 0..6 {
        weights = samples.iterate(&game, &*features, &GOAL, &weights, &|| false).unwrap().unwrap();
    }
    let textbook = rounds(&game, &*features, &weights);
    assert!(textbook > 2.0 * greedy, "{textbook} rounds, greedy play survives for {greedy}");
}
