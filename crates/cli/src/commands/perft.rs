//! `perft`: counts of move and chance sequences, to compare rules between programs.

use std::time::Instant;

use afterstate_core::perft::Perft;
use anyhow::{Context, anyhow};
use serde::Serialize;

use crate::args::{self, display_name, read_text};
use crate::output::{Output, grouped, number};

#[derive(Serialize)]
struct Report<'a> {
    game: &'a str,
    state: &'a str,
    depth: u32,
    sequences: u64,
    dead_ends: u64,
    last_rewards: f64,
    seconds: f64,
}

pub(crate) fn run(args: &args::Perft, out: &mut Output) -> anyhow::Result<()> {
    let (engine, game) = (afterstate_engine::open(&args.game), args.game.to_string());
    let session = match &args.board {
        Some(path) => {
            let text = read_text(path).map_err(|error| anyhow!(error))?;
            engine.session(args.seed, Some(&text)).with_context(|| display_name(path).to_owned())?
        }
        None => engine.session(args.seed, None)?,
    };
    let state = session.glance().state;
    if !out.json() {
        out.line(format!("{game} from"))?;
        out.line(state.replace('|', "\n"))?;
        out.line(format!(
            "{:>5}{:>20}{:>16}{:>22}",
            "depth", "sequences", "dead ends", "last rewards"
        ))?;
    }
    for depth in 1..=args.depth {
        let clock = Instant::now();
        let Perft { sequences, dead_ends, last_rewards } = engine.perft(&state, depth)?;
        let seconds = clock.elapsed().as_secs_f64();
        let (game, state) = (&*game, &*state);
        let report = Report { game, state, depth, sequences, dead_ends, last_rewards, seconds };
        out.object_or_line(&report, || {
            let (sequences, dead) = (grouped(sequences), grouped(dead_ends));
            let rewards = number(last_rewards);
            format!("{depth:>5}{sequences:>20}{dead:>16}{rewards:>22}")
        })?;
        out.flush()?;
    }
    Ok(())
}
