//! `[lspi]`: weights of features by least-squares policy iteration.

use afterstate_games::RewardMixture;
use afterstate_games::reward::RewardMixtureError;
use serde::{Deserialize, Serialize};

use super::{RecipeError, value};

/// How least-squares policy iteration learns weights. The defaults are those of Tang's study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LspiPlan {
    /// A named set of features of the game, such as `tang`.
    pub features: String,
    /// What a move earns: `r1`, `r2`, `r3`, or a sum such as `score+moves`.
    #[serde(default = "reward")]
    pub reward: RewardText,
    /// What the last move of a game earns instead.
    #[serde(default = "penalty")]
    pub penalty: f32,
    /// How much a reward is worth a move later.
    #[serde(default = "gamma")]
    pub gamma: f64,
    /// Moves between two solutions.
    #[serde(default = "every")]
    pub every: u64,
    /// What is added to the diagonal of the equations, as a part of its mean.
    #[serde(default = "ridge")]
    pub ridge: f64,
    /// So many moves of random play are gathered once, and iterated on until the budget ends, as in
    /// the textbook; 0 to learn from every move of play, as in the study.
    #[serde(default)]
    pub samples: usize,
}

/// A reward as a recipe writes it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RewardText(pub RewardMixture);

impl TryFrom<String> for RewardText {
    type Error = RewardMixtureError;

    fn try_from(text: String) -> Result<RewardText, RewardMixtureError> {
        text.parse().map(RewardText)
    }
}

impl From<RewardText> for String {
    fn from(reward: RewardText) -> String {
        reward.0.to_string()
    }
}

fn reward() -> RewardText {
    RewardText(RewardMixture { lines: 1.0, ..RewardMixture::default() })
}

fn penalty() -> f32 {
    -1000.0
}

fn gamma() -> f64 {
    0.8
}

fn every() -> u64 {
    20
}

fn ridge() -> f64 {
    1e-6
}

/// Whether a plan makes sense; the features are looked up when the game is known.
pub(super) fn check(plan: &LspiPlan) -> Result<(), RecipeError> {
    if !plan.penalty.is_finite() {
        return value("lspi.penalty", plan.penalty.to_string(), "a finite number");
    }
    if !(0.0..=1.0).contains(&plan.gamma) {
        return value("lspi.gamma", plan.gamma.to_string(), "0 to 1");
    }
    if !(1..=1_000_000_000).contains(&plan.every) {
        return value("lspi.every", plan.every.to_string(), "1 to 1e9");
    }
    if !(0.0..=1.0).contains(&plan.ridge) {
        return value("lspi.ridge", plan.ridge.to_string(), "0 to 1");
    }
    if plan.samples > 10_000_000 {
        return value("lspi.samples", plan.samples.to_string(), "0 to 10000000");
    }
    Ok(())
}
