//! Agents: who can play by some rules, looked up by name and made ready once.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_games::tetris::Tetris;
use afterstate_lab::Agent;
use afterstate_lab::agent::{AGENTS, EXTENSION};
use afterstate_lab::controllers::CONTROLLERS;
use afterstate_lab::embedded::{self, EMBEDDED};
use afterstate_lab::run::Folder;
use afterstate_lab::sitting::LoadedAgent;
use afterstate_search::{Algorithm, Depth, Search};
use afterstate_values::GreedyRule;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};

use crate::Settings;
use crate::app::Shared;
use crate::body::Asked;
use crate::failure::Failure;
use crate::limits::{LONGEST_TURN, LONGEST_WORD, MAX_PLIES};

/// How many agents stay ready.
const READY: usize = 12;

/// Who can play, and who is ready.
pub(crate) struct Agents {
    runs: PathBuf,
    solved: PathBuf,
    ready: Mutex<Vec<(Key, LoadedAgent)>>,
}

/// An agent for some rules; a file that was written since is another agent.
type Key = (String, String, Option<SystemTime>);

/// An agent in the list.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Listed {
    id: String,
    about: String,
    /// The mean score that its file tells.
    mean: Option<f64>,
    #[serde(skip)]
    agent: Agent,
}

impl Agents {
    pub(crate) fn new(settings: &Settings) -> Agents {
        let (runs, solved) = (settings.runs.clone(), settings.solved.clone());
        Agents { runs, solved, ready: Mutex::new(Vec::new()) }
    }

    /// Everybody who can play by some rules, the strongest kind first.
    pub(crate) fn all(&self, rules: &GameSpec) -> Vec<Listed> {
        let trained = self.trained().filter_map(|(id, agent)| trained_agent(id, agent, rules));
        trained.chain(named(rules)).collect()
    }

    /// Everybody who has learned something, whatever the game: no file is read yet.
    fn trained(&self) -> impl Iterator<Item = (String, Agent)> {
        let own = EMBEDDED.iter().map(|own| (own.name.to_owned(), Agent::Embedded(own)));
        let runs = || {
            Folder::all(&self.runs).unwrap_or_default().into_iter().map(|path| {
                let agent = Agent::File(path.join(format!("agent.{EXTENSION}")));
                (format!("runs/{}", name(&path)), agent)
            })
        };
        let files = || {
            let paths = files(Path::new(AGENTS)).into_iter();
            let paths = paths.filter(|path| embedded::find(&stem(path)).is_none());
            paths.map(|path| (stem(&path), Agent::File(path)))
        };
        let later = [()].into_iter();
        own.chain(later.flat_map(move |()| runs().chain(files()).chain(solved(&self.solved))))
    }

    /// The agent with an id, made ready for some rules.
    pub(crate) fn agent(&self, id: &str, rules: &str) -> Result<LoadedAgent, Failure> {
        let spec = parse_game(rules)?;
        let trained = |wanted: &(String, Agent)| wanted.0 == id;
        let found = match named(&spec).into_iter().find(|listed| listed.id == id) {
            Some(listed) => Some(listed),
            None => self
                .trained()
                .filter(trained)
                .find_map(|(id, agent)| trained_agent(id, agent, &spec)),
        };
        let agent = match found {
            Some(listed) => listed.agent,
            // Weights as text are no file.
            None if id.starts_with("linear:") && id.len() <= LONGEST_WORD => {
                id.parse().map_err(Failure::wrong)?
            }
            None => return Err(Failure::unknown("agent", id)),
        };
        self.ready(id, &agent, &spec)
    }

    /// What the exact solution of some rules says, if it was saved.
    pub(crate) fn solved(&self, rules: &str) -> Result<Option<LoadedAgent>, Failure> {
        let spec = parse_game(rules)?;
        let solved = solved(&self.solved);
        let mut found = solved.filter_map(|(id, agent)| trained_agent(id, agent, &spec));
        found.next().map(|listed| self.ready(&listed.id, &listed.agent, &spec)).transpose()
    }

