//! One setting of a recipe, changed from the command line.

use super::RecipeError;

/// Changes one setting of a table: `path.to.setting=value`.
pub(super) fn set(table: &mut toml::Value, setting: &str) -> Result<(), RecipeError> {
    let error = || RecipeError::Setting(setting.chars().take(60).collect());
    let (path, text) = setting.split_once('=').ok_or_else(error)?;
    // What is not a TOML value on its own is a word.
    let value = toml::from_str::<toml::Table>(&format!("x = {text}")).ok();
    let value = value.and_then(|mut table| table.remove("x"));
    let value = value.unwrap_or_else(|| toml::Value::String(text.to_owned()));
    let keys: Vec<&str> = path.trim().split('.').collect();
    let (last, parents) = keys.split_last().ok_or_else(error)?;
    let mut here = table;
    for key in parents {
        here = match here {
            toml::Value::Table(table) => {
                table.entry(*key).or_insert_with(|| toml::Value::Table(toml::Table::new()))
            }
            toml::Value::Array(items) => {
                let number: usize = key.parse().map_err(|_| error())?;
                items.get_mut(number).ok_or_else(error)?
            }
            _ => return Err(error()),
        };
    }
    match here {
        toml::Value::Table(table) => {
            // The limits of a budget exclude each other: a new one replaces the old.
            if *parents == ["budget"] {
                table.clear();
            }
            table.insert((*last).to_owned(), value);
            Ok(())
        }
        _ => Err(error()),
    }
}
