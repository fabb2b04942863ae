//! `[cbmpi]`: weights of features by classification-based modified policy iteration.

use afterstate_learn::cbmpi::CbmpiSettings;
use serde::{Deserialize, Serialize};

use super::{RecipeError, value};

/// How the weights of a policy are learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CbmpiPlan {
    /// The features of the policy, a named set of the game such as `dt`.
    pub features: String,
    /// The features of the value function, such as `bertsekas`.
    pub values: String,
    /// The weights of the policy at first; all 0 if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub start: Vec<f64>,
    /// Games of an iteration, from which its states are drawn.
    #[serde(default = "games")]
    pub games: usize,
    /// Of a game, so many moves are looked at.
    #[serde(default = "max_moves", alias = "most_moves")]
    pub max_moves: u64,
    /// The method itself.
    #[serde(default)]
    pub iteration: CbmpiSettings,
}

fn games() -> usize {
    20
}

fn max_moves() -> u64 {
    100_000
}

/// Whether a plan makes sense; the features are looked up when the game is known.
pub(super) fn check(plan: &CbmpiPlan) -> Result<(), RecipeError> {
    if let Some(met) = plan.start.iter().find(|weight| weight.is_nan() || weight.abs() > 1e9) {
        return value("cbmpi.start", met.to_string(), "numbers from -1e9 to 1e9");
    }
    if !(1..=100_000).contains(&plan.games) {
        return value("cbmpi.games", plan.games.to_string(), "1 to 100000");
    }
    if !(1..=10_000_000).contains(&plan.max_moves) {
        return value("cbmpi.max_moves", plan.max_moves.to_string(), "1 to 10000000");
    }
    Ok(plan.iteration.check()?)
}
