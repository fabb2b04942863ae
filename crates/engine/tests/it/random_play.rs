//! Random play against the fingerprints in `results/`: an error in the rules shows as a wrong mean.

use afterstate_agents::EvaluationSettings;
use afterstate_agents::random_play::{RandomPlay, distance};
use afterstate_core::Device;
use afterstate_games::spec::GameSpec;

use crate::evaluate;

/// Rules differ if their means are this many standard errors apart; 42 comparisons of fixed seeds.
const TOO_FAR: f64 = 4.5;

fn published() -> Vec<RandomPlay> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../results/random_play.jsonl");
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Random play under some rules.
fn random_play(rules: &str, games: u64) -> RandomPlay {
    let settings =
        EvaluationSettings { games, seed: 99, threads: None, max_moves: None, device: Device::Cpu };
    RandomPlay::new(
        &rules.parse().unwrap(),
        &settings,
        &evaluate(rules, "random", &settings).unwrap(),
    )
}

#[test]
fn every_documented_game_plays_as_published() {
    let published = published();
    for text in GameSpec::documented() {
        let spec: GameSpec = text.parse().unwrap();
        let found = published.iter().find(|row| row.game == spec.to_string());
        let expected =
            found.unwrap_or_else(|| panic!("{text} is not in results/random_play.jsonl"));
        let games = if text.contains("melax") && text.contains("6x2") { 200 } else { 20_000 };
        let today = random_play(text, games);
        let (score, moves) = distance(&today, expected);
        assert!(score < TOO_FAR && moves < TOO_FAR, "{today:?} is far from {expected:?}");
    }
}

/// Random play of 2048 averages about 1,098 +- 3 points in programs whose rules are right.
#[test]
fn the_published_2048_is_the_one_that_others_measure() {
    let published = published();
    let standard = published.iter().find(|row| row.game == "2048:4x4").unwrap();
    assert!((standard.mean_score - 1_098.0).abs() < 9.0, "{standard:?}");
    assert!(standard.score_error < 3.0, "{standard:?}");
}

#[test]
fn a_wrong_rule_is_noticed() {
    let right = random_play("2048:4x4", 20_000);
    let wrong = random_play("2048:4x4,four=0.13", 20_000);
    assert!(distance(&right, &wrong).0 > TOO_FAR);
}
