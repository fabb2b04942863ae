//! `[lambda_pi]`: weights of features by lambda-policy iteration: games by the weights, then least
//! squares for the next ones.
//!
//! Game j of iteration i draws from the RNG stream (seed, i * games + j), and games are learned
//! from in that order on any number of threads. The agent is that of the iteration with the best
//! mean score, since later iterations may be worse.

use std::collections::BTreeMap;
use std::path::Path;

use afterstate_agents::AgentName;
use afterstate_agents::agent::features;
use afterstate_core::{Device, Features, threads};
use afterstate_games::spec::Spec;
use afterstate_learn::lambda_pi::Trajectory;
use afterstate_learn::least_squares::{LeastSquares, Solver};
use afterstate_learn::resumable_game::WeightedFeatures;
use afterstate_values::AgentInfo;
use serde::{Deserialize, Serialize};

use super::learner::read_state;
use super::linear::{are_weights, check_start, initial_weights, narrow, save};
use super::on_cluster::{GameSettings, Games, RemotePool};
use super::worker_pool::{EpisodeJob, Finished, Record, WorkerPool};
use super::{
    GameResult, Learner, LearnerError, Needs, Opened, Plan, Round, RoundContext, Training, not_cuda,
};
use crate::recipe::{Budget, InvalidSetting, defaults, ensure};
use crate::run::Observer;

/// How lambda-policy iteration learns weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LambdaPiPlan {
    /// A feature set of the game, such as `bertsekas`.
    pub features: String,
    /// The weight of the immediate reward when moves are selected.
    #[serde(default = "one")]
    pub reward: f64,
    /// The initial weights; all 0 if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub start: Vec<f64>,
    /// Games per iteration.
    #[serde(default = "games")]
    pub games: usize,
    /// The decay of temporal differences.
    #[serde(default = "lambda")]
    pub lambda: f64,
    /// How the least squares are solved.
    #[serde(default)]
    pub solver: Solver,
    /// A game is truncated after this many moves, and not learned from.
    #[serde(default = "max_moves")]
    pub max_moves: u64,
}

defaults! {
    one: f64 = 1.0;
    games: usize = 100;
    lambda: f64 = 0.6;
    max_moves: u64 = 10_000_000;
}

impl Plan for LambdaPiPlan {
    const TABLES: &'static [&'static str] = &["lambda_pi"];
    const USAGE: &'static str = "[lambda_pi]";

    fn check(&self, _: &Budget) -> Result<(), InvalidSetting> {
        let LambdaPiPlan { reward, games, lambda, max_moves, .. } = *self;
        ensure(reward.is_finite(), "lambda_pi.reward", reward, "a finite number")?;
        check_start("lambda_pi.start", &self.start)?;
        ensure((1..=100_000).contains(&games), "lambda_pi.games", games, "1 to 100000")?;
        ensure((0.0..=1.0).contains(&lambda), "lambda_pi.lambda", lambda, "0 to 1")?;
        let holds = (1..=1_000_000_000).contains(&max_moves);
        ensure(holds, "lambda_pi.max_moves", max_moves, "1 to 1e9")
    }

    fn check_game<G: Spec>(&self, game: &G) -> Result<(), LearnerError> {
        initial_weights(&self.start, features(game, &self.features)?.names().len())?;
        Ok(())
    }

    fn check_device<G: Spec>(&self, _: &G, device: Device) -> Result<(), LearnerError> {
        not_cuda::<Self>(device)
    }

    fn needs<G: Spec>(&self, game: &G) -> Result<Needs, LearnerError> {
        let columns = features(game, &self.features)?.names().len() as u64;
        // The trajectories of the games on all threads, and those that wait for an earlier one.
        let moves = self.max_moves.saturating_mul(self.games.min(threads::cores()) as u64);
        let memory = moves.saturating_mul(4 * (columns + 1));
        Ok(Needs { memory: Needs::SMALL.memory.saturating_add(memory), ..Needs::SMALL })
    }

    fn agents(&mut self) -> Vec<&mut AgentName> {
        Vec::new()
    }

    fn open<'a, G: Spec>(&'a self, training: Training<'a, G>, _: &mut dyn Observer) -> Opened<'a> {
        let features = features(training.game, &self.features)?;
        let columns = features.names().len();
        let weights = initial_weights(&self.start, columns)?;
        let squares = LeastSquares::new(columns);
        let state = State { iteration: 0, weights, played: 0, score: 0.0, squares, best: None };
        let (pool, finished) = (WorkerPool::new(training.threads), BTreeMap::new());
        let remote = training.remote_pool()?;
        let plan = self;
        Ok(Box::new(LambdaPiLearner { training, plan, features, pool, remote, finished, state }))
    }
}

/// Learns the weights.
struct LambdaPiLearner<'a, G: Spec> {
    training: Training<'a, G>,
    plan: &'a LambdaPiPlan,
    features: Box<dyn Features<G>>,
    pool: WorkerPool<G, Trajectory>,
    /// Where games are played, if not by the pool.
    remote: Option<RemotePool>,
    /// Games that finished before one with a lower number.
    finished: BTreeMap<usize, Finished<Trajectory>>,
    state: State,
}

