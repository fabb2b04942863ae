//! `[lambda_pi]`: weights of features by lambda-policy iteration.

use afterstate_learn::least_squares::Solver;
use serde::{Deserialize, Serialize};

use super::{RecipeError, value};

/// How lambda-policy iteration learns weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LambdaPiPlan {
    /// A named set of features of the game, such as `bertsekas`.
    pub features: String,
    /// The weight of a move's reward, when moves are chosen.
    #[serde(default = "one")]
    pub reward: f64,
    /// The weights at first; all 0 if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub start: Vec<f64>,
    /// Games of an iteration.
    #[serde(default = "games")]
    pub games: usize,
    /// How much of a temporal difference reaches the board before.
    #[serde(default = "lambda")]
    pub lambda: f64,
    /// How the least squares are found.
    #[serde(default)]
    pub solver: Solver,
    /// A game is cut off after so many moves, and not learned from.
    #[serde(default = "max_moves", alias = "most_moves")]
    pub max_moves: u64,
}

fn one() -> f64 {
    1.0
}

fn games() -> usize {
    100
}

fn lambda() -> f64 {
    0.6
}

fn max_moves() -> u64 {
    10_000_000
}

/// Whether a plan makes sense; the features are looked up when the game is known.
pub(super) fn check(plan: &LambdaPiPlan) -> Result<(), RecipeError> {
    if !plan.reward.is_finite() {
        return value("lambda_pi.reward", plan.reward.to_string(), "a finite number");
    }
    if let Some(met) = plan.start.iter().find(|weight| weight.is_nan() || weight.abs() > 1e9) {
        return value("lambda_pi.start", met.to_string(), "numbers from -1e9 to 1e9");
    }
    if !(1..=100_000).contains(&plan.games) {
        return value("lambda_pi.games", plan.games.to_string(), "1 to 100000");
    }
    if !(0.0..=1.0).contains(&plan.lambda) {
        return value("lambda_pi.lambda", plan.lambda.to_string(), "0 to 1");
    }
    if !(1..=1_000_000_000).contains(&plan.max_moves) {
        return value("lambda_pi.max_moves", plan.max_moves.to_string(), "1 to 1e9");
    }
    Ok(())
}
