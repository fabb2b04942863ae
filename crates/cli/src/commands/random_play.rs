//! `random-play`: the fingerprints by which wrong rules are found.

use afterstate_games::spec::GameSpec;
use afterstate_lab::random_play::random_play;

use crate::args::RandomPlay;
use crate::output::{Output, fine, grouped};

pub(crate) fn run(args: &RandomPlay, out: &mut Output) -> anyhow::Result<()> {
    let specs = match &args.games[..] {
        [] => GameSpec::documented().map(str::parse).collect::<Result<Vec<GameSpec>, _>>()?,
        given => given.to_vec(),
    };
    let plan = args.common.plan(args.count);
    if !out.json() {
        out.line(format!(
            "{} games each, seed {}, mean +- standard error",
            grouped(plan.games),
            plan.seed
        ))?;
        out.line("")?;
        out.line(format!("{:<32}{:>24}{:>24}", "game", "score", "moves"))?;
    }
    for spec in &specs {
        let found = random_play(spec, &plan)?;
        if out.json() {
            out.object(&found)?;
        } else {
            let pair = |mean, error| format!("{} +- {}", fine(mean, error), fine(error, error));
            let score = pair(found.mean_score, found.score_error);
            let moves = pair(found.mean_moves, found.moves_error);
            out.line(format!("{:<32}{score:>24}{moves:>24}", found.game))?;
        }
        out.flush()?;
    }
    Ok(())
}
