//! Fixed policies, evaluated exactly, against published and known values and against play.

use afterstate_core::{Episode, Game, Rng};
use afterstate_games::spec::Spec;
use afterstate_games::tenten::TenTen;
use afterstate_games::{Real, RewardMixture, TransitionModel};
use afterstate_learn::solve::{Chain, Expected, Settings, iterate};
use afterstate_values::{GreedyRule, SolvedTable};

use crate::tenten;

fn greedy(game: &TenTen, rule: GreedyRule) -> Chain {
    Chain::new(game, |state, offer| rule.probabilities(game, state, offer)).unwrap()
}

/// Best play for a reward and a discount, as a table.
fn best(game: &TenTen, reward: &str, gamma: f64) -> SolvedTable {
    let model = game.transition_model().unwrap();
    let reward: RewardMixture = reward.parse().unwrap();
    let settings = Settings { max_sweeps: 2_000, ..Settings::new::<f64>(reward, gamma) };
    let found = iterate::<f64, _>(&*model, &settings, |_| {});
    let boards = TransitionModel::<f64>::boards(&*model);
    let indices = boards.iter().map(|&board| u64::from(board)).collect();
    let values =
        boards.iter().map(|&b| f64::load(&found.after_values[b as usize]) as f32).collect();
    SolvedTable::new(RewardMixture { moves: 0.0, ..reward }, indices, values).unwrap()
}

fn followed(game: &TenTen, table: &SolvedTable) -> Expected {
    let chain = Chain::new(game, |state, offer| {
        let best = game.best_move(state, |choice| table.move_value(game, state, choice));
        if let Some((choice, _)) = best {
            offer(choice, 1.0);
        }
    });
    chain.unwrap().expected()
}

fn near(found: Option<f64>, known: f64) {
    let found = found.unwrap();
    assert!((found / known - 1.0).abs() < 0.002, "{found}, {known} is known");
}

#[test]
fn the_three_greedy_rules_on_3x3_with_3_pieces() {
    let game = tenten(3, 3, "3");
    for ((_, rule), rounds) in GreedyRule::ALL.into_iter().zip([4_697.1, 320.0, 753.2]) {
        near(greedy(&game, rule).expected().rounds, rounds);
    }
}

#[test]
fn play_agrees_with_the_exact_value() {
    let game = tenten(3, 3, "3");
    for (name, mut rule) in GreedyRule::ALL {
        let known = greedy(&game, rule).expected();
        let (mut moves, mut score, games) = (0.0, 0.0, 400);
        for episode in 0..games {
            let played = Episode::play(&game, &mut rule, &mut Rng::stream(9, episode));
            moves += played.moves as f64;
            score += played.score;
        }
        // Lengths are nearly geometric: five standard errors.
        let off = (moves / games as f64 / known.rounds.unwrap() - 1.0).abs();
        assert!(off < 5.0 / (games as f64).sqrt(), "{name}: off by {off}");
        let off = (score / moves / known.score_per_move - 1.0).abs();
        assert!(off < 0.01, "{name}: {} and {}", score / moves, known.score_per_move);
    }
}

#[test]
fn policies_of_the_study_on_4x4_with_7_pieces() {
    let game = tenten(4, 4, "7");
    for (reward, rounds) in [("r1", 1_020.8), ("r2", 83.9), ("r3", 993.4), ("step", 26_779.0)] {
        near(followed(&game, &best(&game, reward, 0.8)).rounds, rounds);
    }
}

#[test]
fn rounds_against_gamma_on_3x3_with_7_pieces() {
    let game = tenten(3, 3, "7");
    let known = [44.3, 44.3, 45.7, 23.6, 19.3, 18.0, 17.9, 20.3, 61.0, 67.5];
    for (tenth, known) in (1..=10).zip(known) {
        let gamma = f64::from(tenth) / 10.0;
        let found = followed(&game, &best(&game, "r2", gamma)).rounds.unwrap();
        assert!((found - known).abs() < 0.06, "gamma {gamma}: {found}, {known} is known");
    }
}

#[test]
fn games_that_never_end_have_a_mean_score() {
    let game = tenten(3, 3, "3");
    let table = best(&game, "step", 0.9);
    let found = followed(&game, &table);
    assert_eq!((found.rounds, found.score), (None, None));
    let mut player = &table;
    let played = Episode::play_up_to(100_000, &game, &mut player, &mut Rng::stream(3, 0));
    let mean = played.score / played.moves as f64;
    assert!((mean / found.score_per_move - 1.0).abs() < 0.01, "{mean} and {found:?}");
}

#[test]
fn a_truncated_game_has_the_score_of_its_first_moves() {
    let game = tenten(3, 3, "7");
    let chain = greedy(&game, GreedyRule::MostLines);
    let (score, moves) = chain.first(5_000);
    let whole = chain.expected();
    assert!((moves / whole.rounds.unwrap() - 1.0).abs() < 1e-9);
    assert!((score / whole.score.unwrap() - 1.0).abs() < 1e-9);
    assert_eq!(chain.first(1).1, 1.0);
}

#[test]
fn games_of_a_chain_are_as_long_and_score_as_much_as_expected() {
    let game = tenten(3, 3, "7");
    let chain = greedy(&game, GreedyRule::Either);
    let (games, mut rng) = (20_000, Rng::stream(5, 0));
    let (mut moves, mut score) = (0.0, 0.0);
    for _ in 0..games {
        let played = chain.play(u64::MAX, &mut rng);
        moves += played.0 as f64;
        score += played.1;
    }
    let known = chain.expected();
    let off = (moves / f64::from(games) / known.rounds.unwrap() - 1.0).abs();
    assert!(off < 5.0 / f64::from(games).sqrt(), "off by {off}");
    assert!((score / moves / known.score_per_move - 1.0).abs() < 0.01);
    assert_eq!(chain.play(3, &mut rng).0, 3, "nobody dies in three moves");
}
