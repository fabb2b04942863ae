//! `player`: CS3243's player, which writes the boards of its games for `learner`.

use afterstate_engine::cs3243::{self, parse_weights};

use crate::args::Player;
use crate::output::{Output, Usage, print_note};

pub(crate) fn run(args: &Player, out: &mut Output) -> anyhow::Result<()> {
    let weights = parse_weights(&args.weights).map_err(|error| Usage(error.to_string()))?;
    let mut first = true;
    cs3243::play(args.games, &weights, args.seed, args.boards, |game| {
        let mut text = Vec::new();
        cs3243::write(game, first, &mut text)?;
        first = false;
        out.raw(&text)
    })?;
    if first && args.games > 0 {
        print_note(&format!(
            "no game ended within {} boards, so no game was written: raise --boards",
            args.boards
        ));
    }
    Ok(())
}
