//! `games`: the games and the options of their rules.

use afterstate_games::spec::{GameHelp, GameSpec, OptionHelp};
use serde::Serialize;

use crate::output::Output;

#[derive(Serialize)]
struct Game {
    game: &'static str,
    summary: &'static str,
    options: &'static [OptionHelp],
    examples: Vec<Example>,
}

#[derive(Serialize)]
struct Example {
    game: &'static str,
    about: &'static str,
}

pub(crate) fn run(out: &mut Output) -> anyhow::Result<()> {
    for help in GameSpec::ALL {
        if out.json() { out.object(&game(help))? } else { describe(help, out)? }
    }
    if !out.json() {
        out.line("Every command that takes a GAME accepts GAME:OPTION,OPTION,...")?;
    }
    Ok(())
}

fn game(help: &GameHelp) -> Game {
    let example = |&(game, about): &(&'static str, &'static str)| Example { game, about };
    Game {
        game: help.name,
        summary: help.summary,
        options: help.options,
        examples: help.examples.iter().map(example).collect(),
    }
}

/// A starting state on one line.
fn state_example(help: &GameHelp) -> anyhow::Result<String> {
    let small = match help.name {
        "tetris" => "tetris:6x4,next",
        "1010" => "1010:5x5,pieces=19,hand=3",
        name => name,
    };
    let session = afterstate_engine::open(&small.parse()?).session(1, None)?;
    Ok(session.glance().state)
}

fn describe(help: &GameHelp, out: &mut Output) -> anyhow::Result<()> {
    out.line(help.name)?;
    out.line(format!("  {}", help.summary))?;
    out.line("")?;
    for option in help.options {
        let default = format!("[{}]", option.default);
        out.line(format!("  {:<17}{default:<13}{}", option.usage, option.help))?;
    }
    out.line("")?;
    let state = state_example(help)?;
    out.line(format!("  A state, in rows or on one line:  {state}"))?;
    out.line("")?;
    for (example, about) in help.examples {
        out.line(format!("  {example:<33}{about}"))?;
    }
    Ok(out.line("")?)
}
