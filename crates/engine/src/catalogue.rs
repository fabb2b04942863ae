//! The agents by name: those in the program, published controllers, files and runs, and what trained
//! each.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use afterstate_agents::Agent;
use afterstate_agents::agent::{AGENTS, EXTENSION};
use afterstate_agents::controllers::{CONTROLLERS, Controller};
use afterstate_agents::embedded::{self, EMBEDDED};
use afterstate_core::numbers::{count, number};
use afterstate_train::run::{Folder, RUNS, RunError};
use afterstate_values::file::read_info;
use afterstate_values::{AgentFileError, AgentInfo, Strength, Trained};
use serde::Serialize;

/// An agent in the list.
#[derive(Clone, Debug, Serialize)]
pub struct ListedAgent {
    /// The name that selects it.
    pub agent: String,
    /// Its rules, its game, or `any`.
    pub game: String,
    /// What it is.
    pub about: String,
    /// The mean score in the agent file.
    pub mean: Option<f64>,
    /// Who trained it, if it was: this program, its authors, or another program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trained_by: Option<&'static str>,
    /// What trained it, if no command of this program did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<String>,
    /// Where the weights of a controller were found, if not in its publication.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<&'static str>,
}

/// What an agent is, what trained it and how strong it is.
#[derive(Clone, Debug, Serialize)]
pub struct AgentCard {
    /// Its entry in the list.
    #[serde(flatten)]
    pub listed: ListedAgent,
    /// How it was trained, if it was.
    pub trained: Option<Trained>,
    /// Its measured strength, if it was measured.
    pub strength: Option<Strength>,
}

/// How this program trained an agent, and the commands that do it again.
fn by_this_program(agent: &str, trained: &Trained) -> String {
    let Trained { recipe, seed, episodes, moves, gpu, quantized } = trained;
    let on = gpu.as_ref().map_or_else(String::new, |gpu| format!(" on one {gpu}"));
    // Agents of older programs do not name the GPU, but their recipes have settings for one.
    let on_gpu = gpu.is_some() || recipe.contains("[network.cuda]");
    let device = if on_gpu { " --device cuda" } else { "" };
    let (games, moves) = (count(*episodes, "game"), count(*moves, "move"));
    let from = started_from(recipe).map_or_else(String::new, |known| {
        let origin = known.origin.map_or_else(String::new, |origin| format!(" ({origin})"));
        format!(", from the weights of {}{origin}", known.name)
    });
    let mut text = format!(
        "by this program{on}{from}, seed {seed}: {games}, {moves}; again: afterstate agents {agent} \
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

/// The controller whose weights a recipe starts from.
fn started_from(recipe: &str) -> Option<&'static Controller> {
    let list = recipe.split_once("start = [")?.1.split_once(']')?.0;
    let numbers = list.split(',').map(str::trim).filter(|number| !number.is_empty());
    let start: Vec<f32> = numbers.map(str::parse).collect::<Result<_, _>>().ok()?;
    CONTROLLERS.iter().find(|known| known.weights == start)
}

/// The agents that belong to no game.
pub const BUILT_IN: [(&str, &str); 6] = [
    ("builtin", "the embedded agent of the game"),
    ("random", "a uniformly random legal move"),
    ("greedy", "the largest immediate reward"),
    ("most-lines", "the move that clears the most lines (Tang's algorithm 1)"),
    ("best-survival", "the highest probability that the next piece fits (algorithm 2)"),
    ("lines-or-survival", "one of the two at random for each move (algorithm 3)"),
];

impl AgentCard {
    /// The card of an agent.
    pub fn of(agent: &Agent) -> Result<AgentCard, AgentFileError> {
        let name = agent.to_string();
        if let Some(info) = agent.info()? {
            let listed = trained_agent(&name, &info, "");
            return Ok(AgentCard { listed, trained: info.trained, strength: info.strength });
        }
        let listed = match agent {
            Agent::Published(known) => published(known),
            Agent::Weights(given) => {
                let about = format!("weights of the features {}, as given", given.set);
                listed(&name, "any", &about)
            }
            _ => {
                let about = BUILT_IN.iter().find(|one| one.0 == name).map_or("", |one| one.1);
                listed(&name, "any", about)
            }
        };
        Ok(AgentCard { listed, trained: None, strength: None })
    }
}

/// The card as text for people.
impl fmt::Display for AgentCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ListedAgent { agent, game, about, trained_by, origin, .. } = &self.listed;
        write!(f, "agent     {agent}\ngame      {game}\nmodel     {about}")?;
        if let Some(trained) = &self.trained {
            let trained = trained.elsewhere().unwrap_or_else(|| by_this_program(agent, trained));
            write!(f, "\ntrained   {}", trained.trim_start_matches("Trained "))?;
        } else if let Some(by) = trained_by {
            write!(f, "\ntrained   by {by}")?;
        }
        if let Some(origin) = origin {
            write!(f, "\norigin    {origin}")?;
        }
        if let Some(strength) = &self.strength {
            write!(f, "\nstrength  {}", shown(strength))?;
        }
        Ok(())
    }
}

/// A measured strength in a line.
pub fn shown(strength: &Strength) -> String {
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

fn published(known: &Controller) -> ListedAgent {
    let about = format!("{}; features {}", known.source, known.set);
    let (trained_by, origin) = (Some(known.by), known.origin);
    ListedAgent { trained_by, origin, ..listed(known.name, "tetris", &about) }
}

/// All agents, and the files that could not be read.
pub fn list() -> Result<(Vec<ListedAgent>, Vec<AgentFileError>), RunError> {
    let mut all: Vec<ListedAgent> = BUILT_IN.map(|(name, about)| listed(name, "any", about)).into();
    all.extend(CONTROLLERS.iter().map(published));
    for agent in EMBEDDED {
        all.push(trained_agent(agent.name, &read_info(agent.source())?, "embedded: "));
    }
    let mut unreadable = Vec::new();
    for path in unembedded().into_iter().chain(trained()?) {
        match read_info(&path) {
            Ok(info) => all.push(in_file(&path, &info)),
            // An unreadable file does not hide the others.
            Err(error) => unreadable.push(error),
        }
    }
    Ok((all, unreadable))
}

fn listed(agent: &str, game: &str, about: &str) -> ListedAgent {
    let (agent, game, about) = (agent.to_owned(), game.to_owned(), about.to_owned());
    ListedAgent { agent, game, about, mean: None, trained_by: None, elsewhere: None, origin: None }
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
fn trained() -> Result<Vec<PathBuf>, RunError> {
    let mut paths = Vec::new();
    for run in Folder::all(Path::new(RUNS))? {
        paths.extend(Some(run.join("agent.safetensors")).filter(|path| path.is_file()));
    }
    Ok(paths)
}

/// An agent by the name that selects it: a file in `agents/` by its own, others by their folder.
fn in_file(path: &Path, info: &AgentInfo) -> ListedAgent {
    let folder = path.parent().unwrap_or(Path::new(""));
    let name =
        if folder == Path::new(AGENTS) { path.file_stem() } else { Some(folder.as_os_str()) };
    let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    trained_agent(&name, info, "")
}

fn trained_agent(name: &str, info: &AgentInfo, place: &str) -> ListedAgent {
    let elsewhere = info.trained.as_ref().and_then(Trained::elsewhere);
    let by = if elsewhere.is_some() { "another program" } else { "this program" };
    ListedAgent {
        mean: info.strength.as_ref().map(|strength| strength.mean),
        trained_by: info.trained.as_ref().map(|_| by),
        elsewhere,
        ..listed(name, &info.game, &format!("{place}{}", info.describe()))
    }
}
