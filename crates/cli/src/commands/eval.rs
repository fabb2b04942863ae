//! `eval`: the mean score of an agent over many games, with its interval.

use std::collections::BTreeMap;

use afterstate_agents::statistics::{Exposure, Rate};
use afterstate_agents::{Agent, Evaluation, EvaluationSettings, NotSearchable};
use afterstate_games::spec::GameSpec;
use afterstate_search::Search;
use afterstate_train::run::strength;
use afterstate_values::file::save_strength;
use serde::Serialize;

use crate::args::Eval;
use crate::output::{Output, Usage, count, grouped, number, rounded};
use crate::progress::GamesPlayed;

/// The output of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    game: &'a str,
    rules_version: u32,
    agent: &'a str,
    search: String,
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
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    reach: BTreeMap<u64, Rate>,
    truncated: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_the_end: Option<Exposure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves_to_the_end: Option<Exposure>,
    moves: u64,
    seconds: f64,
    moves_per_second: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    joules: Option<f64>,
}

pub(crate) fn run(args: &Eval, out: &mut Output) -> anyhow::Result<()> {
    let settings = EvaluationSettings { device: args.device, ..args.common.settings(args.games) };
    let agent = match (&args.agent, &args.replay) {
        (_, Some(path)) => return super::replay::verify(path, out),
        (Some(agent), None) => agent,
        (None, None) => return Err(Usage("an agent or --replay is required".to_owned()).into()),
    };
    let game = args.game.clone().map_or_else(|| game_of(agent), Ok)?;
    let engine = afterstate_engine::open(&game);
    let agent = engine.resolve(agent);
    check_search(&agent, &args.search)?;
    let file = match (&agent, args.save) {
        (Agent::File(path), true) => Some(path),
        (_, true) => return Err(Usage(format!("--save needs an agent file, not {agent}")).into()),
        (_, false) => None,
    };
    let mut progress = GamesPlayed::new(settings.games, out);
    let evaluation = engine.evaluate_observed(&agent, &args.search, &settings, &mut |so_far| {
        progress.show(so_far);
    });
    drop(progress);
    let evaluation = evaluation?;
    if let Some(path) = file {
        save_strength(path, strength(&args.search, &settings, &evaluation))?;
    }
    print(&game, &agent, &args.search, &settings, evaluation, out)
}

/// The game that a trained agent plays.
pub(crate) fn game_of(agent: &Agent) -> anyhow::Result<GameSpec> {
    if let Some(info) = agent.info()? {
        return Ok(info.game.parse()?);
    }
    let (plays, example) = match agent {
        Agent::Random | Agent::Greedy | Agent::Rule(..) | Agent::Builtin => {
            ("any game: choose one", "2048")
        }
        _ => ("by any rules of its game: choose them", "tetris:10x10"),
    };
    Err(Usage(format!("{agent} plays {plays} with --game, such as --game {example}")).into())
}

/// Refuses a search with an agent that has no values for a search.
pub(crate) fn check_search(agent: &Agent, search: &Search) -> anyhow::Result<()> {
    if search.is_greedy() || agent.searchable()? {
        return Ok(());
    }
    Err(Usage(NotSearchable::new(agent, search).to_string()).into())
}

/// Prints an evaluation, for a person or a program.
pub(crate) fn print(
    game: &GameSpec,
    agent: &Agent,
    search: &Search,
    settings: &EvaluationSettings,
    evaluation: Evaluation,
    out: &mut Output,
) -> anyhow::Result<()> {
    let (game_text, agent_text) = (game.to_string(), agent.to_string());
    let Evaluation { score, length, reach, moves, truncated, seconds, .. } = evaluation;
    let report = Report {
        game: &game_text,
        rules_version: game.version(),
        agent: &agent_text,
        search: search.to_string(),
        games: settings.games,
        seed: settings.seed,
        unit: game.unit(),
        mean: score.mean,
        ci95: score.ci95,
        standard_error: score.standard_error,
        median: score.median,
        min: score.min,
        max: score.max,
        mean_moves: length.mean,
        moves_ci95: length.ci95,
        reach,
        truncated,
        to_the_end: evaluation.to_the_end,
        moves_to_the_end: evaluation.moves_to_the_end,
        moves,
        seconds,
        moves_per_second: moves as f64 / seconds,
        joules: evaluation.joules,
    };
    if out.json() { Ok(out.object(&report)?) } else { table(&report, out) }
}

