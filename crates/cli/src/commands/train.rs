//! `train`: a run, from its recipe to an evaluated agent.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use afterstate_agents::Agent;
use afterstate_core::Device;
use afterstate_core::cluster::{ClusterStatus, connected};
use afterstate_core::threads::cores;
use afterstate_engine::catalogue::shown;
use afterstate_search::Search;
use afterstate_train::recipe::Recipe;
use afterstate_train::recipes::{self, BUILT_IN, RecipeNameError};
use afterstate_train::run::{Folder, RunError};
use afterstate_train::{Hardware, Position};
use afterstate_values::memory;
use anyhow::Context;
use serde::Serialize;

use super::eval;
use crate::args::Train;
use crate::output::{Output, Usage, count};
use crate::progress::{Progress, stop_on_interrupt};

pub(crate) fn run(args: &Train, out: &mut Output) -> anyhow::Result<()> {
    let folder = match &args.resume {
        Some(path) => Folder::resume(path)?,
        None => new_run(args)?,
    };
    if args.resume.is_some() && folder.finished()? {
        return already_finished(args, &folder, out);
    }
    let hardware = hardware(args);
    let threads = hardware.threads;
    let stop = stop_on_interrupt()?;
    if !out.json() {
        let thread = if threads == 1 { "thread" } else { "threads" };
        out.line(format!(
            "{} on {}, in {}",
            folder.recipe().rules,
            match hardware.device {
                Device::Cpu => format!("{threads} {thread}"),
                Device::Cuda(_) => args.device.to_string(),
                Device::Cluster => on_cluster()?,
            },
            folder.path().display()
        ))?;
        out.flush()?;
    }
    let mut progress = Progress::new(out);
    let engine = afterstate_engine::open(&folder.recipe().rules);
    let trained = engine.train(&folder, hardware, &stop, &mut progress);
    let outcome = trained.map_err(|error| match error {
        // `main` exits with success if the reader has closed the pipe.
        RunError::Observer(error) => anyhow::Error::from(error),
        error => error.into(),
    })?;
    drop(progress);
    if !outcome.finished {
        let run = folder.path().display();
        if out.json() {
            return print_object(&folder, false, out);
        }
        let cluster = with_cluster(args);
        return Ok(out.line(format!(
            "Stopped and saved. Resume with: afterstate train --resume {run}{cluster}"
        ))?);
    }
    stop.store(true, Ordering::Relaxed);
    if !out.json() {
        let Position { episodes, moves, seconds } = outcome.position;
        let (games, moves) = (count(episodes, "game"), count(moves, "move"));
        out.line(format!("Trained on {games} with {moves} in {seconds:.0} s."))?;
    }
    if !args.keep_checkpoint {
        drop_checkpoint(&folder, out)?;
    }
    if args.eval_games > 0 {
        measure(&folder, args.eval_games, hardware, out)?;
    }
    eval::print_cluster(hardware.device, out)?;
    print_next_steps(args, &folder, out)
}

/// The option by which another command uses the same cluster.
fn with_cluster(args: &Train) -> String {
    args.cluster.as_ref().map(|address| format!(" --cluster {address}")).unwrap_or_default()
}

/// Removes the checkpoint of a finished training if it is large.
fn drop_checkpoint(folder: &Folder, out: &mut Output) -> anyhow::Result<()> {
    let Some(bytes) = folder.drop_large_checkpoint()? else { return Ok(()) };
    if out.json() {
        return Ok(());
    }
    let bytes = memory::show(bytes);
    Ok(out.line(format!(
        "{bytes} of checkpoint removed; --keep-checkpoint keeps it for a longer training."
    ))?)
}

fn device(args: &Train) -> Device {
    if args.cluster.is_some() { Device::Cluster } else { args.device }
}

/// The cluster that plays, in words.
fn on_cluster() -> anyhow::Result<String> {
    let ClusterStatus { nodes, workers, dashboard, .. } = connected()?.status();
    let (workers, nodes) = (count(workers as u64, "worker"), count(nodes as u64, "node"));
    let dashboard = dashboard.map(|url| format!(" ({url})")).unwrap_or_default();
    Ok(format!("{workers} of {nodes}{dashboard}"))
}

