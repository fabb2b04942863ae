//! LSPI as the study ran it: play, add every move to the equations, solve them every 20 moves.
//!
//! The study says every 20 turns, and its table 2 calls whole games turns; either learns the same.

use afterstate_agents::agent::features;
use afterstate_agents::evaluate::evaluation_seed;
use afterstate_core::episode::Ending;
use afterstate_core::{Episode, Rng};
use afterstate_games::RewardMixture;
use afterstate_games::tenten::{State, TenTen};
use afterstate_learn::lspi::{Goal, Online};
use afterstate_values::Linear;

use super::repeat::spread;
use super::weights::PUBLISHED_WEIGHTS;
use super::{board, results, rewards};
use crate::experiment::Quantity::{Decimal, Part};
use crate::experiment::{Experiment, Measured, Measurement, Quantity, published};
use crate::measure::Value;
use crate::verdict::Statement;
use crate::{Error, TrainingCache};

/// Moves between two solutions.
const EVERY: u64 = 20;

/// Games of training are truncated after so many moves.
const MAX_TRAINING_MOVES: u64 = 100_000;

/// Games without learning are truncated after so many moves.
const MAX_MOVES: u64 = 1_000_000;

/// Games of the table.
const GAMES: usize = 20;

const MEAN: Quantity = Decimal("mean rounds");
const MAX: Quantity = Decimal("most rounds of 20 games");
const LOST: Quantity = Part("games lost to the 3x3 piece");

const WITH: &str = "with the 3x3 piece";
const WITHOUT: &str = "without it";
const GIVEN_WITH: &str = "with it, by the weights of table 4";
const GIVEN_WITHOUT: &str = "without it, by the same weights";

pub(super) const TABLE3: Experiment = Experiment {
    name: "tang-table3",
    title: "LSPI on 10x10, with and without the 3x3 piece",
    source: "Tang 2019, section 11.2.1, table 3: 20 games",
    published: published![
        WITH => MEAN = 204.473, MAX = 517.0, LOST = 75.0 of Share(20);
        WITHOUT => MEAN = 517.736, MAX = 1_047.0;
        GIVEN_WITH => MEAN, MAX, LOST;
        GIVEN_WITHOUT => MEAN, MAX;
    ],
    repeats: true,
    statements: &[
        Statement {
            says: "Total we have 19 different pieces with probabilities as the original game [figures 4 and \
                16: 1, 2, 3 or 6 of 42]",
            holds: |_| {
                let game = board(10, "19").ok()?;
                let mut weights: Vec<u32> =
                    game.pieces().iter().map(|piece| piece.weight).collect();
                weights.sort_unstable();
                Some(weights == [1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 6])
            },
        },
        Statement {
            says: "These two versions of game show a huge different in performance.",
            holds: |figures| Some(figures.of(WITHOUT, MEAN)? > 2.0 * figures.of(WITH, MEAN)?),
        },
        Statement {
            says: "The maximum round of the game without 3x3 can even reach more than thousand \
                rounds.",
            holds: |figures| Some(figures.of(WITHOUT, MAX)? > 1_000.0),
        },
        Statement {
            says: "3x3 pieces is relatively large comparing with the board which much increase the \
                difficulty of the game.",
            holds: |figures| Some(figures.of(WITH, LOST)? > 50.0),
        },
    ],
    differences: &[
        "The study trains until the weights stand; we train for 200,000 moves (20,000 in the quick \
        form), ten times (four), and play five times 20 games by the weights of each training; \
        intervals of rounds hold 95% of these repetitions of the study.",
        "Its means times 19 are whole numbers, so that they are of 19 games.",
        "The words leave open what is averaged in the first and third feature: over holes, each \
        with the run that it lies in, which reproduces both means at gamma 0.8, or over runs.",
        "By the weights of table 4 our features play as long as the study says, so they are hardly \
        others than its.",
        "Games of training are truncated after 100,000 moves, and others after a million.",
    ],
    minutes: 6,
    rules: "1010:10x10,pieces=19 and 1010:10x10,pieces=18",
    measure: full_board,
    ..Experiment::NONE
};

