//! `[evaluation]`: no learning, but a long evaluation as a run that can be stopped and resumed.
//! Game i draws from the RNG stream (seed, i); an unfinished game starts over when the run is
//! resumed.

use std::path::Path;

use afterstate_agents::statistics::exposure;
use afterstate_agents::{AgentName, Summary};
use afterstate_core::Device;
use afterstate_games::spec::Spec;
use afterstate_learn::resumable_game::WeightedFeatures;
use afterstate_values::{AgentInfo, Linear, Model, Strength};
use serde::{Deserialize, Serialize};

use super::learner::read_state;
use super::on_cluster::{GameSettings, Games, RemotePool};
use super::worker_pool::{EpisodeJob, WorkerPool};
use super::{
    DamagedState, Learner, LearnerError, Needs, Opened, Plan, Round, RoundContext, Training,
    not_cuda,
};
use crate::recipe::{Budget, InvalidSetting, ensure};
use crate::run::Observer;

/// Games that are queued at a time.
const AHEAD: u64 = 4_096;

/// The agent to evaluate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationPlan {
    /// An agent with weights of features: a published one, `linear:SET=W,W,...` or a file.
    pub agent: AgentName,
}

/// The agent of an evaluation cannot be loaded or has no weights of features.
#[derive(Debug, thiserror::Error)]
#[error("evaluation.agent {agent:?}: {source}")]
struct EvaluationError {
    agent: String,
    source: LearnerError,
}

impl EvaluationPlan {
    fn load<G: Spec>(&self, game: &G) -> Result<Box<dyn Model<G>>, EvaluationError> {
        let load = || -> Result<_, LearnerError> {
            let model = self.agent.load(game)?;
            match model.linear() {
                Some(_) => Ok(model),
                None => {
                    Err("only agents with weights of features can be evaluated in a run".into())
                }
            }
        };
        load().map_err(|source| EvaluationError { agent: self.agent.to_string(), source })
    }
}

impl Plan for EvaluationPlan {
    const TABLES: &'static [&'static str] = &["evaluation"];
    const USAGE: &'static str = "[evaluation]";

    /// The budget must be games: a clock would truncate long games, and leave a mean of short ones.
    fn check(&self, budget: &Budget) -> Result<(), InvalidSetting> {
        let games = budget.episodes.map_or("missing".to_owned(), |games| games.to_string());
        let holds = budget.episodes.is_some_and(|games| (1..=10_000_000).contains(&games));
        ensure(holds, "budget.episodes", games, "1 to 10000000 in an evaluation")
    }

    fn check_game<G: Spec>(&self, game: &G) -> Result<(), LearnerError> {
        self.load(game)?;
        Ok(())
    }

    fn check_device<G: Spec>(&self, _: &G, device: Device) -> Result<(), LearnerError> {
        not_cuda::<Self>(device)
    }

    fn needs<G: Spec>(&self, _: &G) -> Result<Needs, LearnerError> {
        Ok(Needs::SMALL)
    }

    fn agents(&mut self) -> Vec<&mut AgentName> {
        vec![&mut self.agent]
    }

    fn open<'a, G: Spec>(&'a self, training: Training<'a, G>, _: &mut dyn Observer) -> Opened<'a> {
        let (model, pool) = (self.load(training.game)?, WorkerPool::new(training.threads));
        let remote = training.remote_pool()?;
        let (plan, state) = (self, State::default());
        Ok(Box::new(EvaluationLearner { training, plan, model, pool, remote, state }))
    }
}

/// Evaluates the agent.
struct EvaluationLearner<'a, G: Spec> {
    training: Training<'a, G>,
    plan: &'a EvaluationPlan,
    model: Box<dyn Model<G>>,
    pool: WorkerPool<G>,
    /// Where games are played, if not by the pool.
    remote: Option<RemotePool>,
    state: State,
}

