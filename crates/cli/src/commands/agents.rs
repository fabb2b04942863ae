//! `agents`: the agents by name.

use std::fs;
use std::path::{Path, PathBuf};

use afterstate_agents::agent::{AGENTS, EXTENSION};
use afterstate_agents::controllers::CONTROLLERS;
use afterstate_agents::embedded::{self, EMBEDDED};
use afterstate_games::spec::GameSpec;
use afterstate_train::run::Folder;
use afterstate_values::AgentInfo;
use afterstate_values::file::read_info;
use serde::Serialize;

use super::train::RUNS;
use crate::output::{Output, number, print_error};

#[derive(Serialize)]
struct Listed {
    agent: String,
    game: String,
    about: String,
    /// The mean score in the agent file.
    mean: Option<f64>,
}

pub(crate) fn run(out: &mut Output) -> anyhow::Result<()> {
    let built_in = [
        ("builtin", "any", "the embedded agent of the game"),
        ("random", "any", "a uniformly random legal move"),
        ("greedy", "any", "the largest immediate reward"),
        ("most-lines", "any", "the move that clears the most lines (Tang's algorithm 1)"),
        ("best-survival", "any", "the highest probability that the next piece fits (algorithm 2)"),
        ("lines-or-survival", "any", "one of the two at random for each move (algorithm 3)"),
    ];
    let mut all: Vec<Listed> = built_in.map(|(name, game, about)| listed(name, game, about)).into();
    for known in &CONTROLLERS {
        let about = format!("{}; features {}", known.source, known.set);
        all.push(listed(known.name, "tetris", &about));
    }
    for agent in &EMBEDDED {
        all.push(trained_agent(agent.name, &read_info(agent.source())?, "embedded: "));
    }
    for path in unembedded().into_iter().chain(trained()?) {
        match read_info(&path) {
            Ok(info) => all.push(in_file(&path, &info)),
            // An unreadable file does not hide the others.
            Err(error) => print_error(&error.into()),
        }
    }
    if out.json() {
        return all.iter().try_for_each(|one| Ok(out.object(one)?));
    }
    let widest =
        |of: fn(&Listed) -> &str| all.iter().map(|one| of(one).chars().count()).max().unwrap_or(0);
    let (width, rules) = (widest(|one| &one.agent), widest(|one| &one.game));
    for Listed { agent, game, about, mean } in &all {
        let mean = mean.map_or_else(String::new, |mean| format!("; mean {}", number(mean)));
        out.line(format!("{agent:<width$}  {game:<rules$}  {about}{mean}"))?;
    }
    out.line("")?;
    for game in GameSpec::ALL.iter().filter(|game| !game.feature_sets.is_empty()) {
        out.line(format!(
            "Feature sets of {}, for linear:SET=W,W,... and linear:reward+SET=W,W,...:",
            game.name
        ))?;
        for (set, about) in game.feature_sets {
            out.line(format!("  {set:<14}{about}"))?;
        }
    }
    Ok(())
}

fn listed(agent: &str, game: &str, about: &str) -> Listed {
    Listed { agent: agent.to_owned(), game: game.to_owned(), about: about.to_owned(), mean: None }
}

/// The agents in `agents/` that are not embedded.
fn unembedded() -> Vec<PathBuf> {
    let entries = fs::read_dir(AGENTS).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let embedded = |path: &PathBuf| {
        let name = path.file_stem().map(|name| name.to_string_lossy());
        name.is_some_and(|name| embedded::find(&name).is_some())
    };
    let agent = |path: &PathBuf| path.extension().is_some_and(|end| end == EXTENSION);
    let mut paths: Vec<PathBuf> = paths.filter(|path| agent(path) && !embedded(path)).collect();
    paths.sort();
    paths
}

/// The agents of the runs in `runs/`.
fn trained() -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for run in Folder::all(Path::new(RUNS))? {
        paths.extend(Some(run.join("agent.safetensors")).filter(|path| path.is_file()));
    }
    Ok(paths)
}

/// An agent by the name that selects it: a file in `agents/` by its own, others by their folder.
fn in_file(path: &Path, info: &AgentInfo) -> Listed {
    let folder = path.parent().unwrap_or(Path::new(""));
    let name =
        if folder == Path::new(AGENTS) { path.file_stem() } else { Some(folder.as_os_str()) };
    let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    trained_agent(&name, info, "")
}

fn trained_agent(name: &str, info: &AgentInfo, place: &str) -> Listed {
    Listed {
        agent: name.to_owned(),
        game: info.game.clone(),
        about: format!("{place}{}", info.describe()),
        mean: info.strength.as_ref().map(|strength| strength.mean),
    }
}
