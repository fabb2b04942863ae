//! `[evaluation]`: no learning at all: a long measurement that can be stopped and resumed.

use serde::{Deserialize, Serialize};

use super::{Budget, RecipeError, value};

/// What is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationPlan {
    /// An agent that weighs features: a published one, `linear:SET=W,W,...` or a file.
    pub agent: String,
}

/// Whether a plan makes sense: the budget must be games. A clock would cut off long games, and
/// leave a mean of the short ones.
pub(super) fn check(budget: &Budget) -> Result<(), RecipeError> {
    match budget.episodes {
        Some(1..=10_000_000) => Ok(()),
        Some(games) => value("budget.episodes", games.to_string(), "1 to 10000000 to evaluate"),
        None => value("budget", "no episodes".to_owned(), "budget.episodes to evaluate"),
    }
}
