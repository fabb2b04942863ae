//! `RequestedRecipe`: a recipe with settings from a request, which names no file.

use super::{Recipe, RecipeError, RecipeTables};

/// A recipe whose agents are all in the program: its settings may come from anyone.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestedRecipe(Recipe);

impl RequestedRecipe {
    /// Parses a recipe as [`Recipe::parse`] does, and refuses one that names a file. None is looked for.
    pub fn parse(text: &str, settings: &[String]) -> Result<RequestedRecipe, RecipeError> {
        RequestedRecipe::of(RecipeTables::parse(text)?, settings)
    }

    /// The same with tables that were read before.
    pub fn of(tables: RecipeTables, settings: &[String]) -> Result<RequestedRecipe, RecipeError> {
        let mut recipe = tables.with(settings)?;
        for agent in recipe.learner.agents() {
            *agent = agent.in_program()?;
        }
        Ok(RequestedRecipe(recipe))
    }

    /// The recipe.
    pub fn recipe(&self) -> &Recipe {
        &self.0
    }

    /// The recipe to train.
    pub fn into_recipe(self) -> Recipe {
        self.0
    }
}
