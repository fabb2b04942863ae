//! `games`: what there is to play, with every option of the rules.

use afterstate_core::Rng;
use afterstate_core::text::one_line;
use afterstate_games::spec::{GameHelp, GameSpec, Spec, Visitor};
use serde::Serialize;

use crate::output::Output;

#[derive(Serialize)]
struct Game {
    game: &'static str,
    summary: &'static str,
    options: Vec<Choice>,
    examples: Vec<Example>,
}

#[derive(Serialize)]
struct Choice {
    usage: &'static str,
    default: &'static str,
    help: &'static str,
}

#[derive(Serialize)]
struct Example {
    game: &'static str,
    about: &'static str,
}

pub(crate) fn run(out: &mut Output) -> anyhow::Result<()> {
    for help in GameSpec::ALL {
        if out.json() {
            out.object(&game(&help))?;
        } else {
            describe(&help, out)?;
        }
    }
    if !out.json() {
        out.line("Rules are written GAME:OPTION,OPTION,... in every command that takes a GAME.")?;
    }
    Ok(())
}

fn game(help: &GameHelp) -> Game {
    let choice = |o: &afterstate_games::spec::OptionHelp| Choice {
        usage: o.usage,
        default: o.default,
        help: o.help,
    };
    let example = |&(game, about): &(&'static str, &'static str)| Example { game, about };
    Game {
        game: help.name,
        summary: help.summary,
        options: help.options.iter().map(choice).collect(),
        examples: help.examples.iter().map(example).collect(),
    }
}

/// The start of a game on one line.
fn drawn_example(help: &GameHelp) -> anyhow::Result<String> {
    struct Start;
    impl Visitor for Start {
        type Output = String;
        fn visit<G: Spec>(self, game: &G) -> String {
            one_line(&game.state_text(&game.start(&mut Rng::stream(1, 0))))
        }
    }
    let small = match help.name {
        "tetris" => "tetris:6x4,next",
        "1010" => "1010:5x5,pieces=19,hand=3",
        name => name,
    };
    Ok(small.parse::<GameSpec>()?.with(Start))
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
    let drawn = drawn_example(help)?;
    out.line(format!("  A state is drawn, or written on one line:  {drawn}"))?;
    out.line("")?;
    for (example, about) in help.examples {
        out.line(format!("  {example:<33}{about}"))?;
    }
    Ok(out.line("")?)
}
