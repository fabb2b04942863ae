//! `LoadedAgent`: an agent made ready once for some rules, and shared by all sittings of them.

use std::any::Any;
use std::sync::Arc;

use afterstate_games::spec::{GameSpec, Spec, Visitor};

use super::SessionError;
use crate::Agent;
use crate::agent::{AgentError, Loaded};

/// An agent made ready for some rules. Copies share its weights.
#[derive(Clone)]
pub struct LoadedAgent {
    name: String,
    rules: String,
    loaded: Arc<dyn Any + Send + Sync>,
}

impl LoadedAgent {
    /// Makes an agent ready for some rules. [`Agent::Builtin`] is called what it is by those rules:
    /// the agent of the program for that game, or greedy where that cannot play by them.
    pub fn load(agent: &Agent, rules: &GameSpec) -> Result<LoadedAgent, AgentError> {
        struct Load<'a>(&'a Agent);
        impl Visitor for Load<'_> {
            type Output = Result<LoadedAgent, AgentError>;
            fn visit<G: Spec>(self, game: &G) -> Self::Output {
                let loaded: Arc<Loaded<G>> = Arc::new(self.0.load(game)?);
                Ok(LoadedAgent { name: self.0.to_string(), rules: game.spec(), loaded })
            }
        }
        rules.with(Load(&agent.by_rules(rules)))
    }

    /// The agent's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The rules that it is ready for.
    pub fn rules(&self) -> &str {
        &self.rules
    }

    /// The agent itself, for the game that it is ready for.
    pub(super) fn loaded<G: Spec>(&self, game: &G) -> Result<&Loaded<G>, SessionError> {
        let expected = game.spec();
        let loaded = self.loaded.downcast_ref().filter(|_| self.rules == expected);
        loaded.ok_or_else(|| SessionError::LoadedAgent { met: self.rules.clone(), expected })
    }
}
