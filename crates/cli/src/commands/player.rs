//! `player`: CS3243's player, which writes the boards of its games for a learner.

use afterstate_lab::exchange::{self, parse_weights};

use crate::args::Player;
use crate::output::{Output, Usage, remark};

pub(crate) fn run(args: &Player, out: &mut Output) -> anyhow::Result<()> {
    let weights = parse_weights(&args.weights).map_err(|error| Usage(error.to_string()))?;
    let mut first = true;
    exchange::play(args.games, &weights, args.seed, args.boards, |trace| {
        let mut text = Vec::new();
        exchange::write(trace, first, &mut text)?;
        first = false;
        out.raw(&text)
    })?;
    if first && args.games > 0 {
        remark(&format!(
            "no game ended within {} boards, so there is nothing to learn from: raise --boards",
            args.boards
        ));
    }
    Ok(())
}
