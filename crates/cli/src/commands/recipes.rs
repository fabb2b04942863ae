//! `recipes`: the recipes in the program.

use afterstate_train::recipe::Recipe;
use afterstate_train::recipes::{BUILT_IN, about};
use serde::Serialize;

use crate::output::Output;

#[derive(Serialize)]
struct Listed<'a> {
    recipe: &'static str,
    game: String,
    about: &'a str,
    text: &'static str,
}

pub(crate) fn run(out: &mut Output) -> anyhow::Result<()> {
    for &(name, text) in BUILT_IN {
        let (game, about) = (Recipe::parse(text, &[])?.rules.to_string(), about(text));
        let listed = Listed { recipe: name, game, about: &about, text };
        out.object_or_line(&listed, || format!("{name}\n  {about}\n"))?;
    }
    if !out.json() {
        out.line(
            "To train: afterstate train RECIPE. To change a setting: --set phase.0.rate=0.05.",
        )?;
    }
    Ok(())
}