fn hardware(args: &Train) -> Hardware {
    Hardware { threads: args.threads.unwrap_or_else(cores), device: device(args) }
}

/// Resumes a finished run: only its evaluation may be missing.
fn already_finished(args: &Train, folder: &Folder, out: &mut Output) -> anyhow::Result<()> {
    if !out.json() {
        let run = folder.path().display();
        let longer = match folder.has_weights()? {
            true => format!("raise the budget in {run}/recipe.toml and resume it"),
            false => "train anew, with --keep-checkpoint and a larger budget".to_owned(),
        };
        out.line(format!("{run} is finished. To train it longer, {longer}."))?;
    }
    if !args.keep_checkpoint {
        drop_checkpoint(folder, out)?;
    }
    match folder.strength() {
        Some(strength) if !out.json() => out.line(format!("\nstrength  {}", shown(&strength)))?,
        // The program may have been stopped before or during the evaluation.
        None if args.eval_games > 0 => measure(folder, args.eval_games, hardware(args), out)?,
        _ => {}
    }
    print_next_steps(args, folder, out)
}

/// Creates a run from a recipe and the changes of its settings.
fn new_run(args: &Train) -> anyhow::Result<Folder> {
    let name = args.recipe.as_deref().unwrap_or_default();
    let (stem, text) = recipes::find(name).map_err(|error| match error {
        RecipeNameError::Unknown(_) => Usage(error.to_string()).into(),
        error => anyhow::Error::from(error),
    })?;
    let mut settings = args.set.clone();
    settings.extend(args.seconds.map(|seconds| format!("budget.seconds={seconds:?}")));
    settings.extend(args.moves.map(|moves| format!("budget.moves={moves}")));
    settings.extend(args.episodes.map(|episodes| format!("budget.episodes={episodes}")));
    settings.extend(args.seed.map(|seed| format!("seed={seed}")));
    settings.extend(args.search.map(|search| format!("network.search={search}")));
    let recipe = Recipe::parse(&text, &settings).with_context(|| format!("recipe {name}"))?;
    Ok(afterstate_engine::new_run(recipe, &stem, device(args), args.out.as_deref())?)
}

/// Evaluates the trained agent, prints the result and writes it to the agent file.
fn measure(
    folder: &Folder,
    games: u64,
    hardware: Hardware,
    out: &mut Output,
) -> anyhow::Result<()> {
    let rules = &folder.recipe().rules;
    let engine = afterstate_engine::open(rules);
    let (settings, evaluation) = engine.measure(folder, games, hardware)?;
    if !out.json() {
        out.line("")?;
    }
    eval::print(rules, &Agent::File(folder.agent()), &Search::GREEDY, &settings, &evaluation, out)
}

#[derive(Serialize)]
struct Trained<'a> {
    run: &'a Path,
    agent: PathBuf,
    bytes: u64,
    finished: bool,
}

/// Prints the result of a run as JSON.
fn print_object(folder: &Folder, finished: bool, out: &mut Output) -> anyhow::Result<()> {
    let (run, agent) = (folder.path(), folder.agent());
    let bytes = fs::metadata(&agent)?.len();
    Ok(out.object(&Trained { run, agent, bytes, finished })?)
}

fn print_next_steps(args: &Train, folder: &Folder, out: &mut Output) -> anyhow::Result<()> {
    if out.json() {
        return print_object(folder, true, out);
    }
    let (run, game) = (folder.path().display(), &folder.recipe().rules);
    let name = folder.name();
    let base = name.rsplit_once('-').map_or(&*name, |(base, _)| base);
    let built_in = |name: &&str| BUILT_IN.iter().any(|recipe| recipe.0 == *name);
    let recipe = [&*name, base].into_iter().find(built_in);
    let recipe = recipe.map_or_else(|| format!("{run}/recipe.toml"), str::to_owned);
    let cluster = with_cluster(args);
    out.line("\nNext:")?;
    for (what, command) in [
        ("watch it play", format!("afterstate play {game} --agent {run}")),
        ("plot the curve", format!("afterstate plot {run}")),
        ("evaluate it", format!("afterstate eval {run} --games 10000{cluster}")),
        ("train longer", format!("afterstate train {recipe} --seconds 600{cluster}")),
    ] {
        out.line(format!("  {what:<15}{command}"))?;
    }
    Ok(())
}