/// Everything that it needs to resume.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    iteration: u64,
    weights: Vec<f64>,
    /// Games of this iteration that have been learned from.
    played: usize,
    score: f64,
    squares: LeastSquares,
    /// The best iteration so far: its mean score and its weights.
    best: Option<(f64, Vec<f64>)>,
}

impl Record for Trajectory {
    const MOVES: bool = true;

    fn add(&mut self, features: &[f32], reward: f32) {
        Trajectory::add(self, features, reward);
    }
}

impl<G: Spec> LambdaPiLearner<'_, G> {
    /// Plays on all threads until the round is over or the iteration has all its games.
    fn play(&mut self, context: &RoundContext) -> Result<(), LearnerError> {
        let weights = narrow(&self.state.weights);
        let games = self.state.played..self.plan.games;
        let missing: Vec<usize> = games.filter(|job| !self.finished.contains_key(job)).collect();
        let first = self.state.iteration * self.plan.games as u64;
        if let Some(remote) = &mut self.remote {
            let settings = GameSettings {
                features: self.plan.features.clone(),
                reward: self.plan.reward as f32,
                seed: self.training.recipe.seed,
                max_score: None,
                max_moves: self.plan.max_moves,
                moves: true,
            };
            let games = Games {
                key: self.state.iteration,
                rules: self.training.game.spec(),
                settings: &settings,
                weights: &[weights],
                game: &|job| (0, first + job as u64),
                count: false,
            };
            let finished = remote.play(context, &games, &missing)?;
            self.finished.extend(finished.into_iter().map(|game| (game.job, game)));
            return Ok(());
        }
        let job = |number: usize| EpisodeJob {
            game: self.training.game,
            policy: WeightedFeatures {
                features: &*self.features,
                reward: self.plan.reward as f32,
                weights: &weights,
            },
            rng: self.training.rng(first + number as u64),
            max_score: f64::INFINITY,
            max_moves: self.plan.max_moves,
        };
        let trace = || Trajectory::new(weights.len());
        let finished = self.pool.play(context, &missing, false, &job, &trace);
        self.finished.extend(finished.into_iter().map(|game| (game.job, game)));
        Ok(())
    }

    /// Learns from finished games in the order of their numbers.
    fn learn(&mut self, context: &RoundContext, round: &mut Round) {
        while let Some(game) = self.finished.remove(&self.state.played) {
            let Finished { result, truncated, record: trace, .. } = game;
            if truncated {
                let moves = result.moves;
                let note =
                    format!("A game was truncated after {moves} moves and is not learned from");
                round.notes.push(note);
            } else {
                trace.fit(&self.state.weights, self.plan.lambda, &mut self.state.squares);
            }
            self.state.played += 1;
            self.state.score += result.score;
            round.games.push(GameResult { number: context.ended(result.moves), ..result });
        }
    }

    /// Solves for the next weights after all games of an iteration.
    fn iterate(&mut self, round: &mut Round) -> Result<(), LearnerError> {
        let mean = self.state.score / self.plan.games as f64;
        let best = self.state.best.as_ref();
        if best.is_none_or(|(score, _)| mean > *score) {
            self.state.best = Some((mean, self.state.weights.clone()));
        }
        let columns = self.state.weights.len();
        if self.state.squares.rows() > 0 {
            let solution = self.state.squares.solve(self.plan.solver)?;
            if solution.regularised {
                round.notes.push(format!(
                    "Iteration {}: the least squares are singular and were regularised",
                    self.state.iteration
                ));
            }
            self.state.weights = solution.weights;
            round.measure("error", solution.error);
        }
        self.state.squares = LeastSquares::new(columns);
        self.state.iteration += 1;
        (self.state.played, self.state.score) = (0, 0.0);
        let best = self.state.best.as_ref().map_or(mean, |(score, _)| *score);
        round.measure("iteration", self.state.iteration as f64);
        round.measure("best", best);
        round.iterated = true;
        Ok(())
    }
}

impl<G: Spec> Learner for LambdaPiLearner<'_, G> {
    fn identity(&self) -> String {
        let LambdaPiPlan { features, games, lambda, .. } = self.plan;
        format!("weights of {features} by lambda-policy iteration, {games} games, lambda {lambda}")
    }

    fn iterates(&self) -> bool {
        true
    }

    fn round(&mut self, context: &RoundContext) -> Result<Round, LearnerError> {
        let mut round = Round::default();
        self.play(context)?;
        self.learn(context, &mut round);
        if self.state.played == self.plan.games {
            self.iterate(&mut round)?;
        }
        Ok(round)
    }

    fn state(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(&self.state)
    }

    fn restore(&mut self, state: serde_json::Value) -> Result<(), LearnerError> {
        let columns = self.state.weights.len();
        self.state = read_state(state, |state: &State| {
            are_weights(&state.weights, columns)
                && state.best.iter().all(|(_, weights)| are_weights(weights, columns))
                && state.played < self.plan.games
                && state.squares.is_valid(columns)
        })?;
        Ok(())
    }

    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), LearnerError> {
        let weights = self.state.best.as_ref().map_or(&self.state.weights, |(_, best)| best);
        let LambdaPiPlan { features, reward, .. } = self.plan;
        save(self.training.linear(features, *reward, narrow(weights))?, path, info)
    }
}
