//! `compare`: two agents on the same games, with the paired difference of their scores.

use afterstate_agents::statistics::Paired;
use afterstate_agents::{Agent, Evaluation};
use afterstate_search::Search;
use serde::Serialize;

use super::eval::{check_search, game_of};
use crate::args::Compare;
use crate::output::{Output, count, number, rounded};

/// The output of `--json`.
#[derive(Serialize)]
struct Report {
    game: String,
    rules_version: u32,
    unit: &'static str,
    games: u64,
    seed: u64,
    agents: [Side; 2],
    #[serde(flatten)]
    paired: Option<Paired>,
}

/// One of both agents.
#[derive(Serialize)]
struct Side {
    agent: String,
    search: String,
    mean: f64,
    ci95: Option<(f64, f64)>,
    truncated: u64,
    moves_per_second: f64,
}

impl Side {
    fn new(agent: &Agent, search: &Search, evaluation: &Evaluation) -> Side {
        let Evaluation { score, moves, seconds, truncated, .. } = evaluation;
        Side {
            agent: agent.to_string(),
            search: search.to_string(),
            mean: score.mean,
            ci95: score.ci95,
            truncated: *truncated,
            moves_per_second: *moves as f64 / seconds,
        }
    }

    fn name(&self) -> String {
        if self.search == "greedy" {
            return self.agent.clone();
        }
        format!("{} with {}", self.agent, self.search)
    }
}

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
        played.push((Side::new(&agent, search, &evaluation), evaluation.scores));
    }
    let Ok([(first, first_scores), (second, second_scores)]) = <[_; 2]>::try_from(played) else {
        return Ok(());
    };
    let report = Report {
        game: game.to_string(),
        rules_version: game.version(),
        unit: game.unit(),
        games: args.games,
        seed: settings.seed,
        agents: [first, second],
        paired: Paired::of(&first_scores, &second_scores),
    };
    if out.json() { Ok(out.object(&report)?) } else { print(&report, out) }
}

fn print(report: &Report, out: &mut Output) -> anyhow::Result<()> {
    let Report { game, unit, seed, agents, .. } = report;
    let games = count(report.games, "game");
    out.line(format!("{game}, the same {games} by both, seed {seed}\n"))?;
    let width = agents.iter().map(|side| side.name().chars().count()).max().unwrap_or(0);
    for side in agents {
        let mean = with_interval(side.mean, side.ci95);
        out.line(format!("  {:<width$}  {mean} {unit} per game", side.name()))?;
        if side.truncated > 0 {
            let note = "truncated at the move limit; the score so far is counted";
            out.line(format!("  {:<width$}  {} {note}", "", count(side.truncated, "game")))?;
        }
    }
    let Some(Paired { difference, ci95, p, wins }) = report.paired else { return Ok(()) };
    let chance = match p {
        Some(p) if p < 0.0001 => ", p < 0.0001".to_owned(),
        Some(p) => format!(", p = {p:.4}"),
        None => String::new(),
    };
    out.line(format!(
        "\n  {:<width$}  {} {unit}{chance} (paired t-test)",
        "difference",
        with_interval(difference, ci95)
    ))?;
    let second = agents[1].name();
    out.line(format!("  {:<width$}  {second} scores more in {:.1}%", "games", 100.0 * wins))?;
    let verdict = match ci95 {
        Some((low, _)) if low > 0.0 => format!("{second} is better."),
        Some((_, high)) if high < 0.0 => format!("{} is better.", agents[0].name()),
        _ => "Neither is shown to be better: play more games.".to_owned(),
    };
    Ok(out.line(format!("\n{verdict}"))?)
}

fn with_interval(mean: f64, ci95: Option<(f64, f64)>) -> String {
    let Some((low, high)) = ci95 else { return number(mean) };
    let [mean, low, high] = [mean, low, high].map(|value| rounded(value, high - low));
    format!("{mean} ({low} to {high}, 95%)")
}