    fn ready(&self, id: &str, agent: &Agent, rules: &GameSpec) -> Result<LoadedAgent, Failure> {
        let written = match agent {
            Agent::File(path) => fs::metadata(path).and_then(|data| data.modified()).ok(),
            _ => None,
        };
        let key = (id.to_owned(), rules.to_string(), written);
        let lock = || self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, agent)) = lock().iter().find(|(ready, _)| *ready == key) {
            return Ok(agent.clone());
        }
        let agent = LoadedAgent::load(agent, rules).map_err(Failure::wrong)?;
        let mut ready = lock();
        ready.retain(|(old, _)| (&old.0, &old.1) != (&key.0, &key.1));
        ready.insert(0, (key, agent.clone()));
        ready.truncate(READY);
        Ok(agent)
    }
}

/// The word before the colon of rules.
struct Name;

impl Visitor for Name {
    type Output = &'static str;
    fn visit<G: Spec>(self, _: &G) -> &'static str {
        G::NAME
    }
}

/// Everybody who is known by name alone.
fn named(rules: &GameSpec) -> Vec<Listed> {
    let mut all = Vec::new();
    if rules.with(Name) == Tetris::NAME {
        let published = CONTROLLERS.iter();
        all.extend(published.map(|one| listed(one.name, one.source, Agent::Published(one))));
    }
    for (name, rule) in GreedyRule::ALL {
        all.push(listed(name, "a greedy rule of Tang 2019", Agent::Rule(name, rule)));
    }
    all.push(listed("greedy", "the largest immediate reward", Agent::Greedy));
    all.push(listed("random", "every legal move equally likely", Agent::Random));
    all
}

fn listed(id: &str, about: &str, agent: Agent) -> Listed {
    Listed { id: id.to_owned(), about: about.to_owned(), mean: None, agent }
}

/// A trained agent, if it can play by these rules.
fn trained_agent(id: String, agent: Agent, rules: &GameSpec) -> Option<Listed> {
    struct Other;
    impl Visitor for Other {
        type Output = Option<String>;
        fn visit<G: Spec>(self, game: &G) -> Option<String> {
            game.served_by()
        }
    }
    let info = agent.info().ok()??;
    let same_game = info.game.split(':').next() == Some(rules.with(Name));
    // Weights of features and contour tables play other rules of their game, too.
    let wide = (info.features.is_some() || info.entries.is_some()) && same_game;
    let own = info.game == rules.to_string() || rules.with(Other).is_some_and(|o| o == info.game);
    if !wide && !own {
        return None;
    }
    let trained = info.trained.map(|trained| format!("trained on {} games", trained.episodes));
    let about = [Some(info.game), trained].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let mean = info.strength.filter(|_| own).map(|strength| strength.mean);
    Some(Listed { id, about, mean, agent })
}

fn solved(folder: &Path) -> impl Iterator<Item = (String, Agent)> {
    let named = |path: PathBuf| (format!("solved/{}", stem(&path)), Agent::File(path));
    files(folder).into_iter().map(named)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == EXTENSION));
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// The rules that a request names.
pub(crate) fn parse_game(text: &str) -> Result<GameSpec, Failure> {
    if text.len() > LONGEST_WORD {
        return Err(Failure::Wrong(format!(
            "met rules of {} bytes, expected at most {LONGEST_WORD}",
            text.len()
        )));
    }
    text.parse().map_err(Failure::wrong)
}

/// The search that a request names, so that it ends soon.
pub(crate) fn parse_search(text: &str) -> Result<Search, Failure> {
    let mut search: Search = text.parse().map_err(Failure::wrong)?;
    let longest = LONGEST_TURN.as_millis();
    match search.depth {
        _ if search.method == Algorithm::ReferenceMinimax => {
            return Err(Failure::Wrong("met plain-minimax, expected minimax".to_owned()));
        }
        Depth::Plies(plies) if plies > MAX_PLIES => {
            return Err(Failure::Wrong(format!("met {plies} plies, expected at most {MAX_PLIES}")));
        }
        Depth::Time(time) if time > LONGEST_TURN => {
            let met = time.as_millis();
            return Err(Failure::Wrong(format!("met {met}ms, expected at most {longest}ms")));
        }
        _ => {}
    }
    search.within = Some(LONGEST_TURN);
    Ok(search)
}

#[derive(Deserialize)]
pub(crate) struct For {
    game: String,
}

/// Who can play by some rules.
pub(crate) async fn list(
    State(app): State<Shared>,
    Asked(For { game }): Asked<For>,
) -> Result<Json<Vec<Listed>>, Failure> {
    let spec = parse_game(&game)?;
    let on = app.clone();
    Ok(Json(app.work.run(move || Ok(on.agents.all(&spec))).await?))
}
