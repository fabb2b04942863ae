//! Changes of single settings of a recipe, as on the command line.

use super::RecipeError;
use super::renamed::present_path;
use crate::learners::LearnerPlan;

/// Keys of a path, more than any setting has: tables are read by recursion.
const MAX_KEYS: usize = 16;

/// Changes one setting: `path.to.setting=value`.
pub(super) fn set(recipe: &mut toml::Table, setting: &str) -> Result<(), RecipeError> {
    let error = || RecipeError::Setting(setting.chars().take(60).collect());
    let (path, text) = setting.split_once('=').ok_or_else(error)?;
    let path = present_path(path.trim());
    let keys: Vec<&str> = path.split('.').collect();
    if keys.len() > MAX_KEYS {
        return Err(error());
    }
    let (last, parents) = keys.split_last().ok_or_else(error)?;
    // Text that is not a TOML value is a string, and so is every game: 2048 is no number.
    let value = toml::from_str::<toml::Table>(&format!("x = {text}")).ok();
    let value = value.and_then(|mut table| table.remove("x"));
    let value = value.filter(|value| *last != "game" || value.is_str());
    // TOML has no larger integers.
    let is_number = text.trim().bytes().all(|byte| byte.is_ascii_digit());
    if path == "seed" && value.is_none() && is_number && !text.trim().is_empty() {
        return Err(RecipeError::LargeSeed(text.trim().chars().take(60).collect()));
    }
    let value = value.unwrap_or_else(|| toml::Value::String(text.to_owned()));
    let Some((first, others)) = parents.split_first() else {
        recipe.insert((*last).to_owned(), value);
        return Ok(());
    };
    if let Some((learner, usage)) = LearnerPlan::other_learner(recipe, first) {
        return Err(RecipeError::OtherLearner { setting: path, learner, usage });
    }
    let empty = || toml::Value::Table(toml::Table::new());
    let mut here = recipe.entry(*first).or_insert_with(empty);
    for key in others {
        here = match here {
            toml::Value::Table(table) => table.entry(*key).or_insert_with(empty),
            toml::Value::Array(items) => {
                let number: usize = key.parse().map_err(|_| error())?;
                items.get_mut(number).ok_or_else(error)?
            }
            _ => return Err(error()),
        };
    }
    match here {
        toml::Value::Table(table) => {
            // A budget has one limit: a new one replaces the old.
            if *parents == ["budget"] {
                table.clear();
            }
            table.insert((*last).to_owned(), value);
            Ok(())
        }
        _ => Err(error()),
    }
}
