//! `agents`: who can play, by name.

use std::fs;
use std::path::{Path, PathBuf};

use afterstate_games::spec::GameSpec;
use afterstate_lab::agent::{AGENTS, EXTENSION};
use afterstate_lab::controllers::CONTROLLERS;
use afterstate_lab::embedded::{self, EMBEDDED};
use afterstate_lab::run::Folder;
use afterstate_values::AgentInfo;
use afterstate_values::file::read_info;
use serde::Serialize;

use super::train::RUNS;
use crate::output::{Output, complain, number};

#[derive(Serialize)]
struct Listed {
    agent: String,
    game: String,
    about: String,
    /// The mean score that is written in an agent's file.
    mean: Option<f64>,
}

pub(crate) fn run(out: &mut Output) -> anyhow::Result<()> {
    let built_in = [
        ("builtin", "any", "the trained agent of the game that is part of the program"),
        ("random", "any", "every legal move equally likely"),
        ("greedy", "any", "the largest immediate reward"),
        ("most-lines", "any", "the most lines at once (Tang's algorithm 1)"),
        ("best-survival", "any", "the best odds that the next piece fits (algorithm 2)"),
        ("lines-or-survival", "any", "one of the two, by a coin at each move (algorithm 3)"),
    ];
    let mut all: Vec<Listed> = built_in.map(|(name, game, about)| listed(name, game, about)).into();
    for known in &CONTROLLERS {
        let about = format!("{}; features {}", known.source, known.set);
        all.push(listed(known.name, "tetris", &about));
    }
    for agent in &EMBEDDED {
        all.push(trained_agent(agent.name, &read_info(agent.source())?, "part of the program: "));
    }
    for path in shipped().into_iter().chain(trained()?) {
        match read_info(&path) {
            Ok(info) => all.push(in_file(&path, &info)),
            // One that cannot be read does not hide the others.
            Err(error) => complain(&error.into()),
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
            "Features of {}, for linear:SET=W,W,... and linear:reward+SET=:",
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

/// The agents in `agents/` that are not part of the program.
fn shipped() -> Vec<PathBuf> {
    let entries = fs::read_dir(AGENTS).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let own = |path: &PathBuf| {
        let name = path.file_stem().map(|name| name.to_string_lossy());
        name.is_some_and(|name| embedded::find(&name).is_some())
    };
    let agent = |path: &PathBuf| path.extension().is_some_and(|end| end == EXTENSION);
    let mut paths: Vec<PathBuf> = paths.filter(|path| agent(path) && !own(path)).collect();
    paths.sort();
    paths
}

/// The agents of all runs in `runs/` that have one.
fn trained() -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for run in Folder::all(Path::new(RUNS))? {
        paths.extend(Some(run.join("agent.safetensors")).filter(|path| path.is_file()));
    }
    Ok(paths)
}

/// An agent by the name under which it is found: those of `agents/` go by their own.
fn in_file(path: &Path, info: &AgentInfo) -> Listed {
    let folder = path.parent().unwrap_or(Path::new(""));
    let name =
        if folder == Path::new(AGENTS) { path.file_stem() } else { Some(folder.as_os_str()) };
    let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    trained_agent(&name, info, "")
}

fn trained_agent(name: &str, info: &AgentInfo, place: &str) -> Listed {
    let about = match (&info.features, info.tuples.len()) {
        _ if info.table.is_some() => "best play of a solved game".to_owned(),
        (Some(features), _) => format!("weights of the features {}", features.set),
        (None, tuples) => format!("network of {tuples} tuples"),
    };
    Listed {
        agent: name.to_owned(),
        game: info.game.clone(),
        about: format!("{place}{about}"),
        mean: info.strength.as_ref().map(|strength| strength.mean),
    }
}
