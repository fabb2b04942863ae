//! `Agent`: a player by name, by weights or by file.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use afterstate_core::{Features, Greedy, RandomPolicy};
use afterstate_games::spec::{GameSpec, Spec, SpecError};
use afterstate_values::file::{self, AgentFileError, AgentInfo, Problem};
use afterstate_values::model::{self, Model};
use afterstate_values::{GreedyRule, Linear, LinearError};

use crate::controllers::{self, CONTROLLERS, Controller};
use crate::embedded::{self, EMBEDDED, Embedded};

/// The folder of agents that are found by their names alone.
pub const AGENTS: &str = "agents";

/// The extension of agent files.
pub const EXTENSION: &str = "safetensors";

/// A player.
///
/// ```
/// use afterstate_agents::Agent;
/// use afterstate_core::{Episode, Rng};
/// use afterstate_games::tetris::Tetris;
///
/// let game = Tetris::standard();
/// let agent: Agent = "dellacherie".parse()?; // or a file, a run folder, linear:SET=W,W,...
/// let model = agent.load(&game)?;
/// let mut rng = Rng::stream(1, 0);
/// let episode = Episode::play_up_to(1_000, &game, &mut model.policy(), &mut rng);
/// assert!(episode.score > 390.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Agent {
    /// Every legal move equally likely.
    Random,
    /// The largest immediate reward, ties to the first move.
    Greedy,
    /// One of the greedy rules, by its name.
    Rule(&'static str, GreedyRule),
    /// Published weights of features.
    Published(&'static Controller),
    /// Weights of features, as given.
    Weights(Weights),
    /// A trained agent in a file.
    File(PathBuf),
    /// A trained agent that is part of the program.
    Embedded(&'static Embedded),
    /// The embedded agent of the game; [`Agent::Greedy`] if that cannot play the rules.
    Builtin,
}

/// Weights of a set of features: `linear:dt=-2.18,2.42,...`, or with the reward
/// `linear:reward+dt=`.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The name of the set.
    pub set: String,
    /// The weight of the reward, 0 or 1.
    pub reward: f32,
    /// One weight per feature.
    pub weights: Vec<f32>,
}

/// An agent that cannot play a game.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// Its file is wrong.
    #[error(transparent)]
    File(#[from] AgentFileError),
    /// Its weights are wrong.
    #[error(transparent)]
    Weights(#[from] LinearError),
    /// The game has no such features.
    #[error("{game} has no feature set {set:?}{}", sets(.known))]
    Set {
        /// The name that was given.
        set: String,
        /// The game.
        game: &'static str,
        /// Its sets.
        known: &'static [(&'static str, &'static str)],
    },
}

fn sets(known: &[(&str, &str)]) -> String {
    let names: Vec<&str> = known.iter().map(|set| set.0).collect();
    if names.is_empty() { String::new() } else { format!(": it has {}", names.join(", ")) }
}

impl Agent {
    /// The agent of a name that no file can have, or weights as text; `None` for other names, which may
    /// be those of files.
    pub(crate) fn without_file(name: &str) -> Option<Result<Agent, UnknownAgent>> {
        if let Some(given) = name.strip_prefix("linear:") {
            return Some(given.parse().map(Agent::Weights));
        }
        let rule = || GreedyRule::ALL.into_iter().find(|rule| rule.0 == name);
        let agent = match name {
            "random" => Some(Agent::Random),
            "greedy" => Some(Agent::Greedy),
            "builtin" => Some(Agent::Builtin),
            _ => controllers::find(name)
                .map(Agent::Published)
                .or_else(|| rule().map(|(name, rule)| Agent::Rule(name, rule))),
        };
        agent.map(Ok)
    }

    /// Loads the agent's model for some rules. The weights of a file are copied: it may be overwritten
    /// or truncated meanwhile.
    pub fn load<G: Spec>(&self, game: &G) -> Result<Box<dyn Model<G>>, AgentError> {
        Ok(self.resolve_and_load(game)?.1)
    }

    /// This agent with its model, [`Agent::Builtin`] replaced as by [`Agent::resolve`].
    pub(crate) fn resolve_and_load<G: Spec>(
        &self,
        game: &G,
    ) -> Result<(Agent, Box<dyn Model<G>>), AgentError> {
        let linear = |set: &str, reward: f32, weights: Vec<f32>| {
            let linear = Linear::new(set, features(game, set)?, reward, weights)?;
            Ok::<Box<dyn Model<G>>, AgentError>(Box::new(linear))
        };
        let model: Box<dyn Model<G>> = match self {
            Agent::Random => Box::new(RandomPolicy),
            Agent::Greedy => Box::new(Greedy),
            Agent::Rule(_, rule) => Box::new(*rule),
            Agent::Published(known) => linear(known.set, 0.0, known.weights.to_vec())?,
            Agent::Weights(given) => linear(&given.set, given.reward, given.weights.clone())?,
            Agent::File(path) => model::load_copied(path, game)?.1,
            Agent::Embedded(agent) => model::load(agent.source(), game)?.1,
            Agent::Builtin => return Ok(resolve_builtin(game)),
        };
        Ok((self.clone(), model))
    }

    /// This agent, with [`Agent::Builtin`] replaced by the agent that it stands for under some
    /// rules.
    #[must_use]
    pub fn resolve<G: Spec>(&self, game: &G) -> Agent {
        if *self == Agent::Builtin { resolve_builtin(game).0 } else { self.clone() }
    }

    /// The description in its file, if it has one.
    pub fn info(&self) -> Result<Option<AgentInfo>, AgentFileError> {
        match self {
            Agent::File(path) => file::read_info(path).map(Some),
            Agent::Embedded(agent) => file::read_info(agent.source()).map(Some),
            _ => Ok(None),
        }
    }

    /// The rules that a trained agent plays; `None` if it plays those of a whole game or of any.
    pub fn rules(&self) -> Result<Option<GameSpec>, AgentFileError> {
        let Some(info) = self.info()? else { return Ok(None) };
        let rules = info.game.parse().map_err(|error: SpecError| AgentFileError {
            path: self.to_string().into(),
            problem: Problem::Info(error.to_string()),
        })?;
        Ok(Some(rules))
    }

    /// Whether it plays any game: then no rules are more likely to be meant than others.
    pub fn plays_any_game(&self) -> bool {
        matches!(self, Agent::Random | Agent::Greedy | Agent::Rule(..) | Agent::Builtin)
    }

    /// Whether a search can use the agent's values.
    pub fn searchable(&self) -> Result<bool, AgentFileError> {
        Ok(match self {
            Agent::Random | Agent::Rule(..) => false,
            _ => self.info()?.is_none_or(|info| info.kind().is_some_and(|kind| kind.searchable)),
        })
    }
}

/// The embedded agent of the game if it can play by these rules, otherwise greedy play.
fn resolve_builtin<G: Spec>(game: &G) -> (Agent, Box<dyn Model<G>>) {
    let loaded = embedded::of_game(G::NAME).and_then(|agent| {
        Some((Agent::Embedded(agent), model::load(agent.source(), game).ok()?.1))
    });
    loaded.unwrap_or_else(|| (Agent::Greedy, Box::new(Greedy)))
}

/// A named set of features of a game.
pub fn features<G: Spec>(game: &G, set: &str) -> Result<Box<dyn Features<G>>, AgentError> {
    let unknown = || {
        let set = set.chars().take(80).collect();
        AgentError::Set { set, game: G::NAME, known: G::FEATURE_SETS }
    };
    game.features(set).ok_or_else(unknown)
}

/// A text that names no agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownAgent {
    /// There is no such agent.
    #[error(
        "unknown agent {name:?}: use builtin, {}random, greedy, {}, {}, linear:SET=W,W,..., an \
         agent file or a run folder",
        EMBEDDED.iter().map(|agent| format!("{}, ", agent.name)).collect::<String>(),
        GreedyRule::ALL.map(|rule| rule.0).join(", "),
        CONTROLLERS.map(|known| known.name).join(", ")
    )]
    Name {
        /// The text.
        name: String,
    },
    /// An agent of the project whose file is not part of this build.
    #[error(
        "the agent {name} is not part of this build: give the path of its file, \
         crates/agents/agents/{name}.{EXTENSION} in the project's repository, or train one for the \
         same rules with `{train}`"
    )]
    NotEmbedded {
        /// Its name.
        name: &'static str,
        /// The command that trains one for the same rules.
        train: &'static str,
    },
    /// Weights without a set or a set without weights.
    #[error("{0:?} has no weights: write linear:SET=W,W,... or linear:reward+SET=W,W,...")]
    Form(String),
    /// A weight that is no number.
    #[error("weight {number} is {found:?}, not a finite number")]
    Weight {
        /// Which, from 1.
        number: usize,
        /// The text in its place.
        found: String,
    },
}

