//! `compare`: two agents on the same games, with the paired difference of their scores.

use afterstate_agents::ComparisonReport;

use super::eval::{check_search, game_of};
use crate::args::Compare;
use crate::output::Output;

pub(crate) fn run(args: &Compare, out: &mut Output) -> anyhow::Result<()> {
    let settings = args.common.settings(args.games);
    let game = match &args.game {
        Some(game) => game.clone(),
        None => game_of(&args.first).or_else(|error| game_of(&args.second).map_err(|_| error))?,
    };
    let engine = afterstate_engine::open(&game);
    let search = args.second_search.as_ref().unwrap_or(&args.search);
    let mut sides = Vec::new();
    for (agent, search) in [(&args.first, &args.search), (&args.second, search)] {
        let agent = engine.resolve(agent);
        check_search(&agent, search)?;
        sides.push((agent, search));
    }
    let mut played = Vec::new();
    for (agent, search) in sides {
        let evaluation = engine.evaluate(&agent, search, &settings)?;
        played.push((agent.to_string(), search.to_string(), evaluation));
    }
    let [first, second] = [&played[0], &played[1]];
    let sides = [first, second].map(|(agent, search, played)| (&**agent, &**search, played));
    let report = ComparisonReport::new(&game, &settings, sides);
    Ok(out.object_or_line(&report, || report.to_string())?)
}
