//! A long measurement of an agent, as a run: game i draws from the stream (seed, i), and a game that
//! is under way when the run is stopped is played again when it goes on.

use std::path::Path;

use afterstate_core::Rng;
use afterstate_games::spec::Spec;
use afterstate_learn::play::WeightedFeatures;
use afterstate_values::file::{self, AgentInfo};
use afterstate_values::{Linear, Strength};
use serde::{Deserialize, Serialize};

use super::crew::{EpisodeJob, WorkerPool};
use crate::Agent;
use crate::recipe::{EvaluationPlan, Recipe};
use crate::run::RunError;
use crate::run::training::{Round, RoundContext, Training};
use crate::statistics::{Summary, exposure};

/// Games that wait at a time.
const AHEAD: u64 = 4_096;

/// The agent that is measured.
fn load<G: Spec>(game: &G, plan: &EvaluationPlan) -> Result<Linear<G>, RunError> {
    let wrong = |what: String| RunError::Evaluation { agent: plan.agent.clone(), what };
    let agent: Agent = plan.agent.parse().map_err(|error| wrong(format!("{error}")))?;
    let loaded = agent.load(game).map_err(|error| wrong(error.to_string()))?;
    loaded.linear().ok_or_else(|| wrong("expected an agent that weighs features".to_owned()))
}

/// Whether an agent can be measured.
pub(super) fn check<G: Spec>(game: &G, plan: &EvaluationPlan) -> Result<(), RunError> {
    load(game, plan).map(|_| ())
}

/// A measurement under way.
pub(super) struct EvaluationTraining<'a, G: Spec> {
    game: &'a G,
    recipe: &'a Recipe,
    plan: &'a EvaluationPlan,
    agent: Linear<G>,
    crew: WorkerPool<G>,
    state: State,
}

/// The games so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    /// The first number that has not begun.
    began: u64,
    /// Games that began and have not ended.
    open: Vec<u64>,
    scores: Vec<f64>,
}

impl<'a, G: Spec> EvaluationTraining<'a, G> {
    pub(super) fn open(
        game: &'a G,
        recipe: &'a Recipe,
        plan: &'a EvaluationPlan,
        threads: usize,
    ) -> Result<EvaluationTraining<'a, G>, RunError> {
        let (agent, crew) = (load(game, plan)?, WorkerPool::new(threads));
        Ok(EvaluationTraining { game, recipe, plan, agent, crew, state: State::default() })
    }
}

impl<G: Spec> Training for EvaluationTraining<'_, G> {
    fn identity(&self) -> String {
        format!("an evaluation of {} with weights {:?}", self.plan.agent, self.agent.weights())
    }

    fn round(&mut self, turn: &RoundContext) -> Result<Round, RunError> {
        let under_way: Vec<usize> = self.crew.under_way().collect();
        let all = self.recipe.budget.episodes.unwrap_or(0);
        let fresh = self.state.began..all.min(self.state.began + AHEAD);
        let waiting = self.state.open.iter().copied().chain(fresh).map(|number| number as usize);
        let waiting: Vec<usize> = waiting.filter(|number| !under_way.contains(number)).collect();
        let job = |number: usize| EpisodeJob {
            game: self.game,
            weighing: WeightedFeatures {
                features: self.agent.features(),
                reward: self.agent.reward(),
                weights: self.agent.weights(),
            },
            rng: Rng::stream(self.recipe.seed, number as u64),
            max_score: f64::INFINITY,
        };
        let mut ended = self.crew.play(turn, &waiting, &job);
        ended.sort_unstable_by_key(|(_, result)| result.number);
        let open: Vec<u64> = self.crew.under_way().map(|number| number as u64).collect();
        let last = ended.iter().map(|(number, _)| *number as u64).chain(open.iter().copied()).max();
        let began = last.map_or(self.state.began, |last| self.state.began.max(last + 1));
        let left = waiting.iter().map(|&number| number as u64).filter(|number| {
            *number < began
                && !open.contains(number)
                && !ended.iter().any(|(job, _)| *job as u64 == *number)
        });
        let open = open.iter().copied().chain(left).collect();
        (self.state.began, self.state.open) = (began, open);
        self.state.scores.extend(ended.iter().map(|(_, result)| result.score));
        let measured = exposure(self.state.scores.iter().sum(), self.state.scores.len() as u64);
        let games = ended.into_iter().map(|(_, result)| result).collect();
        let mut round = Round { games, ..Round::default() };
        round.extra.insert("low".to_owned(), measured.low);
        for (name, value) in [("so far", measured.mean), ("high", measured.high)] {
            round.extra.extend(value.map(|value| (name.to_owned(), value)));
        }
        Ok(round)
    }

    fn state(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(&self.state)
    }

    fn restore(&mut self, state: serde_json::Value) -> Result<(), String> {
        let state: State = serde_json::from_value(state).map_err(|error| format!("met {error}"))?;
        let sound = state.open.iter().all(|&number| number < state.began)
            && state.open.len() + state.scores.len() == state.began as usize
            && state.scores.iter().all(|score| score.is_finite());
        if !sound {
            return Err("met a damaged state, expected one of the recipe beside it".to_owned());
        }
        self.state = state;
        Ok(())
    }

    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), RunError> {
        let strength = Summary::of(&self.state.scores).map(|score| Strength {
            games: score.count,
            seed: self.recipe.seed,
            mean: score.mean,
            ci95: score.ci95,
            median: score.median,
            max: score.max,
            search: "greedy".to_owned(),
            reach: Vec::new(),
        });
        Ok(file::save_linear(path, &AgentInfo { strength, ..info.clone() }, &self.agent)?)
    }
}
