//! `eval`: the mean score of an agent over many games, with its interval.

use std::sync::atomic::AtomicBool;

use afterstate_agents::{Agent, Evaluation, EvaluationReport, EvaluationSettings, NotSearchable};
use afterstate_core::Device;
use afterstate_core::cluster::{ClusterStatus, connected};
use afterstate_games::spec::GameSpec;
use afterstate_search::Search;
use afterstate_train::run::strength;
use afterstate_values::file::save_strength;

use crate::args::Eval;
use crate::output::{Output, Usage, count};
use crate::progress::GamesPlayed;

pub(crate) fn run(args: &Eval, out: &mut Output) -> anyhow::Result<()> {
    let device = if args.cluster.is_some() { Device::Cluster } else { args.device };
    let settings = EvaluationSettings { device, ..args.common.settings(args.games) };
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
    let (search, never) = (&args.search, AtomicBool::new(false));
    let mut observe = |so_far| progress.show(so_far);
    let evaluation = engine.evaluate_observed(&agent, search, &settings, &never, &mut observe);
    drop(progress);
    let evaluation = evaluation?;
    if let Some(path) = file {
        save_strength(path, strength(&args.search, &settings, &evaluation))?;
    }
    print(&game, &agent, &args.search, &settings, &evaluation, out)?;
    print_cluster(device, out)
}

/// Who has played, below a result for people.
pub(crate) fn print_cluster(device: Device, out: &mut Output) -> anyhow::Result<()> {
    if device != Device::Cluster || out.json() {
        return Ok(());
    }
    let ClusterStatus { nodes, workers, tasks, lost, copies, .. } = connected()?.status();
    let (workers, nodes) = (count(workers as u64, "worker"), count(nodes as u64, "node"));
    let (tasks, lost, copies) =
        (count(tasks, "task"), count(lost, "lost task"), count(copies, "copied task"));
    Ok(out.line(format!("  cluster       {workers} of {nodes}, {tasks}, {lost}, {copies}"))?)
}

/// The game that a trained agent plays.
pub(crate) fn game_of(agent: &Agent) -> anyhow::Result<GameSpec> {
    if let Some(rules) = agent.rules()? {
        return Ok(rules);
    }
    let (plays, example) = match agent.plays_any_game() {
        true => ("any game: choose one", "2048"),
        false => ("by any rules of its game: choose them", "tetris:10x10"),
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
    evaluation: &Evaluation,
    out: &mut Output,
) -> anyhow::Result<()> {
    let (agent, search) = (agent.to_string(), search.to_string());
    let report = EvaluationReport::new(game, &agent, &search, settings, evaluation);
    Ok(out.object_or_line(&report, || report.to_string())?)
}
