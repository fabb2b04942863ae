//! `LoadedAgent`: an agent loaded once for some rules and shared by sessions, analyses and threads.

use std::any::Any;
use std::sync::Arc;

use afterstate_games::spec::Spec;
use afterstate_values::Model;

use crate::{Agent, AgentError};

/// An agent loaded for some rules. Copies share its model.
#[derive(Clone)]
pub struct LoadedAgent {
    name: String,
    rules: String,
    /// A `Box<dyn Model<G>>` for the game of the rules.
    model: Arc<dyn Any + Send + Sync>,
}

/// The agent was loaded for other rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the agent was loaded for {found}, not for {expected}")]
pub struct OtherRules {
    /// Its rules.
    pub found: String,
    /// The rules of the game or the session.
    pub expected: String,
}

impl LoadedAgent {
    /// Loads an agent for some rules. [`Agent::Builtin`] takes the name of the agent that it stands
    /// for.
    pub fn load<G: Spec>(agent: &Agent, game: &G) -> Result<LoadedAgent, AgentError> {
        let (agent, model) = agent.resolve_and_load(game)?;
        Ok(LoadedAgent { name: agent.to_string(), rules: game.spec(), model: Arc::new(model) })
    }

    /// The agent's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The rules that it was loaded for.
    pub fn rules(&self) -> &str {
        &self.rules
    }

    /// The model, for the rules that it was loaded for.
    pub fn model<G: Spec>(&self, game: &G) -> Result<&dyn Model<G>, OtherRules> {
        let expected = game.spec();
        let model = self.model.downcast_ref::<Box<dyn Model<G>>>();
        let model = model.filter(|_| self.rules == expected);
        model
            .map(|model| &**model)
            .ok_or_else(|| OtherRules { found: self.rules.clone(), expected })
    }
}
