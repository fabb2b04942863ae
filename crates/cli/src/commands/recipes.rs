//! `recipes`: the recipes in the program.

use afterstate_train::recipe::Recipe;
use afterstate_train::recipes::{BUILT_IN, about};
use serde::Serialize;

use crate::output::Output;

#[derive(Serialize)]
struct Listed {
    recipe: &'static str,
    game: String,
    about: String,
    text: &'static str,
}

pub(crate) fn run(out: &mut Output) -> anyhow::Result<()> {
    for &(name, text) in BUILT_IN {
        let recipe = Recipe::parse(text, &[])?;
        if out.json() {
            out.object(&Listed {
                recipe: name,
                game: recipe.rules.to_string(),
                about: about(text),
                text,
            })?;
        } else {
            out.line(format!("{name}\n  {}\n", about(text)))?;
        }
    }
    if !out.json() {
        out.line(
            "To train: afterstate train RECIPE. To change a setting: --set phase.0.rate=0.05.",
        )?;
    }
    Ok(())
}
