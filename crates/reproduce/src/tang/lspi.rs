//! LSPI as the study ran it: play, add every move to the equations, solve them every 20 moves.
//!
//! The study says every 20 turns, and its table 2 calls whole games turns; either learns the same.

use afterstate_agents::agent::features;
use afterstate_agents::evaluate::evaluation_seed;
use afterstate_core::{Episode, Rng};
use afterstate_games::RewardMixture;
use afterstate_games::tenten::TenTen;
use afterstate_learn::lspi::{Goal, Online};
use afterstate_values::Linear;

use super::exact::{REWARDS, best_play, best_survival, follow, rounds};
use super::{GIVEN, LSPI, MAX, MDP, MEAN, TRAINED, board, results, rewards};
use crate::experiment::Quantity::Weight;
use crate::experiment::{Experiment, Measured, Measurement, Published, published};
use crate::measure::Value;
use crate::{Error, TrainingCache};

/// Moves between two solutions.
const EVERY: u64 = 20;

/// Games of training are truncated after so many moves.
const MAX_TRAINING_MOVES: u64 = 100_000;

/// Games without learning are truncated after so many moves.
const MAX_MOVES: u64 = 1_000_000;

/// The weights of table 4, in the order of the features.
pub(super) const PUBLISHED_WEIGHTS: &[Published] = published![
    "mean run of holes across" => Weight = 45.232;
    "longest run of holes across" => Weight = -0.37348; "mean run of holes down" => Weight = 39.333;
    "longest run of holes down" => Weight = 1.7828; "full cells" => Weight = 2.1548;
    "blank cells" => Weight = 4.6361; "moves of 1x5" => Weight = -3.6278;
    "moves of 5x1" => Weight = -3.1456; "moves of 3x3" => Weight = -1.88584;
    "largest blank square" => Weight = 0.43437; "largest blank rectangle" => Weight = 0.46786;
    "distance from the edge" => Weight = -0.161435; "blank rows" => Weight = 1.3728;
    "blank columns" => Weight = -0.37325; "blank parts" => Weight = -6.5215;
    "full parts" => Weight = 0.1263; "largest blank part" => Weight = -0.45505;
    "largest full part" => Weight = -0.16362; "reward" => Weight = 0.18772;
    "survival" => Weight = 1285.25; "one" => Weight = -1669.6;
];

/// Learns weights of a set of features for about so many moves: a reward, -1000 at the end of a
/// game, gamma 0.8.
fn learn(
    cache: &TrainingCache,
    game: &TenTen,
    set: &str,
    reward: RewardMixture,
    moves: u64,
    part: u64,
) -> Result<Linear<TenTen>, Error> {
    let features = features(game, set)?;
    let goal = Goal { reward, penalty: -1000.0, gamma: 0.8, ridge: 1e-6 };
    let mut learner = Online::new(game, &*features, goal, EVERY);
    let (mut played, mut episode) = (0, 0);
    while played < moves {
        let mut rng = Rng::stream(cache.seed ^ part << 32, episode);
        played += learner.episode(&mut rng, MAX_TRAINING_MOVES)?.moves.max(1);
        episode += 1;
    }
    let weights = learner.weights;
    Ok(Linear::new(set, features, 0.0, weights)?)
}

/// Table 2: value iteration against LSPI on 4x4 with 7 pieces.
pub(super) fn against_value_iteration(
    experiment: &Experiment,
    cache: &mut TrainingCache,
) -> Measured {
    let game = board(4, "7")?;
    let (moves, seeds) = cache.scale.pick([(4_000, 1), (4_000, 8), (20_000, 8)]);
    let mut measured = Vec::new();
    let sets = ["tang-r1", "tang", "tang-r3"];
    for (number, ((name, reward), set)) in (0..).zip(REWARDS.into_iter().zip(rewards()).zip(sets)) {
        let best = rounds(&best_play(&game, reward, 0.8)?);
        measured.push(Measurement::training(name, MDP, best));
        let mut each = Vec::new();
        for seed in 0..seeds {
            let weights = learn(cache, &game, set, reward, moves, 10 * number + seed)?;
            each.push(rounds(&follow(&game, &mut &weights)?).value);
        }
        measured.push(Measurement::training(name, LSPI, Value::mean(&each)));
    }
    let step = rounds(&best_play(&game, RewardMixture::STEP, 0.8)?);
    measured.push(Measurement::training("1 a move", MDP, step));
    measured.push(Measurement::training("best survival", MDP, best_survival(&game)?));
    Ok(results(experiment, cache, &measured, Vec::new(), None))
}

