//! Agents: those that can play by some rules, found by name and loaded once.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};
use std::{fs, iter};

use afterstate_agents::agent::{AGENTS, EXTENSION};
use afterstate_agents::controllers::CONTROLLERS;
use afterstate_agents::embedded::{self, EMBEDDED};
use afterstate_agents::{Agent, LoadedAgent};
use afterstate_games::spec::GameSpec;
use afterstate_search::{Algorithm, Depth, Search};
use afterstate_train::run::Folder;
use afterstate_values::GreedyRule;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};

use crate::Settings;
use crate::app::Shared;
use crate::body::Params;
use crate::error::ApiError;
use crate::limits::{MAX_COMPUTE_TIME, MAX_LOADED, MAX_PLIES, MAX_TEXT};
use crate::lru_store::lock;

/// All agents, and those that are loaded, the newest first.
pub(crate) struct Agents {
    runs: PathBuf,
    solved: PathBuf,
    loaded: Mutex<Vec<(Key, LoadedAgent)>>,
}

/// Id, rules and time of modification: a file that has changed is another agent.
type Key = (String, String, Option<SystemTime>);

/// An agent in the list.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AgentEntry {
    id: String,
    about: String,
    /// The mean score in its file.
    mean: Option<f64>,
    /// Whether a search can use its values.
    searchable: bool,
    #[serde(skip)]
    agent: Agent,
}

impl Agents {
    pub(crate) fn new(settings: &Settings) -> Agents {
        let (runs, solved) = (settings.runs.clone(), settings.solved.clone());
        Agents { runs, solved, loaded: Mutex::new(Vec::new()) }
    }

    /// Every agent that can play by some rules, trained ones first.
    pub(crate) fn all(&self, rules: &GameSpec) -> Vec<AgentEntry> {
        let trained = self.trained().filter_map(|(id, agent)| trained_entry(id, agent, rules));
        trained.chain(named(rules)).collect()
    }

    /// Every trained agent of every game by id. Folders are read after the embedded agents, if at
    /// all; files are not read.
    fn trained(&self) -> impl Iterator<Item = (String, Agent)> {
        let embedded = EMBEDDED.iter().map(|agent| (agent.name.to_owned(), Agent::Embedded(agent)));
        let files = move || {
            let runs = Folder::all(&self.runs).unwrap_or_default().into_iter().map(|path| {
                let agent = Agent::File(path.join(format!("agent.{EXTENSION}")));
                (format!("runs/{}", file_name(&path)), agent)
            });
            let shipped = agent_files(Path::new(AGENTS)).into_iter();
            let shipped = shipped.filter(|path| embedded::find(&file_stem(path)).is_none());
            let shipped = shipped.map(|path| (file_stem(&path), Agent::File(path)));
            runs.chain(shipped).chain(solved(&self.solved))
        };
        embedded.chain(iter::once_with(files).flatten())
    }

    /// The agent with an id, loaded for some rules.
    pub(crate) fn agent(&self, id: &str, rules: &str) -> Result<LoadedAgent, ApiError> {
        let spec = parse_game(rules)?;
        let trained = || {
            let mut found = self.trained().filter(|(trained, _)| trained == id);
            found.find_map(|(id, agent)| trained_entry(id, agent, &spec))
        };
        let found = named(&spec).into_iter().find(|entry| entry.id == id).or_else(trained);
        let agent = match found {
            Some(entry) => entry.agent,
            // Weights as text name no file.
            None if id.starts_with("linear:") && id.len() <= MAX_TEXT => {
                id.parse().map_err(ApiError::bad_request)?
            }
            None => return Err(ApiError::not_found("agent", id)),
        };
        self.load(id, &agent, &spec)
    }

    /// The exact solution of some rules, if the folder of solved games has it.
    pub(crate) fn solved(&self, rules: &str) -> Result<Option<LoadedAgent>, ApiError> {
        let spec = parse_game(rules)?;
        let mut found =
            solved(&self.solved).filter_map(|(id, agent)| trained_entry(id, agent, &spec));
        found.next().map(|entry| self.load(&entry.id, &entry.agent, &spec)).transpose()
    }

    fn load(&self, id: &str, agent: &Agent, rules: &GameSpec) -> Result<LoadedAgent, ApiError> {
        let modified = match agent {
            Agent::File(path) => fs::metadata(path).and_then(|data| data.modified()).ok(),
            _ => None,
        };
        let key = (id.to_owned(), rules.to_string(), modified);
        if let Some((_, agent)) = lock(&self.loaded).iter().find(|(loaded, _)| *loaded == key) {
            return Ok(agent.clone());
        }
        let agent = afterstate_engine::open(rules).load(agent).map_err(ApiError::bad_request)?;
        let mut loaded = lock(&self.loaded);
        loaded.retain(|(old, _)| (&old.0, &old.1) != (&key.0, &key.1));
        loaded.insert(0, (key, agent.clone()));
        loaded.truncate(MAX_LOADED);
        Ok(agent)
    }
}

