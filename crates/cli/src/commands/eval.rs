//! `eval`: many games of one agent, as a mean with its interval.

use afterstate_lab::{Evaluation, Plan, evaluate};
use serde::Serialize;

use crate::args::Eval;
use crate::output::{Output, grouped, number};

#[derive(Serialize)]
struct Report<'a> {
    game: &'a str,
    agent: &'a str,
    games: u64,
    seed: u64,
    unit: &'static str,
    mean: f64,
    ci95: Option<(f64, f64)>,
    standard_error: Option<f64>,
    median: f64,
    min: f64,
    max: f64,
    mean_moves: f64,
    moves_ci95: Option<(f64, f64)>,
    cut_off: u64,
    moves: u64,
    seconds: f64,
    moves_per_second: f64,
}

pub(crate) fn run(args: &Eval, out: &mut Output) -> anyhow::Result<()> {
    let plan = Plan { games: args.games, seed: args.common.seed, threads: args.common.threads };
    let evaluation = evaluate(&args.game, args.agent, &plan)?;
    let (game, agent) = (args.game.to_string(), args.agent.to_string());
    let Evaluation { score, length, moves, cut_off, seconds } = evaluation;
    let report = Report {
        game: &game,
        agent: &agent,
        games: plan.games,
        seed: plan.seed,
        unit: args.game.unit(),
        mean: score.mean,
        ci95: score.ci95,
        standard_error: score.standard_error,
        median: score.median,
        min: score.min,
        max: score.max,
        mean_moves: length.mean,
        moves_ci95: length.ci95,
        cut_off,
        moves,
        seconds,
        moves_per_second: moves as f64 / seconds,
    };
    if out.json() { Ok(out.object(&report)?) } else { print(&report, out) }
}

fn print(report: &Report, out: &mut Output) -> anyhow::Result<()> {
    let interval = |ci95: Option<(f64, f64)>| match ci95 {
        Some((low, high)) => format!("{} to {}", number(low), number(high)),
        None => "unknown after one game".to_owned(),
    };
    let games = if report.games == 1 {
        "1 game".to_owned()
    } else {
        format!("{} games", grouped(report.games))
    };
    out.line(format!("{}, agent {}, {games}, seed {}", report.game, report.agent, report.seed))?;
    out.line("")?;
    for (what, value) in [
        ("mean score", format!("{} {}", number(report.mean), report.unit)),
        ("95% interval", interval(report.ci95)),
        ("median", number(report.median)),
        ("best", number(report.max)),
        ("worst", number(report.min)),
        ("mean length", format!("{} moves", number(report.mean_moves))),
        ("95% interval", interval(report.moves_ci95)),
    ] {
        out.line(format!("  {what:<14}{value}"))?;
    }
    if report.cut_off > 0 {
        let note = "games reached the rules' limit on moves instead of an end";
        out.line(format!("  {:<14}{} {note}", "cut off", grouped(report.cut_off)))?;
    }
    let speed = grouped(report.moves_per_second as u64);
    let moves = grouped(report.moves);
    Ok(out.line(format!(
        "  {:<14}{:.2} s for {moves} moves, {speed} moves/s",
        "time", report.seconds
    ))?)
}