fn table(report: &Report, out: &mut Output) -> anyhow::Result<()> {
    let interval = |ci95: Option<(f64, f64)>| match ci95 {
        Some((low, high)) => {
            format!("{} to {}", rounded(low, high - low), rounded(high, high - low))
        }
        None => "unknown after one game".to_owned(),
    };
    let mean = |mean: f64, ci95: Option<(f64, f64)>| match ci95 {
        Some((low, high)) => rounded(mean, high - low),
        None => number(mean),
    };
    let games = count(report.games, "game");
    let search = match report.search.as_str() {
        "greedy" => String::new(),
        search => format!(" with {search}"),
    };
    let Report { game, agent, seed, .. } = report;
    out.line(format!("{game}, agent {agent}{search}, {games}, seed {seed}"))?;
    out.line("")?;
    for (what, value) in [
        ("mean score", format!("{} {}", mean(report.mean, report.ci95), report.unit)),
        ("95% interval", interval(report.ci95)),
        ("median", number(report.median)),
        ("best", number(report.max)),
        ("worst", number(report.min)),
        ("mean length", format!("{} moves", mean(report.mean_moves, report.moves_ci95))),
        ("95% interval", interval(report.moves_ci95)),
    ] {
        out.line(format!("  {what:<14}{value}"))?;
    }
    if report.truncated > 0 {
        let note = "games were truncated at the move limit; the score so far is counted";
        out.line(format!("  {:<14}{} {note}", "truncated", grouped(report.truncated)))?;
    }
    if let (Some(score), Some(moves)) = (report.to_the_end, report.moves_to_the_end) {
        let ends = count(report.games - report.truncated, "end");
        out.line(format!("  {:<14}{} ({ends})", "to the end", to_the_end(score, report.unit)))?;
        out.line(format!("  {:<14}{}", "", to_the_end(moves, "moves")))?;
    }
    let speed = grouped(report.moves_per_second as u64);
    let moves = grouped(report.moves);
    let time = format!("{:.2} s for {moves} moves, {speed} moves/s", report.seconds);
    out.line(format!("  {:<14}{time}", "time"))?;
    if let Some(joules) = report.joules {
        let each = number(joules / report.moves as f64 * 1e6);
        let energy = format!("{} J of the GPU, {each} J per million moves", number(joules));
        out.line(format!("  {:<14}{energy}", "energy"))?;
    }
    // Tiles that every game reaches are left out.
    let shown = report.reach.iter().filter(|(_, rate)| rate.rate < 1.0);
    for (number, (tile, rate)) in shown.enumerate() {
        if number == 0 {
            out.line(format!("\n  {:>8}  {:>8}  95% interval", "tile", "reached"))?;
        }
        let (low, high) = (100.0 * rate.ci95.0, 100.0 * rate.ci95.1);
        out.line(format!("  {tile:>8}  {:>7.1}%  {low:.1}% to {high:.1}%", 100.0 * rate.rate))?;
    }
    Ok(())
}

/// The expected score of a game without truncation, from all scores and all ends.
fn to_the_end(exposure: Exposure, unit: &str) -> String {
    match (exposure.mean, exposure.high) {
        (Some(mean), Some(high)) => {
            let width = high - exposure.low;
            let [mean, low, high] = [mean, exposure.low, high].map(|value| rounded(value, width));
            format!("{mean} {unit} per game, 95% interval {low} to {high}")
        }
        _ => format!("more than {} {unit} per game (95%)", number(exposure.low)),
    }
}
