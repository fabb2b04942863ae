//! `Agent`: who plays, by name or by file.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use afterstate_core::{Greedy, Policy, RandomPolicy};
use afterstate_games::spec::Spec;
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

impl<G: Spec> Loaded<G> {
    /// A player; each thread has its own.
    pub fn player(&self) -> Box<dyn Policy<G> + '_> {
        match self {
            Loaded::Random => Box::new(RandomPolicy),
            Loaded::Greedy => Box::new(Greedy),
            Loaded::Network(network) => Box::new(NetworkPlayer::new(&**network)),
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