impl FromStr for Agent {
    type Err = UnknownAgent;

    fn from_str(name: &str) -> Result<Agent, UnknownAgent> {
        if let Some(agent) = Agent::without_file(name) {
            return agent;
        }
        let shipped = Path::new(AGENTS).join(format!("{name}.{EXTENSION}"));
        let path = Path::new(name);
        let paths = [path.join("agent.safetensors"), path.to_owned(), shipped];
        let found = paths.into_iter().find(|path| path.is_file()).map(Agent::File);
        let found = found.or_else(|| embedded::find(name).map(Agent::Embedded));
        found.ok_or_else(|| match embedded::absent(name) {
            Some((name, train)) => UnknownAgent::NotEmbedded { name, train },
            None => UnknownAgent::Name { name: shortened(name) },
        })
    }
}

impl FromStr for Weights {
    type Err = UnknownAgent;

    fn from_str(text: &str) -> Result<Weights, UnknownAgent> {
        let (named, weights) =
            text.split_once('=').ok_or_else(|| UnknownAgent::Form(shortened(text)))?;
        let set = named.strip_prefix("reward+");
        let weight = |(i, word): (usize, &str)| {
            let finite = word.trim().parse().ok().filter(|weight: &f32| weight.is_finite());
            finite.ok_or_else(|| UnknownAgent::Weight { number: i + 1, found: shortened(word) })
        };
        let weights = weights.split(',').enumerate().map(weight);
        Ok(Weights {
            set: set.unwrap_or(named).to_owned(),
            reward: if set.is_some() { 1.0 } else { 0.0 },
            weights: weights.collect::<Result<_, _>>()?,
        })
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Agent::Random => f.write_str("random"),
            Agent::Greedy => f.write_str("greedy"),
            Agent::Rule(name, _) => f.write_str(name),
            Agent::Published(known) => f.write_str(known.name),
            Agent::Weights(given) => write!(f, "linear:{given}"),
            Agent::File(path) => write!(f, "{}", path.display()),
            Agent::Embedded(agent) => f.write_str(agent.name),
            Agent::Builtin => f.write_str("builtin"),
        }
    }
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weights: Vec<String> = self.weights.iter().map(ToString::to_string).collect();
        let reward = if self.reward == 0.0 { "" } else { "reward+" };
        write!(f, "{reward}{}={}", self.set, weights.join(","))
    }
}