/// Learns weights of a set of features for about so many moves: a reward, -1000 at the end of a
/// game, gamma 0.8.
pub(super) fn learn(
    seed: u64,
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
        let mut rng = Rng::stream(seed ^ part << 32, episode);
        played += learner.episode(&mut rng, MAX_TRAINING_MOVES)?.moves.max(1);
        episode += 1;
    }
    let weights = learner.weights;
    Ok(Linear::new(set, features, 0.0, weights)?)
}

/// Some games of one kind.
struct Played(Vec<Episode<State>>);

impl Played {
    fn rounds(&self) -> Vec<f64> {
        self.0.iter().map(|game| game.moves as f64).collect()
    }

    /// The rows of a case: the means and maxima of 20 games each, and the part lost to a piece.
    fn measure(&self, case: &'static str, piece: Option<u8>, measured: &mut Vec<Measurement>) {
        let rounds = self.rounds();
        let sets = || rounds.chunks(GAMES);
        let mean = |set: &[f64]| set.iter().sum::<f64>() / set.len() as f64;
        let most = |set: &[f64]| set.iter().copied().fold(0.0, f64::max);
        for (quantity, figures) in [
            (MEAN, sets().map(mean).collect::<Vec<f64>>()),
            (MAX, sets().map(most).collect::<Vec<f64>>()),
        ] {
            measured.push(Measurement::training(case, quantity, spread(&figures)));
        }
        let ended = || self.0.iter().filter(|game| game.ending == Ending::Terminal);
        let lost = piece.map(|piece| ended().filter(|game| game.last.hand.has(piece)).count());
        let part = lost.and_then(|lost| Value::percent(lost as f64, ended().count() as f64));
        measured.extend(part.map(|part| Measurement::training(case, LOST, part)));
    }
}

/// Table 3: LSPI on the full board, with and without the 3x3 piece. The published weights play,
/// too: that shows whether the features are the study's, without any training of ours.
fn full_board(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let (moves, trainings, games) =
        cache.scale.pick([(100, 2, 2), (20_000, 4, 40), (200_000, 10, 100)]);
    let [_, r2, _] = rewards();
    let mut measured = Vec::new();
    let cases = [("19", WITH, GIVEN_WITH), ("18", WITHOUT, GIVEN_WITHOUT)];
    for (number, (set, trained, given)) in cases.into_iter().enumerate() {
        let game = board(10, set)?;
        let square = |piece: &afterstate_games::pieces::Piece| piece.shape.cells().len() == 9;
        let piece = game.pieces().iter().position(square).map(|piece| piece as u8);
        let mut played = Played(Vec::new());
        for training in 0..trainings {
            let part = 100 + 20 * number as u64 + training;
            let weights = learn(cache.seed, &game, "tang", r2, moves, part)?;
            play(cache, &game, &weights, games * training, games, &mut played);
            cache.observer.begin(&format!("{trained}: training {} played", training + 1))?;
            cache.check_stopped()?;
        }
        played.measure(trained, piece, &mut measured);
        let weights = PUBLISHED_WEIGHTS.iter().filter_map(|one| one.value);
        let weights = weights.map(|weight| weight as f32).collect();
        let weights = Linear::new("tang", features(&game, "tang")?, 0.0, weights)?;
        let mut played = Played(Vec::new());
        play(cache, &game, &weights, 0, trainings * games, &mut played);
        played.measure(given, piece, &mut measured);
    }
    Ok(results(experiment, cache, &measured, Vec::new(), None))
}

/// Plays some games from the one with a number on.
fn play(
    cache: &TrainingCache,
    game: &TenTen,
    weights: &Linear<TenTen>,
    first: u64,
    games: u64,
    played: &mut Played,
) {
    played.0.extend((first..first + games).map(|episode| {
        let mut rng = Rng::stream(evaluation_seed(cache.seed), episode);
        let mut policy = weights;
        Episode::play_up_to(MAX_MOVES, game, &mut policy, &mut rng)
    }));
}
