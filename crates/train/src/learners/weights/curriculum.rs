//! The curriculum: rules of the same game to learn on first.

use afterstate_agents::agent::features;
use afterstate_core::Features;
use afterstate_games::spec::{GameSpec, Spec};
use serde::{Deserialize, Serialize};

use super::WeightsPlan;
use crate::learners::LearnerError;
use crate::recipe::as_text;

/// Rules to learn on for a share of the budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// The rules.
    #[serde(rename = "game", with = "as_text")]
    pub rules: GameSpec,
    /// The share of the budget, from 0 to 1, up to which they are used.
    pub until: f64,
}

/// The rules of a lesson do not fit the rules of the recipe.
#[derive(Debug, thiserror::Error)]
enum CurriculumError {
    #[error("weights.curriculum: {0} is not of the recipe's game")]
    Game(String),
    #[error("weights.curriculum: {0} has other features than the game of the recipe")]
    Features(String),
}

/// The rules of a lesson with their features.
pub(super) struct TypedLesson<G: Spec> {
    pub(super) game: G,
    pub(super) features: Box<dyn Features<G>>,
    pub(super) until: f64,
}

/// The lessons of a plan, the last of which is the game itself.
pub(super) fn lessons<G: Spec>(
    game: &G,
    plan: &WeightsPlan,
) -> Result<Vec<TypedLesson<G>>, LearnerError> {
    let mut lessons = Vec::new();
    for Lesson { rules, until } in &plan.curriculum {
        let other = || CurriculumError::Game(rules.to_string());
        let game: &G = rules.typed().ok_or_else(other)?;
        let features = features(game, &plan.features)?;
        lessons.push(TypedLesson { game: game.clone(), features, until: *until });
    }
    let features = features(game, &plan.features)?;
    let count = features.names().len();
    lessons.push(TypedLesson { game: game.clone(), features, until: 1.0 });
    match lessons.iter().find(|lesson| lesson.features.names().len() != count) {
        Some(other) => Err(CurriculumError::Features(other.game.spec()).into()),
        None => Ok(lessons),
    }
}
