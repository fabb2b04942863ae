//! `Agent`: who plays, by name.

use std::fmt;
use std::str::FromStr;

/// A player that needs no training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// Every legal move equally likely.
    Random,
    /// The largest immediate reward, ties to the first move.
    Greedy,
}

impl Agent {
    /// Every agent, with what it does.
    pub const ALL: [(Agent, &'static str); 2] = [
        (Agent::Random, "every legal move equally likely"),
        (Agent::Greedy, "the largest immediate reward, ties to the first move"),
    ];
}

/// There is no agent of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown agent {0:?}: the agents are random, greedy")]
pub struct UnknownAgent(String);

impl FromStr for Agent {
    type Err = UnknownAgent;

    fn from_str(name: &str) -> Result<Agent, UnknownAgent> {
        let found = Agent::ALL.into_iter().find(|(agent, _)| agent.to_string() == name);
        found.map(|(agent, _)| agent).ok_or_else(|| UnknownAgent(name.chars().take(40).collect()))
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Agent::Random => "random",
            Agent::Greedy => "greedy",
        })
    }
}
