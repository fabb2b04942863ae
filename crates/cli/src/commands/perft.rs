//! `perft`: counts of all sequences, to compare these rules with those of any other program.

use std::time::Instant;

use afterstate_core::{Rng, perft::perft, text::one_line};
use afterstate_games::spec::{Spec, Visitor};
use anyhow::anyhow;
use serde::Serialize;

use crate::args::{self, called, read_text};
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

struct Count<'a> {
    args: &'a args::Perft,
    game: String,
    out: &'a mut Output,
}

pub(crate) fn run(args: &args::Perft, out: &mut Output) -> anyhow::Result<()> {
    args.game.with(Count { args, game: args.game.to_string(), out })
}

impl Visitor for Count<'_> {
    type Output = anyhow::Result<()>;

    fn visit<G: Spec>(self, game: &G) -> anyhow::Result<()> {
        let Count { args, game: name, out } = self;
        let state = match &args.board {
            Some(path) => {
                let text = read_text(path).map_err(|error| anyhow!(error))?;
                game.parse_state(&text).map_err(|error| anyhow!("{}: {error}", called(path)))?
            }
            None => game.start(&mut Rng::stream(args.seed, 0)),
        };
        if !out.json() {
            out.line(format!("{name} from"))?;
            out.line(game.state_text(&state))?;
            out.line(format!(
                "{:>5}{:>20}{:>16}{:>22}",
                "depth", "sequences", "dead ends", "last rewards"
            ))?;
        }
        let drawn = one_line(&game.state_text(&state));
        for depth in 1..=args.depth {
            let clock = Instant::now();
            let count = perft(game, &state, depth);
            let seconds = clock.elapsed().as_secs_f64();
            if out.json() {
                let (sequences, dead_ends) = (count.sequences, count.dead_ends);
                let last_rewards = count.last_rewards;
                let (game, state) = (&name, &drawn);
                out.object(&Report {
                    game,
                    state,
                    depth,
                    sequences,
                    dead_ends,
                    last_rewards,
                    seconds,
                })?;
            } else {
                let (sequences, dead) = (grouped(count.sequences), grouped(count.dead_ends));
                let rewards = number(count.last_rewards);
                out.line(format!("{depth:>5}{sequences:>20}{dead:>16}{rewards:>22}"))?;
            }
            out.flush()?;
        }
        Ok(())
    }
}
