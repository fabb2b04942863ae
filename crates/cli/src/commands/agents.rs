//! `agents`: the agents by name, and what trained each.

use std::fs;
use std::path::{Path, PathBuf};

use afterstate_agents::Agent;
use afterstate_agents::agent::{AGENTS, EXTENSION};
use afterstate_agents::controllers::{CONTROLLERS, Controller};
use afterstate_agents::embedded::{self, EMBEDDED};
use afterstate_games::spec::GameSpec;
use afterstate_train::run::Folder;
use afterstate_values::file::read_info;
use afterstate_values::{AgentInfo, Strength, Trained};
use anyhow::bail;
use serde::Serialize;

use super::train::RUNS;
use crate::args::Agents;
use crate::output::{Output, count, number, print_error};

#[derive(Serialize)]
struct Listed {
    agent: String,
    game: String,
    about: String,
    /// The mean score in the agent file.
    mean: Option<f64>,
    /// What trained it, if no command of this program did.
    #[serde(skip_serializing_if = "Option::is_none")]
    elsewhere: Option<String>,
}

/// What an agent is, what trained it and how strong it is.
#[derive(Serialize)]
struct Card {
    #[serde(flatten)]
    listed: Listed,
    trained: Option<Trained>,
    strength: Option<Strength>,
}

/// How this program trained an agent, and the commands that do it again.
fn by_this_program(agent: &str, trained: &Trained) -> String {
    let Trained { recipe, seed, episodes, moves, gpu, quantized } = trained;
    let on = gpu.as_ref().map_or_else(String::new, |gpu| format!(" on one {gpu}"));
    // Agents of older programs do not name the GPU, but their recipes have settings for one.
    let on_gpu = gpu.is_some() || recipe.contains("[network.cuda]");
    let device = if on_gpu { " --device cuda" } else { "" };
    let (games, moves) = (count(*episodes, "game"), count(*moves, "move"));
    let mut text = format!(
        "by this program{on}, seed {seed}: {games}, {moves}; again: afterstate agents {agent} \
         --recipe > again.toml, then afterstate train again.toml{device}"
    );
    if !quantized.is_empty() {
        text += " --out again";
    }
    let mut from = "again".to_owned();
    for (number, options) in (1..).zip(quantized) {
        let to = format!("again-{number}.safetensors");
        text += format!(", then afterstate quantize {from} {to} {options}").trim_end();
        from = to;
    }
    text
}

/// The agents that belong to no game.
pub(crate) const BUILT_IN: [(&str, &str); 6] = [
    ("builtin", "the embedded agent of the game"),
    ("random", "a uniformly random legal move"),
    ("greedy", "the largest immediate reward"),
    ("most-lines", "the move that clears the most lines (Tang's algorithm 1)"),
    ("best-survival", "the highest probability that the next piece fits (algorithm 2)"),
    ("lines-or-survival", "one of the two at random for each move (algorithm 3)"),
];

pub(crate) fn run(args: &Agents, out: &mut Output) -> anyhow::Result<()> {
    match &args.agent {
        Some(agent) => {
            let card = Card::of(agent)?;
            if args.recipe { card.print_recipe(out) } else { card.print(out) }
        }
        None => list(out),
    }
}

impl Card {
    fn of(agent: &Agent) -> anyhow::Result<Card> {
        let name = agent.to_string();
        if let Some(info) = agent.info()? {
            let listed = trained_agent(&name, &info, "");
            return Ok(Card { listed, trained: info.trained, strength: info.strength });
        }
        Ok(Card::untrained(match agent {
            Agent::Published(known) => published(known),
            Agent::Weights(given) => {
                let about = format!("weights of the features {}, as given", given.set);
                listed(&name, "any", &about)
            }
            _ => {
                let about = BUILT_IN.iter().find(|one| one.0 == name).map_or("", |one| one.1);
                listed(&name, "any", about)
            }
        }))
    }

    fn untrained(listed: Listed) -> Card {
        Card { listed, trained: None, strength: None }
    }

    fn print(&self, out: &mut Output) -> anyhow::Result<()> {
        if out.json() {
            return Ok(out.object(self)?);
        }
        let Listed { agent, game, about, .. } = &self.listed;
        out.line(format!("agent     {agent}\ngame      {game}\nmodel     {about}"))?;
        if let Some(trained) = &self.trained {
            let trained = trained.elsewhere().unwrap_or_else(|| by_this_program(agent, trained));
            out.line(format!("trained   {}", trained.trim_start_matches("Trained ")))?;
        }
        if let Some(strength) = &self.strength {
            out.line(format!("strength  {}", shown(strength)))?;
        }
        Ok(())
    }

    fn print_recipe(&self, out: &mut Output) -> anyhow::Result<()> {
        match &self.trained {
            Some(trained) if trained.elsewhere().is_none() => {
                Ok(out.line(trained.recipe.trim_end())?)
            }
            Some(_) => bail!("{} has no recipe: it was trained elsewhere", self.listed.agent),
            None => bail!("{} has no recipe: it was not trained", self.listed.agent),
        }
    }
}

/// A measured strength in a line.
pub(crate) fn shown(strength: &Strength) -> String {
    let Strength { games, seed, mean, ci95, median, max, search, .. } = strength;
    let interval = ci95.map_or_else(String::new, |(low, high)| {
        format!(" ({} to {}, 95%)", number(low), number(high))
    });
    let [mean, median, max] = [*mean, *median, *max].map(number);
    let games = count(*games, "game");
    format!(
        "mean {mean}{interval}, median {median}, best {max}; {games}, seed {seed}, search {search}"
    )
}

fn published(known: &Controller) -> Listed {
    listed(known.name, "tetris", &format!("{}; features {}", known.source, known.set))
}

fn list(out: &mut Output) -> anyhow::Result<()> {
    let mut all: Vec<Listed> = BUILT_IN.map(|(name, about)| listed(name, "any", about)).into();
    all.extend(CONTROLLERS.iter().map(published));
    for agent in EMBEDDED {
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
    for Listed { agent, game, about, mean, elsewhere } in &all {
        let mean = mean.map_or_else(String::new, |mean| format!("; mean {}", number(mean)));
        let elsewhere = if elsewhere.is_some() { "; trained elsewhere" } else { "" };
        out.line(format!("{agent:<width$}  {game:<rules$}  {about}{mean}{elsewhere}"))?;
    }
    out.line("\nWhat trained one of them: afterstate agents NAME\n")?;
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
    let (agent, game, about) = (agent.to_owned(), game.to_owned(), about.to_owned());
    Listed { agent, game, about, mean: None, elsewhere: None }
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
        elsewhere: info.trained.as_ref().and_then(Trained::elsewhere),
    }
}