/// The agents that have no file.
fn named(rules: &GameSpec) -> Vec<AgentEntry> {
    let mut all = Vec::new();
    let game = afterstate_engine::open(rules).game();
    if game == "tetris" {
        let published = CONTROLLERS.iter();
        all.extend(published.map(|one| entry(one.name, one.source, Agent::Published(one))));
    }
    if game == "1010" {
        let rules = GreedyRule::ALL.into_iter();
        all.extend(rules.map(|(name, rule)| {
            entry(name, "a greedy rule of Tang 2019", Agent::Rule(name, rule))
        }));
    }
    all.push(entry("greedy", "the largest immediate reward", Agent::Greedy));
    all.push(entry("random", "every legal move equally likely", Agent::Random));
    all
}

fn entry(id: &str, about: &str, agent: Agent) -> AgentEntry {
    let searchable = agent.searchable().unwrap_or(false);
    AgentEntry { id: id.to_owned(), about: about.to_owned(), mean: None, searchable, agent }
}

/// A trained agent, if it can play by these rules.
fn trained_entry(id: String, agent: Agent, rules: &GameSpec) -> Option<AgentEntry> {
    let engine = afterstate_engine::open(rules);
    let info = agent.info().ok()??;
    let same_game = info.game.split(':').next() == Some(engine.game());
    let other_rules = same_game && info.kind().is_some_and(|kind| kind.any_rules);
    let same_rules =
        info.game == engine.rules() || engine.same_afterstates().as_ref() == Some(&info.game);
    if !same_rules && !other_rules {
        return None;
    }
    let mut about = format!("{}, {}", info.game, info.describe());
    if let Some(trained) = &info.trained {
        about += &format!(", trained on {} games", trained.episodes);
    }
    let searchable = info.kind().is_some_and(|kind| kind.searchable);
    let mean = info.strength.filter(|_| same_rules).map(|strength| strength.mean);
    Some(AgentEntry { id, about, mean, searchable, agent })
}

fn solved(folder: &Path) -> impl Iterator<Item = (String, Agent)> {
    let named = |path: PathBuf| (format!("solved/{}", file_stem(&path)), Agent::File(path));
    agent_files(folder).into_iter().map(named)
}

fn agent_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
    paths.sort();
    paths
}

pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn file_stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// Parses the rules in a request.
pub(crate) fn parse_game(text: &str) -> Result<GameSpec, ApiError> {
    let bytes = text.len();
    if bytes > MAX_TEXT {
        let error = format!("rules of {bytes} bytes are too long: at most {MAX_TEXT}");
        return Err(ApiError::BadRequest(error));
    }
    text.parse().map_err(ApiError::bad_request)
}

/// Parses the search in a request and limits its time to `think`.
pub(crate) fn parse_search(text: &str, think: Duration) -> Result<Search, ApiError> {
    let mut search: Search = text.parse().map_err(ApiError::bad_request)?;
    let error = match search.depth {
        _ if search.algorithm == Algorithm::ReferenceMinimax => {
            Some("reference-minimax is not available on the page: use minimax".to_owned())
        }
        Depth::Plies(plies) if plies > MAX_PLIES => {
            Some(format!("a search of {plies} plies is too deep: at most {MAX_PLIES}"))
        }
        Depth::Time(time) if time > MAX_COMPUTE_TIME => {
            let (ms, max) = (time.as_millis(), MAX_COMPUTE_TIME.as_millis());
            Some(format!("a search of {ms} ms is too long: at most {max} ms"))
        }
        _ => None,
    };
    search.time_limit = Some(think);
    error.map_or(Ok(search), |error| Err(ApiError::BadRequest(error)))
}

#[derive(Deserialize)]
pub(crate) struct ListParams {
    game: String,
}

/// Lists the agents that can play by some rules.
pub(crate) async fn list(
    State(app): State<Shared>,
    Params(ListParams { game }): Params<ListParams>,
) -> Result<Json<Vec<AgentEntry>>, ApiError> {
    let spec = parse_game(&game)?;
    let shared = app.clone();
    Ok(Json(app.workers.run(move || Ok(shared.agents.all(&spec))).await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_agents_stay_loaded_the_newest_first() {
        let agents = Agents::new(&Settings::default());
        let name = |weight: usize| format!("linear:dt={weight},1,1,1,1,1,1,1,1");
        for weight in 0..20 {
            agents.agent(&name(weight), "tetris:10x10").unwrap();
        }
        let kept: Vec<String> = lock(&agents.loaded).iter().map(|(key, _)| key.0.clone()).collect();
        assert_eq!(kept, (8..20).rev().map(name).collect::<Vec<_>>());
    }
}
