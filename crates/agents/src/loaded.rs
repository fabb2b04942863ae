//! `LoadedAgent`: an agent loaded once for some rules and shared by sessions, analyses and threads.

use std::any::Any;
use std::sync::Arc;

use afterstate_games::spec::Spec;
use afterstate_search::Search;
use afterstate_values::Model;
use afterstate_values::file::Place;

use crate::{Agent, AgentError};

/// An agent loaded for some rules. Copies share its model.
#[derive(Clone)]
pub struct LoadedAgent {
    name: String,
    rules: String,
    /// A `Box<dyn Model<G>>` for the game of the rules.
    model: Arc<dyn Any + Send + Sync>,
    searchable: bool,
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

/// The agent has no values that a search could use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{agent} has no values to search with: use the search greedy, not {search}")]
pub struct NotSearchable {
    agent: String,
    search: String,
}

impl NotSearchable {
    /// The refusal of a search.
    pub fn new(agent: &impl ToString, search: &Search) -> NotSearchable {
        // A limit on time is no reason.
        let mut search = *search;
        search.time_limit = None;
        let search = search.to_string();
        NotSearchable { agent: agent.to_string(), search }
    }
}

impl LoadedAgent {
    /// Loads an agent for some rules. [`Agent::Builtin`] takes the name of the agent that it stands
    /// for.
    pub fn load<G: Spec>(agent: &Agent, game: &G) -> Result<LoadedAgent, AgentError> {
        let (agent, model) = agent.resolve_and_load(game, Place::Mapped)?;
        Ok(LoadedAgent::new(&agent.to_string(), game, model))
    }

    /// The same, but weights in a file are copied: the file may be truncated meanwhile.
    pub fn load_copied<G: Spec>(agent: &Agent, game: &G) -> Result<LoadedAgent, AgentError> {
        let (agent, model) = agent.resolve_and_load(game, Place::Copied)?;
        Ok(LoadedAgent::new(&agent.to_string(), game, model))
    }

    /// An agent by a model that no file has.
    pub fn new<G: Spec>(name: &str, game: &G, model: Box<dyn Model<G>>) -> LoadedAgent {
        let (name, searchable) = (name.to_owned(), model.evaluator().is_some());
        LoadedAgent { name, rules: game.spec(), model: Arc::new(model), searchable }
    }

    /// Refuses a search that the agent has no values for.
    pub fn check_search(&self, search: &Search) -> Result<(), NotSearchable> {
        let possible = self.searchable || search.is_greedy();
        if possible { Ok(()) } else { Err(NotSearchable::new(&self.name, search)) }
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
