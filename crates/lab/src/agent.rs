//! `Agent`: who plays, by name, by weights or by file.

mod inside;

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use afterstate_core::{Features, Greedy, Policy, RandomPolicy};
use afterstate_games::Aggregation;
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_search::{AfterstateFn, Evaluator, LinearEvaluator, Ranker, Search, Searcher};
use afterstate_values::GreedyRule;
use afterstate_values::file::{self, AgentFileError, AgentInfo, EntriesInfo, Source};
use afterstate_values::{
    AnyNetwork, Linear, LinearError, LinearPolicy, NetworkPolicy, SolvedPolicy, SolvedTable, Table,
};
use afterstate_values::{NetworkEvaluator, SolvedEvaluator};

use crate::controllers::{self, CONTROLLERS, Controller};
use crate::embedded::{self, EMBEDDED, Embedded};

pub use inside::{Explanation, Part};

/// Where agents that come with the program lie, to be called by their names alone.
pub const AGENTS: &str = "agents";

/// The end of the names of agents' files.
pub const EXTENSION: &str = "safetensors";

/// A player.
#[derive(Clone, Debug, PartialEq)]
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
    /// A trained agent in the program.
    Embedded(&'static Embedded),
    /// The agent of the program for whatever game it is; where that cannot play by the rules,
    /// [`Agent::Greedy`].
    Builtin,
}

/// Weights of a set of features: `linear:dt=-2.18,2.42,...`, or with the reward `linear:reward+dt=`.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The name of the set.
    pub set: String,
    /// The weight of the reward, 0 or 1.
    pub reward: f32,
    /// One weight a feature.
    pub weights: Vec<f32>,
}

/// An agent made ready for a game: this is the only place that tells agents apart.
pub enum Loaded<G: Spec> {
    /// Every legal move equally likely.
    Random,
    /// The largest immediate reward.
    Greedy,
    /// A greedy rule.
    Rule(GreedyRule),
    /// The largest weighted_sum sum of features.
    Linear(Linear<G>),
    /// Best play of a solved game.
    Table(SolvedTable),
    /// The best by a learned table.
    Entries(Box<dyn Aggregation<G>>, Table),
    /// The largest reward plus value of a trained network.
    Network(Box<AnyNetwork<G>>),
}

/// An agent that cannot play a game.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Its file is wrong.
    #[error(transparent)]
    File(#[from] AgentFileError),
    /// Its weights are wrong.
    #[error(transparent)]
    Weights(#[from] LinearError),
    /// The game has no such features.
    #[error("met features {set:?}, expected a set of {game}: {}", sets(.known))]
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
    if names.is_empty() { "it has none".to_owned() } else { names.join(", ") }
}

impl Agent {
    /// Makes an agent ready to play by some rules.
    pub fn load<G: Spec>(&self, game: &G) -> Result<Loaded<G>, AgentError> {
        let linear = |set: &str, reward: f32, weights: Vec<f32>| {
            let features = features(game, set)?;
            Ok::<_, AgentError>(Loaded::Linear(Linear::new(set, features, reward, weights)?))
        };
        Ok(match self {
            Agent::Random => Loaded::Random,
            Agent::Greedy => Loaded::Greedy,
            Agent::Rule(_, rule) => Loaded::Rule(*rule),
            Agent::Published(known) => linear(known.set, 0.0, known.weights.to_vec())?,
            Agent::Weights(given) => linear(&given.set, given.reward, given.weights.clone())?,
            Agent::File(path) => load_from(path.into(), game)?,
            Agent::Embedded(agent) => load_from(agent.source(), game)?,
            Agent::Builtin => {
                let embedded = embedded::of_game(G::NAME);
                let loaded = embedded.and_then(|agent| load_from(agent.source(), game).ok());
                loaded.unwrap_or(Loaded::Greedy)
            }
        })
    }

    /// The agent that this one is by some rules: only [`Agent::Builtin`] is another by each.
    #[must_use]
    pub fn by_rules(&self, rules: &GameSpec) -> Agent {
        struct Resolve<'a>(&'a Agent);
        impl Visitor for Resolve<'_> {
            type Output = Agent;
            fn visit<G: Spec>(self, game: &G) -> Agent {
                let embedded = embedded::of_game(G::NAME).map(Agent::Embedded);
                match self.0 {
                    Agent::Builtin => {
                        embedded.filter(|agent| agent.load(game).is_ok()).unwrap_or(Agent::Greedy)
                    }
                    other => other.clone(),
                }
            }
        }
        rules.with(Resolve(self))
    }

    /// What its file says of it, if it has one.
    pub fn info(&self) -> Result<Option<AgentInfo>, AgentFileError> {
        match self {
            Agent::File(path) => file::read_info(path).map(Some),
            Agent::Embedded(agent) => file::read_info(agent.source()).map(Some),
            _ => Ok(None),
        }
    }
}

/// A trained agent from its file.
fn load_from<G: Spec>(source: Source, game: &G) -> Result<Loaded<G>, AgentError> {
    let info = file::read_info(source)?;
    if info.features.is_some() {
        let find = |set: &str| game.features(set);
        return Ok(Loaded::Linear(file::load_linear(source, G::NAME, G::VERSION, find)?.1));
    }
    if info.table.is_some() {
        return Ok(Loaded::Table(file::load_table(source, &game.spec(), G::VERSION)?.1));
    }
    if info.entries.is_some() {
        let mut tabled = None;
        let size = |about: &EntriesInfo| Ok(tabled.insert(game.table(&about.rules())?).size());
        let (_, table) = file::load_entries(source, G::NAME, G::VERSION, size)?;
        return Ok(match tabled {
            Some(tabled) => Loaded::Entries(tabled, table),
            None => Loaded::Greedy,
        });
    }
    let served = game.served_by().filter(|rules| *rules == info.game);
    let expected = served.unwrap_or_else(|| game.spec());
    let (_, network) = file::load(source, game, &expected, G::VERSION)?;
    Ok(Loaded::Network(Box::new(network)))
}

