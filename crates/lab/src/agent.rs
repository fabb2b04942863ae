//! `Agent`: who plays, by name or by file.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

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
