//! `random-play`: means of random play, which differ if rules are wrong.

use afterstate_agents::Agent;
use afterstate_agents::random_play::RandomPlay;
use afterstate_games::spec::GameSpec;
use afterstate_search::Search;

use crate::args;
use crate::output::{Output, grouped, rounded};

pub(crate) fn run(args: &args::RandomPlay, out: &mut Output) -> anyhow::Result<()> {
    let specs = match &args.games[..] {
        [] => GameSpec::documented().map(str::parse).collect::<Result<Vec<GameSpec>, _>>()?,
        given => given.to_vec(),
    };
    let settings = args.common.settings(args.count);
    if !out.json() {
        out.line(format!(
            "{} games each, seed {}, mean +- standard error",
            grouped(settings.games),
            settings.seed
        ))?;
        out.line("")?;
        out.line(format!("{:<32}{:>24}{:>24}", "game", "score", "moves"))?;
    }
    for spec in &specs {
        let engine = afterstate_engine::open(spec);
        let evaluation = engine.evaluate(&Agent::Random, &Search::GREEDY, &settings)?;
        let found = RandomPlay::new(spec, &settings, &evaluation);
        out.object_or_line(&found, || {
            let pair =
                |mean, error| format!("{} +- {}", rounded(mean, error), rounded(error, error));
            let score = pair(found.mean_score, found.score_error);
            let moves = pair(found.mean_moves, found.moves_error);
            format!("{:<32}{score:>24}{moves:>24}", found.game)
        })?;
        out.flush()?;
    }
    Ok(())
}