/// A named set of features of a game.
pub fn features<G: Spec>(game: &G, set: &str) -> Result<Box<dyn Features<G>>, AgentError> {
    let unknown = || {
        let set = set.chars().take(80).collect();
        AgentError::Set { set, game: G::NAME, known: G::FEATURE_SETS }
    };
    game.features(set).ok_or_else(unknown)
}

impl<G: Spec> Loaded<G> {
    /// Its weights of features, if that is what it plays by.
    pub fn linear(self) -> Option<Linear<G>> {
        match self {
            Loaded::Linear(linear) => Some(linear),
            _ => None,
        }
    }

    /// A player; each thread has its own.
    pub fn player(&self) -> Box<dyn Policy<G> + '_> {
        match self {
            Loaded::Random => Box::new(RandomPolicy),
            Loaded::Greedy => Box::new(Greedy),
            Loaded::Rule(rule) => Box::new(*rule),
            Loaded::Linear(linear) => Box::new(LinearPolicy::new(linear)),
            Loaded::Entries(tabled, table) => tabled.player(table.entries()),
            Loaded::Table(table) => Box::new(SolvedPolicy::new(table)),
            Loaded::Network(network) => Box::new(NetworkPolicy::new(&**network)),
        }
    }

    /// A player that looks ahead; who plays at random has nothing to look for.
    pub fn searching(&self, search: &Search) -> Box<dyn Policy<G> + '_> {
        match self.searcher(search, 1) {
            Some(searcher) if !search.is_greedy() => searcher,
            _ => self.player(),
        }
    }

    /// A searcher by the agent's values, on so many threads; `None` for who plays at random.
    pub fn searcher(&self, search: &Search, threads: usize) -> Option<Box<dyn Ranker<G> + '_>> {
        fn boxed<'a, G: Spec, J: Evaluator<G> + 'a>(
            evaluator: J,
            search: &Search,
            threads: usize,
        ) -> Option<Box<dyn Ranker<G> + 'a>> {
            Some(Box::new(Searcher::new(evaluator, *search).on_threads(threads)))
        }
        match self {
            Loaded::Random | Loaded::Rule(_) | Loaded::Entries(..) => None,
            Loaded::Greedy => boxed(AfterstateFn(|_: &G, _: &G::After| 0.0), search, threads),
            Loaded::Linear(linear) => {
                let (features, weights) = (linear.features(), linear.weights());
                boxed(LinearEvaluator::new(features, weights, linear.reward()), search, threads)
            }
            Loaded::Table(table) => boxed(SolvedEvaluator(table), search, threads),
            Loaded::Network(network) => match &**network {
                AnyNetwork::Full(network) => boxed(NetworkEvaluator::new(network), search, threads),
                AnyNetwork::Small(network) => {
                    boxed(NetworkEvaluator::new(network), search, threads)
                }
            },
        }
    }
}

/// The text names no agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownAgent {
    /// There is no such agent.
    #[error(
        "unknown agent {name:?}: expected builtin, {}, random, greedy, {}, {}, linear:SET=W,W,..., an agent's file \
         or a run's folder", EMBEDDED.each_ref().map(|agent| agent.name).join(", "),
        GreedyRule::ALL.map(|rule| rule.0).join(", "),
        CONTROLLERS.map(|known| known.name).join(", ")
    )]
    Name {
        /// What was given.
        name: String,
    },
    /// Weights without a set or a set without weights.
    #[error("met {0:?}, expected linear:SET=W,W,... or linear:reward+SET=W,W,...")]
    Form(String),
    /// A weight that is no number.
    #[error("met {met:?} as weight {number}, expected a finite number")]
    Weight {
        /// Which, from 1.
        number: usize,
        /// What stands there.
        met: String,
    },
}

impl FromStr for Agent {
    type Err = UnknownAgent;

    fn from_str(name: &str) -> Result<Agent, UnknownAgent> {
        if let Some(known) = controllers::find(name) {
            return Ok(Agent::Published(known));
        }
        if let Some((name, rule)) = GreedyRule::ALL.into_iter().find(|rule| rule.0 == name) {
            return Ok(Agent::Rule(name, rule));
        }
        if let Some(given) = name.strip_prefix("linear:") {
            return given.parse().map(Agent::Weights);
        }
        match name {
            "random" => Ok(Agent::Random),
            "greedy" => Ok(Agent::Greedy),
            "builtin" => Ok(Agent::Builtin),
            path => {
                let shipped = Path::new(AGENTS).join(format!("{path}.{EXTENSION}"));
                let path = Path::new(path);
                let paths = [path.join("agent.safetensors"), path.to_owned(), shipped];
                let found = paths.into_iter().find(|path| path.is_file()).map(Agent::File);
                let found = found.or_else(|| embedded::find(name).map(Agent::Embedded));
                found.ok_or_else(|| UnknownAgent::Name { name: shortened(name) })
            }
        }
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
            finite.ok_or_else(|| UnknownAgent::Weight { number: i + 1, met: shortened(word) })
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

#[cfg(test)]
mod tests;
