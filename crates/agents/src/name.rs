//! `AgentName`: an agent as a recipe names it. What comes from a request can only become a name without a
//! file.

use std::fmt;

use afterstate_games::spec::Spec;
use afterstate_values::model::Model;
use serde::{Deserialize, Serialize};

use crate::agent::{Agent, UnknownAgent};
use crate::{AgentError, embedded};

/// The name of an agent in a recipe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum AgentName {
    /// Whatever the command line names: a file, a run folder or an agent in the program. Files come
    /// first, as on the command line.
    Any(String),
    /// An agent in the program, or weights: no file is looked for.
    InProgram(InProgram),
}

/// An agent in the program, or weights as text, never a file.
#[derive(Clone, Debug, PartialEq)]
pub struct InProgram {
    name: String,
    /// No [`Agent::File`]: only [`InProgram::parse`] makes one.
    agent: Agent,
}

/// A name is not that of an agent in the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotInProgram {
    /// There is none of that name.
    #[error("{0:?} is no agent in the program: use the command line to train from a file")]
    Unknown(String),
    /// They are weights, but wrong ones.
    #[error(transparent)]
    Weights(#[from] UnknownAgent),
}

/// An agent of a recipe cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum NamedError {
    /// There is none of that name.
    #[error(transparent)]
    Unknown(#[from] UnknownAgent),
    /// It does not play the game.
    #[error(transparent)]
    Agent(#[from] AgentError),
}

impl InProgram {
    /// The agent of a name. No file is looked for, not even to see whether it exists.
    pub fn parse(name: &str) -> Result<InProgram, NotInProgram> {
        let without_file = Agent::without_file(name).transpose()?;
        let agent = without_file.or_else(|| embedded::find(name).map(Agent::Embedded));
        let unknown = || NotInProgram::Unknown(name.chars().take(80).collect());
        Ok(InProgram { name: name.to_owned(), agent: agent.ok_or_else(unknown)? })
    }
}

impl AgentName {
    /// The same name, if it is that of an agent in the program; no file is looked for from now on.
    pub fn in_program(&self) -> Result<AgentName, NotInProgram> {
        match self {
            AgentName::Any(name) => InProgram::parse(name).map(AgentName::InProgram),
            AgentName::InProgram(_) => Ok(self.clone()),
        }
    }

    /// Loads the agent's model for some rules.
    pub fn load<G: Spec>(&self, game: &G) -> Result<Box<dyn Model<G>>, NamedError> {
        Ok(match self {
            AgentName::Any(name) => name.parse::<Agent>()?.load(game)?,
            AgentName::InProgram(known) => known.agent.load(game)?,
        })
    }

    /// The text of the name.
    pub fn as_str(&self) -> &str {
        match self {
            AgentName::Any(name) => name,
            AgentName::InProgram(known) => &known.name,
        }
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<String> for AgentName {
    fn from(name: String) -> AgentName {
        AgentName::Any(name)
    }
}

impl From<AgentName> for String {
    fn from(name: AgentName) -> String {
        name.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_the_program_is_no_file() {
        let weights = "linear:dt=1,2,3,4,5,6,7,8,9";
        for name in ["dt-20", "greedy", "random", "builtin", "dellacherie", weights] {
            let known = InProgram::parse(name).unwrap();
            assert!(!matches!(known.agent, Agent::File(_)), "{name}");
            let read = AgentName::from(name.to_owned());
            assert_eq!(read.in_program().unwrap(), AgentName::InProgram(known));
            assert_eq!(read.in_program().unwrap().as_str(), name);
        }
        for name in ["linear:", "linear:/etc/passwd", "linear:dt=/etc/passwd"] {
            assert!(matches!(InProgram::parse(name), Err(NotInProgram::Weights(_))), "{name}");
        }
        for name in ["/etc/passwd", "", ".", "runs/x", "dt-20/../x", " greedy"] {
            let refused = AgentName::from(name.to_owned()).in_program().unwrap_err().to_string();
            assert!(refused.ends_with("use the command line to train from a file"), "{refused}");
        }
    }

    /// On the command line a file comes before an agent in the program of the same name; a request
    /// never reaches it.
    #[test]
    fn a_file_of_the_name_of_an_embedded_agent_is_not_read_for_a_request() {
        let Some(agent) = embedded::EMBEDDED.first() else { return };
        assert_eq!(InProgram::parse(agent.name).unwrap().agent, Agent::Embedded(agent));
    }
}
