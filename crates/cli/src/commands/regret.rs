//! `solve --compare`: agents beside the exact solution of their game.

use afterstate_agents::LoadedAgent;
use afterstate_core::threads::cores;
use afterstate_engine::Engine;
use afterstate_learn::compare::{CompareSettings, Comparison};
use anyhow::Context;
use serde::Serialize;

use crate::args::Solve;
use crate::output::{Output, count, number};

/// The 97.5% quantile of the normal distribution: intervals are of hundreds of games.
const QUANTILE: f64 = 1.96;

/// The output of `--json`, an object for each agent.
#[derive(Serialize)]
struct Report<'a> {
    agent: &'a str,
    optimum: Option<f64>,
    games: u64,
    seed: u64,
    truncated: u64,
    moves: u64,
    optimal_moves: f64,
    regret_per_game: f64,
    regret_ci95: (f64, f64),
    regret_per_move: f64,
    mean_score: f64,
    value_rms_error: Option<f64>,
    value_bias: Option<f64>,
    value_correlation: Option<f64>,
    value_fitted_rms_error: Option<f64>,
}

/// Compares every agent of the command line; the optimum of the start is known after solving.
pub(super) fn run(
    args: &Solve,
    engine: &dyn Engine,
    solution: &LoadedAgent,
    optimum: Option<f64>,
    out: &mut Output,
) -> anyhow::Result<()> {
    let (games, seed, max_moves) = (args.games, args.seed, args.max_moves);
    let threads = args.threads.unwrap_or_else(cores);
    let settings = CompareSettings { games, seed, max_moves, threads };
    for agent in &args.compare {
        let name = agent.to_string();
        let loaded = engine.load(agent).with_context(|| name.clone())?;
        let found = engine.compare(solution, &loaded, &settings)?;
        let found = found.with_context(|| {
            format!("{} is no exact solution: use a file that solve has saved", solution.name())
        })?;
        print(&name, optimum, &found, seed, out)?;
    }
    Ok(())
}

fn print(
    agent: &str,
    optimum: Option<f64>,
    found: &Comparison,
    seed: u64,
    out: &mut Output,
) -> anyhow::Result<()> {
    let moves = found.moves.max(1) as f64;
    let half = QUANTILE * found.regret_error;
    let report = Report {
        agent,
        optimum,
        games: found.games,
        seed,
        truncated: found.truncated,
        moves: found.moves,
        optimal_moves: found.optimal as f64 / moves,
        regret_per_game: found.regret,
        regret_ci95: (found.regret - half, found.regret + half),
        regret_per_move: found.regret * found.games as f64 / moves,
        mean_score: found.score,
        value_rms_error: found.values.map(|values| values.rms),
        value_bias: found.values.map(|values| values.bias),
        value_correlation: found.values.map(|values| values.correlation),
        value_fitted_rms_error: found.values.map(|values| values.fitted),
    };
    if out.json() {
        return Ok(out.object(&report)?);
    }
    let (games, moves) = (count(found.games, "game"), count(found.moves, "move"));
    out.line(format!("{agent}, {games} ({moves}, seed {seed}):"))?;
    let (regret, half) = (number(found.regret), number(half));
    let each = number(report.regret_per_move);
    let optimal = 100.0 * report.optimal_moves;
    out.line(format!(
        "  regret {regret} ± {half} per game, {each} per move; {optimal:.2}% of moves optimal"
    ))?;
    if let Some(optimum) = optimum.filter(|_| found.truncated == 0) {
        let expected = number(optimum - found.regret);
        out.line(format!("  expected {expected} of {}", number(optimum)))?;
    }
    if found.truncated > 0 {
        let truncated = count(found.truncated, "game");
        out.line(format!("  {truncated} truncated: the regret of a game counts their moves only"))?;
    }
    if let Some(values) = found.values {
        let (rms, bias) = (number(values.rms), number(values.bias));
        let (correlation, fitted) = (values.correlation, number(values.fitted));
        out.line(format!(
            "  values: RMS error {rms}, bias {bias}, correlation {correlation:.5}; after the best linear \
             fit {fitted}"
        ))?;
    }
    Ok(())
}
