//! Random play as a fingerprint of the rules: an error in the rules shows as a wrong mean.
//!
//! Several public environments had wrong rules for years; comparing the mean score of uniformly
//! random play detects them quickly.

use afterstate_games::spec::GameSpec;
use serde::{Deserialize, Serialize};

use crate::{Evaluation, EvaluationSettings, Summary};

/// Mean score and length of uniformly random play under one set of rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RandomPlay {
    /// The rules.
    pub game: String,
    /// Games played.
    pub games: u64,
    /// Their seed.
    pub seed: u64,
    /// Mean score.
    pub mean_score: f64,
    /// Standard error of the mean score.
    pub score_error: f64,
    /// The unit of the score.
    pub unit: String,
    /// Mean number of moves.
    pub mean_moves: f64,
    /// Standard error of the mean number of moves.
    pub moves_error: f64,
}

impl RandomPlay {
    /// The fingerprint of rules from an evaluation of random play.
    pub fn new(
        spec: &GameSpec,
        settings: &EvaluationSettings,
        evaluation: &Evaluation,
    ) -> RandomPlay {
        let error = |summary: &Summary| summary.standard_error.unwrap_or(f64::INFINITY);
        RandomPlay {
            game: spec.to_string(),
            games: settings.games,
            seed: settings.seed,
            mean_score: evaluation.score.mean,
            score_error: error(&evaluation.score),
            unit: spec.unit().to_owned(),
            mean_moves: evaluation.length.mean,
            moves_error: error(&evaluation.length),
        }
    }
}

/// The distance between two fingerprints of the same rules in standard errors: score, moves.
pub fn distance(one: &RandomPlay, other: &RandomPlay) -> (f64, f64) {
    let apart = |a: f64, a_error: f64, b: f64, b_error: f64| {
        if a == b { 0.0 } else { (a - b).abs() / a_error.hypot(b_error) }
    };
    (
        apart(one.mean_score, one.score_error, other.mean_score, other.score_error),
        apart(one.mean_moves, one.moves_error, other.mean_moves, other.moves_error),
    )
}
