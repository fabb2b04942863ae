//! `[weights]`: weights of named features.

use afterstate_learn::blackbox::{self, SettingError};
use serde::{Deserialize, Serialize};

use super::{RecipeError, value};

/// Which features, and how their weights are learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightsPlan {
    /// A named set of features of the game, such as `dt`.
    pub features: String,
    /// The weight of a move's reward: 1 to play for what a move earns, too, 0 to go by the
    /// features alone.
    #[serde(default)]
    pub reward: f64,
    /// The weights at first; all 0 if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub start: Vec<f64>,
    /// How a candidate is scored.
    #[serde(default)]
    pub games: Games,
    /// Other rules of the same game to learn on first, such as lower wells; the game of the recipe
    /// comes last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stage: Vec<Stage>,
    /// The optimiser with its settings.
    #[serde(alias = "search")]
    pub optimiser: blackbox::OptimiserChoice,
}

/// How a candidate is scored: all candidates of an iteration play the same games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Games {
    /// Games of a candidate.
    pub count: usize,
    /// After so many games, candidates without hope get no more; 0 for never.
    pub early: usize,
    /// A game is stopped when its score comes to this.
    #[serde(alias = "most_score", skip_serializing_if = "Option::is_none")]
    pub max_score: Option<f64>,
}

impl Default for Games {
    fn default() -> Games {
        Games { count: 20, early: 5, max_score: None }
    }
}

/// Rules to learn on, for a part of the budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The rules.
    pub game: String,
    /// The part of the budget, from 0 to 1, up to which they are used.
    pub until: f64,
}

impl From<SettingError> for RecipeError {
    fn from(error: SettingError) -> RecipeError {
        let SettingError { what, met, expected } = error;
        RecipeError::Value { what, met, expected }
    }
}

/// Whether a plan makes sense; the features are looked up when the game is known.
pub(super) fn check(plan: &WeightsPlan) -> Result<(), RecipeError> {
    if !plan.reward.is_finite() {
        return value("weights.reward", plan.reward.to_string(), "a finite number");
    }
    if let Some(met) = plan.start.iter().find(|weight| weight.is_nan() || weight.abs() > 1e9) {
        return value("weights.start", met.to_string(), "numbers from -1e9 to 1e9");
    }
    for stage in &plan.stage {
        if !(0.0..=1.0).contains(&stage.until) {
            return value("weights.stage.until", stage.until.to_string(), "0 to 1");
        }
    }
    let Games { count, early, max_score } = plan.games;
    if !(1..=100_000).contains(&count) {
        return value("weights.games.count", count.to_string(), "1 to 100000");
    }
    if early > count {
        return value("weights.games.early", early.to_string(), "at most weights.games.count");
    }
    if let Some(limit) = max_score.filter(|limit| !(*limit > 0.0 && limit.is_finite())) {
        return value("weights.games.max_score", limit.to_string(), "more than 0");
    }
    Ok(plan.optimiser.check()?)
}
