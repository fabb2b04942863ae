//! `recipes`: the trainings that come with the program.

use afterstate_lab::recipe::Recipe;
use afterstate_lab::recipes::{BUILT_IN, about};
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
            out.object(&Listed { recipe: name, game: recipe.game, about: about(text), text })?;
        } else {
            out.line(format!("{name}\n  {}\n", about(text)))?;
        }
    }
    if !out.json() {
        out.line("Train one: afterstate train RECIPE. Change it: --set phase.0.rate=0.05.")?;
    }
    Ok(())
}