/// Table 3: LSPI on the full board, with and without the 3x3 piece. The published weights play,
/// too: that shows whether the features are the study's, without any training of ours.
pub(super) fn full_board(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let (moves, trainings, games) =
        cache.scale.pick([(100, 2, 2), (20_000, 4, 25), (200_000, 10, 100)]);
    let [_, r2, _] = rewards();
    let mut measured = Vec::new();
    for (number, set) in ["19", "18"].into_iter().enumerate() {
        let game = board(10, set)?;
        let (mut means, mut max) = (Vec::new(), 0.0_f64);
        for training in 0..trainings {
            let part = 100 + 20 * number as u64 + training;
            let weights = learn(cache, &game, "tang", r2, moves, part)?;
            let rounds = play(cache, &game, &weights, games * training, games);
            means.push(rounds.iter().sum::<f64>() / games as f64);
            max = rounds.into_iter().fold(max, f64::max);
        }
        let (trained, given) = (TRAINED[number], GIVEN[number]);
        measured.push(Measurement::training(trained, MEAN, Value::mean(&means)));
        measured.push(Measurement::training(trained, MAX, Value::exact(max)));
        let weights = PUBLISHED_WEIGHTS.iter().filter_map(|one| one.value);
        let weights = weights.map(|weight| weight as f32).collect();
        let weights = Linear::new("tang", features(&game, "tang")?, 0.0, weights)?;
        let rounds = play(cache, &game, &weights, 0, trainings * games);
        measured.push(Measurement::training(given, MEAN, Value::mean(&rounds)));
    }
    Ok(results(experiment, cache, &measured, Vec::new(), None))
}

/// The rounds of some games from the one with a number on.
fn play(
    cache: &TrainingCache,
    game: &TenTen,
    weights: &Linear<TenTen>,
    first: u64,
    games: u64,
) -> Vec<f64> {
    let rounds = (first..first + games).map(|episode| {
        let mut rng = Rng::stream(evaluation_seed(cache.seed), episode);
        let mut policy = weights;
        Episode::play_up_to(MAX_MOVES, game, &mut policy, &mut rng).moves as f64
    });
    rounds.collect()
}

/// Table 4: the weights of the 21 features.
pub(super) fn weights(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let (moves, seeds) = cache.scale.pick([(100, 2), (2_000, 4), (200_000, 10)]);
    let game = board(10, "19")?;
    let [_, r2, _] = rewards();
    let learned = (0..seeds).map(|seed| learn(cache, &game, "tang", r2, moves, 200 + seed));
    let learned = learned.collect::<Result<Vec<_>, _>>()?;
    let names = features(&game, "tang")?.names();
    let mut measured = Vec::new();
    let (mut same, mut sure) = (0, 0);
    for one in experiment.published {
        let Some(at) = names.iter().position(|name| name == one.case) else { continue };
        let each: Vec<f64> =
            learned.iter().map(|learned| f64::from(learned.weights()[at])).collect();
        let value = Value::mean(&each);
        let known = value.ci95.is_some_and(|(low, high)| low * high > 0.0);
        sure += u32::from(known);
        same +=
            u32::from(known && one.value.is_some_and(|published| published * value.value > 0.0));
        measured.push(Measurement::training(one.case, Weight, value));
    }
    let note = format!(
        "The sign of {sure} of the 21 weights is known from {seeds} trainings; in {same} of them \
         it is the published one."
    );
    Ok(results(experiment, cache, &measured, Vec::new(), Some(note)))
}
