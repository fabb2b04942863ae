//! `Agent`: who plays, by name or by file.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use afterstate_core::policy::Choice;
use afterstate_core::{Greedy, Policy, RandomPolicy, Rng};
use afterstate_games::spec::Spec;
use afterstate_search::{ByAfter, Judge, NetworkJudge, Ranker, Search, Searcher};
use afterstate_values::file::{self, AgentFileError};
use afterstate_values::{AnyNetwork, NetworkPlayer};

/// A player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agent {
    /// Every legal move equally likely.
    Random,
    /// The largest immediate reward, ties to the first move.
    Greedy,
    /// A trained agent in a file.
    File(PathBuf),
}

/// An agent made ready for a game: this is the only place that tells agents apart.
pub enum Loaded<G: Spec> {
    /// Every legal move equally likely.
    Random,
    /// The largest immediate reward.
    Greedy,
    /// The largest reward plus value of a trained network.
    Network(Box<AnyNetwork<G>>),
}

impl Agent {
    /// Makes an agent ready to play by some rules.
    pub fn load<G: Spec>(&self, game: &G) -> Result<Loaded<G>, AgentFileError> {
        Ok(match self {
            Agent::Random => Loaded::Random,
            Agent::Greedy => Loaded::Greedy,
            Agent::File(path) => {
                let (_, network) = file::load(path, game, &game.spec(), G::VERSION)?;
                Loaded::Network(Box::new(network))
            }
        })
    }
}

/// A searcher as a player.
struct Boxed<'a, G: Spec>(Box<dyn Ranker<G> + 'a>);

impl<G: Spec> Policy<G> for Boxed<'_, G> {
    fn choose(&mut self, game: &G, state: &G::State, rng: &mut Rng) -> Option<Choice<G>> {
        self.0.choose(game, state, rng)
    }
}

impl<G: Spec> Loaded<G> {
    /// A player; each thread has its own.
    pub fn player(&self) -> Box<dyn Policy<G> + '_> {
        match self {
            Loaded::Random => Box::new(RandomPolicy),
            Loaded::Greedy => Box::new(Greedy),
            Loaded::Network(network) => Box::new(NetworkPlayer::new(&**network)),
        }
    }

    /// A player that looks ahead; who plays at random has nothing to look for.
    pub fn searching(&self, search: &Search) -> Box<dyn Policy<G> + '_> {
        match self.searcher(search, 1) {
            Some(searcher) if !search.is_greedy() => Box::new(Boxed(searcher)),
            _ => self.player(),
        }
    }

    /// A searcher by the agent's values, on so many threads; `None` for who plays at random.
    pub fn searcher(&self, search: &Search, threads: usize) -> Option<Box<dyn Ranker<G> + '_>> {
        fn boxed<'a, G: Spec, J: Judge<G> + 'a>(
            judge: J,
            search: &Search,
            threads: usize,
        ) -> Option<Box<dyn Ranker<G> + 'a>> {
            Some(Box::new(Searcher::new(judge, *search).on_threads(threads)))
        }
        match self {
            Loaded::Random => None,
            Loaded::Greedy => boxed(ByAfter(|_: &G, _: &G::After| 0.0), search, threads),
            Loaded::Network(network) => match &**network {
                AnyNetwork::Full(network) => boxed(NetworkJudge::new(network), search, threads),
                AnyNetwork::Small(network) => boxed(NetworkJudge::new(network), search, threads),
            },
        }
    }

    /// What the value of a move is made of, by name.
    pub fn parts(&self, game: &G, choice: &Choice<G>) -> Vec<(String, f32)> {
        match self {
            Loaded::Random | Loaded::Greedy => Vec::new(),
            Loaded::Network(network) => {
                let tuples = network.tuples();
                let parts = network.parts(game, &choice.1.after);
                let name = |cells: &Vec<usize>| {
                    let cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
                    format!("tuple {}", cells.join(" "))
                };
                tuples.cells().iter().map(name).zip(parts).collect()
            }
        }
    }
}

/// There is no such agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown agent {0:?}: expected random, greedy, an agent's file or a run's folder")]
pub struct UnknownAgent(String);

impl FromStr for Agent {
    type Err = UnknownAgent;

    fn from_str(name: &str) -> Result<Agent, UnknownAgent> {
        match name {
            "random" => Ok(Agent::Random),
            "greedy" => Ok(Agent::Greedy),
            path => {
                let path = Path::new(path);
                let in_run = path.join("agent.safetensors");
                if in_run.is_file() {
                    Ok(Agent::File(in_run))
                } else if path.is_file() {
                    Ok(Agent::File(path.to_owned()))
                } else {
                    Err(UnknownAgent(name.chars().take(80).collect()))
                }
            }
        }
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Agent::Random => f.write_str("random"),
            Agent::Greedy => f.write_str("greedy"),
            Agent::File(path) => write!(f, "{}", path.display()),
        }
    }
}