/// The games so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    /// The number of games that have begun.
    began: u64,
    /// Unfinished games.
    open: Vec<u64>,
    scores: Vec<f64>,
}

impl<G: Spec> EvaluationLearner<'_, G> {
    fn linear(&self) -> &Linear<G> {
        self.model.linear().expect("a model without weights is refused when it is loaded")
    }
}

impl<G: Spec> Learner for EvaluationLearner<'_, G> {
    fn identity(&self) -> String {
        format!("an evaluation of {} with weights {:?}", self.plan.agent, self.linear().weights())
    }

    fn round(&mut self, context: &RoundContext) -> Result<Round, LearnerError> {
        let all = self.training.recipe.budget.episodes.unwrap_or(0);
        let fresh = self.state.began..all.min(self.state.began + AHEAD);
        let missing = self.state.open.iter().copied().chain(fresh).map(|number| number as usize);
        let missing: Vec<usize> = missing.collect();
        let linear = self.model.linear().ok_or(DamagedState)?;
        let job = |number: usize| EpisodeJob {
            game: self.training.game,
            policy: WeightedFeatures {
                features: linear.features(),
                reward: linear.reward(),
                weights: linear.weights(),
            },
            rng: self.training.rng(number as u64),
            max_score: f64::INFINITY,
            max_moves: u64::MAX,
        };
        let mut finished = match &mut self.remote {
            None => self.pool.play(context, &missing, true, &job, &|| ()),
            Some(remote) => {
                let settings = GameSettings {
                    features: linear.set().to_owned(),
                    reward: linear.reward(),
                    seed: self.training.recipe.seed,
                    max_score: None,
                    max_moves: u64::MAX,
                    moves: false,
                };
                let games = Games {
                    key: 0,
                    rules: self.training.game.spec(),
                    settings: &settings,
                    weights: &[linear.weights().to_vec()],
                    game: &|job| (0, job as u64),
                    count: true,
                };
                remote.play(context, &games, &missing)?
            }
        };
        finished.sort_unstable_by_key(|game| game.result.number);
        let open: Vec<u64> = self.pool.unfinished().map(|number| number as u64).collect();
        let last = finished.iter().map(|game| game.job as u64).chain(open.iter().copied()).max();
        let began = last.map_or(self.state.began, |last| self.state.began.max(last + 1));
        let left = missing.iter().map(|&number| number as u64).filter(|number| {
            *number < began
                && !open.contains(number)
                && !finished.iter().any(|game| game.job as u64 == *number)
        });
        let open = open.iter().copied().chain(left).collect();
        (self.state.began, self.state.open) = (began, open);
        self.state.scores.extend(finished.iter().map(|game| game.result.score));
        let measured = exposure(self.state.scores.iter().sum(), self.state.scores.len() as u64);
        let games = finished.into_iter().map(|game| game.result).collect();
        let mut round = Round { games, ..Round::default() };
        round.measure("low", measured.low);
        measured.mean.into_iter().for_each(|mean| round.measure("so far", mean));
        measured.high.into_iter().for_each(|high| round.measure("high", high));
        Ok(round)
    }

    fn state(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(&self.state)
    }

    fn restore(&mut self, state: serde_json::Value) -> Result<(), LearnerError> {
        self.state = read_state(state, |State { began, open, scores }| {
            open.iter().all(|number| number < began)
                && open.len() + scores.len() == *began as usize
                && scores.iter().all(|score| score.is_finite())
        })?;
        Ok(())
    }

    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), LearnerError> {
        let strength = Summary::of(&self.state.scores).map(|score| Strength {
            games: score.count,
            seed: self.training.recipe.seed,
            mean: score.mean,
            ci95: score.ci95,
            median: score.median,
            max: score.max,
            search: "greedy".to_owned(),
            reach: Vec::new(),
        });
        Ok(self.model.save(path, &AgentInfo { strength, ..info.clone() })?)
    }
}
