//! `[weights]`: weights of features, learned from the scores of whole games.
//!
//! All candidates of an iteration play the same games (common random numbers): game j of iteration
//! i draws from the RNG stream (seed, i * games + j). After the first few games, candidates that
//! cannot be selected any more are dropped.

mod curriculum;
mod on_device;
#[cfg(test)]
mod tests;

use std::mem::discriminant;
use std::path::Path;

use afterstate_agents::AgentName;
use afterstate_agents::agent::features;
use afterstate_core::{Device, Rng};
use afterstate_games::spec::Spec;
use afterstate_learn::blackbox::{AnyOptimiser, OptimiserChoice};
use afterstate_learn::resumable_game::WeightedFeatures;
use afterstate_values::AgentInfo;
use serde::{Deserialize, Serialize};

pub use curriculum::Lesson;
use curriculum::{TypedLesson, lessons};
use on_device::{Missing, OnDevice};

use super::learner::read_state;
use super::linear::{are_weights, check_start, in_table, initial_weights, narrow, save};
use super::on_cluster::{self as remote, GameSettings, RemotePool};
use super::worker_pool::{EpisodeJob, WorkerPool};
use super::{
    GameResult, Learner, LearnerError, Needs, Opened, Plan, Round, RoundContext, Training,
    ensure_memory,
};
use crate::recipe::{Budget, InvalidSetting, ensure};
use crate::run::Observer;

/// RNG streams of the optimiser, distinct from those of games.
const OPTIMISER: u64 = 0x5ea_2c8;

/// The features, and how their weights are learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightsPlan {
    /// A feature set of the game, such as `dt`.
    pub features: String,
    /// The weight of the immediate reward: 0 to select moves by the features alone.
    #[serde(default)]
    pub reward: f64,
    /// The initial weights; all 0 if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub start: Vec<f64>,
    /// How a candidate is scored.
    #[serde(default)]
    pub games: Games,
    /// Other rules of the same game to learn on first, such as lower wells; the rules of the recipe
    /// come last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curriculum: Vec<Lesson>,
    /// The optimiser with its settings.
    pub optimiser: OptimiserChoice,
}

/// How a candidate is scored: all candidates of an iteration play the same games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Games {
    /// Games per candidate.
    pub count: usize,
    /// After this many games, candidates that cannot be selected are dropped; 0 for never.
    pub early: usize,
    /// A game is truncated when it reaches this score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_score: Option<f64>,
}

impl Default for Games {
    fn default() -> Games {
        Games { count: 20, early: 5, max_score: None }
    }
}

/// Bytes for a game of a candidate: its score, its place among the games to play, and its score as a
/// value of JSON and as text for a checkpoint.
const GAME: Needs = Needs { memory: 128, disk: 48 };

/// Bytes for a weight of a candidate, with the copies of optimisers, and all of them in a checkpoint.
const WEIGHT: Needs = Needs { memory: 320, disk: 192 };

impl WeightsPlan {
    /// What an iteration takes.
    fn iteration<G: Spec>(&self, game: &G) -> Result<Needs, LearnerError> {
        let dimensions = features(game, &self.features)?.names().len();
        let candidates = self.optimiser.population(dimensions) as u64;
        let (games, weights) =
            (candidates * self.games.count as u64, candidates * dimensions as u64);
        let memory = games * GAME.memory + weights * WEIGHT.memory;
        Ok(Needs { memory, disk: games * GAME.disk + weights * WEIGHT.disk })
    }
}

impl Plan for WeightsPlan {
    const TABLES: &'static [&'static str] = &["weights"];
    const USAGE: &'static str = "[weights]";

    fn check(&self, _: &Budget) -> Result<(), InvalidSetting> {
        ensure(self.reward.is_finite(), "weights.reward", self.reward, "a finite number")?;
        check_start("weights.start", &self.start)?;
        for Lesson { until, .. } in &self.curriculum {
            ensure((0.0..=1.0).contains(until), "weights.curriculum.until", until, "0 to 1")?;
        }
        let Games { count, early, max_score } = self.games;
        ensure((1..=100_000).contains(&count), "weights.games.count", count, "1 to 100000")?;
        let allowed = "at most weights.games.count";
        ensure(early <= count, "weights.games.early", early, allowed)?;
        if let Some(score) = max_score {
            let holds = score > 0.0 && score.is_finite();
            ensure(holds, "weights.games.max_score", score, "more than 0")?;
        }
        self.optimiser.check().map_err(in_table("weights.optimiser"))
    }

    fn check_game<G: Spec>(&self, game: &G) -> Result<(), LearnerError> {
        let lessons = lessons(game, self)?;
        initial_weights(&self.start, lessons[0].features.names().len())?;
        Ok(ensure_memory(self.iteration(game)?.memory)?)
    }

    fn needs<G: Spec>(&self, game: &G) -> Result<Needs, LearnerError> {
        let Needs { memory, disk } = self.iteration(game)?;
        Ok(Needs::SMALL.and(memory, disk))
    }

    fn agents(&mut self) -> Vec<&mut AgentName> {
        Vec::new()
    }

    fn check_device<G: Spec>(&self, game: &G, device: Device) -> Result<(), LearnerError> {
        match device {
            Device::Cpu | Device::Cluster => Ok(()),
            Device::Cuda(number) => on_device::check(self, &lessons(game, self)?, number),
        }
    }

    fn open<'a, G: Spec>(
        &'a self,
        training: Training<'a, G>,
        observer: &mut dyn Observer,
    ) -> Opened<'a> {
        let mut learner = WeightsLearner::new(self, training)?;
        if let Device::Cuda(number) = learner.training.device {
            let device = OnDevice::open(self, &learner.lessons, number)?;
            observer.begin(&format!("the games of all candidates at once on {}", device.name))?;
            learner.device = Some(device);
        }
        learner.remote = learner.training.remote_pool()?;
        Ok(Box::new(learner))
    }
}

/// Learns the weights.
struct WeightsLearner<'a, G: Spec> {
    training: Training<'a, G>,
    plan: &'a WeightsPlan,
    lessons: Vec<TypedLesson<G>>,
    pool: WorkerPool<G>,
    /// Where games are played, if not by the pool.
    device: Option<OnDevice>,
    remote: Option<RemotePool>,
    state: State,
}

/// Everything that it needs to resume.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    iteration: u64,
    optimiser: AnyOptimiser,
    generation: Option<Generation>,
}

/// The candidates of an iteration, with the scores of their games so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Generation {
    /// The lesson that they play.
    #[serde(rename = "ground")]
    lesson: usize,
    points: Vec<Vec<f64>>,
    /// Whether each candidate continues.
    alive: Vec<bool>,
    /// Whether candidates have been dropped.
    late: bool,
    scores: Vec<Vec<Option<f64>>>,
}

impl Generation {
    fn means(&self) -> Vec<f64> {
        let mean = |scores: &Vec<Option<f64>>| {
            let played = || scores.iter().flatten();
            played().sum::<f64>() / played().count().max(1) as f64
        };
        self.scores.iter().map(mean).collect()
    }

    fn is_valid(&self, dimensions: usize, lessons: usize, games: usize) -> bool {
        let count = self.points.len();
        self.lesson < lessons
            && (1..=100_000).contains(&count)
            && self.alive.len() == count
            && self.scores.len() == count
            && self.scores.iter().all(|scores| scores.len() == games)
            && self.points.iter().all(|point| are_weights(point, dimensions))
    }
}

impl<'a, G: Spec> WeightsLearner<'a, G> {
    fn new(plan: &'a WeightsPlan, training: Training<'a, G>) -> Result<Self, LearnerError> {
        let lessons = lessons(training.game, plan)?;
        let start = initial_weights(&plan.start, lessons[0].features.names().len())?;
        let optimiser = plan.optimiser.start(start);
        let state = State { iteration: 0, optimiser, generation: None };
        let pool = WorkerPool::new(training.threads);
        let (device, remote) = (None, None);
        Ok(WeightsLearner { training, plan, lessons, pool, device, remote, state })
    }

    /// Plays games of a generation, by the numbers of their jobs, until the round is over or none
    /// is left; returns those that ended.
    fn play(
        &mut self,
        context: &RoundContext,
        generation: &Generation,
        jobs: &[usize],
    ) -> Result<Vec<(usize, GameResult)>, LearnerError> {
        let count = self.plan.games.count;
        let first = self.state.iteration * count as u64;
        let weights: Vec<_> = generation.points.iter().map(|point| narrow(point)).collect();
        let reward = self.plan.reward as f32;
        let max_score = self.plan.games.max_score.unwrap_or(f64::INFINITY);
        if let Some(device) = &mut self.device {
            let (lesson, seed, weights) = (generation.lesson, self.training.recipe.seed, &weights);
            let missing = Missing { lesson, jobs, count, first, weights, seed, reward, max_score };
            return device.play(context, &missing);
        }
        let TypedLesson { game, features, .. } = &self.lessons[generation.lesson];
        if let Some(remote) = &mut self.remote {
            let settings = GameSettings {
                features: self.plan.features.clone(),
                reward,
                seed: self.training.recipe.seed,
                max_score: self.plan.games.max_score,
                max_moves: u64::MAX,
                moves: false,
            };
            let games = remote::Games {
                key: self.state.iteration,
                rules: game.spec(),
                settings: &settings,
                weights: &weights,
                game: &|job| (job / count, first + (job % count) as u64),
                count: true,
            };
            let finished = remote.play::<()>(context, &games, jobs)?;
            return Ok(finished.into_iter().map(|game| (game.job, game.result)).collect());
        }
        let job = |number: usize| EpisodeJob {
            game,
            policy: WeightedFeatures {
                features: &**features,
                reward,
                weights: &weights[number / count],
            },
            rng: self.training.rng(first + (number % count) as u64),
            max_score,
            max_moves: u64::MAX,
        };
        let finished = self.pool.play(context, jobs, true, &job, &|| ());
        Ok(finished.into_iter().map(|game| (game.job, game.result)).collect())
    }

    fn rng(&self, step: u64) -> Rng {
        Rng::stream(self.training.recipe.seed ^ OPTIMISER, 2 * self.state.iteration + step)
    }

    fn next_generation(&mut self, spent: f64) -> Generation {
        let here = self.lessons.iter().position(|lesson| spent < lesson.until);
        let lesson = here.unwrap_or(self.lessons.len() - 1);
        let mut rng = self.rng(0);
        let points = self.state.optimiser.get_mut().ask(&mut rng);
        let count = points.len();
        let Games { count: games, early, .. } = self.plan.games;
        let late = early == 0 || early == games;
        let (alive, scores) = (vec![true; count], vec![vec![None; games]; count]);
        Generation { lesson, points, alive, late, scores }
    }
}

impl<G: Spec> Learner for WeightsLearner<'_, G> {
    fn identity(&self) -> String {
        let WeightsPlan { features, optimiser, .. } = self.plan;
        let games = self.plan.games.count;
        format!("weights of {features} by {games} games and {optimiser:?}")
    }

    fn iterates(&self) -> bool {
        true
    }

    fn gpu(&self) -> Option<String> {
        self.device.as_ref().map(|device| device.name.clone())
    }

    fn round(&mut self, context: &RoundContext) -> Result<Round, LearnerError> {
        let mut generation = match self.state.generation.take() {
            Some(generation) => generation,
            None => self.next_generation(context.spent()),
        };
        let Games { count, early, .. } = self.plan.games;
        let games = if generation.late { count } else { early };
        let missing = |&job: &usize| {
            let (candidate, game) = (job / count, job % count);
            generation.alive[candidate]
                && game < games
                && generation.scores[candidate][game].is_none()
        };
        let missing: Vec<usize> = (0..count * generation.points.len()).filter(missing).collect();
        let finished = self.play(context, &generation, &missing)?;
        let mut round = Round::default();
        for &(job, result) in &finished {
            generation.scores[job / count][job % count] = Some(result.score);
            round.games.push(result);
        }
        if finished.len() < missing.len() {
            self.state.generation = Some(generation);
            return Ok(round);
        }
        let means = generation.means();
        if !generation.late {
            generation.alive = self.state.optimiser.get().promising(&means);
            generation.late = true;
            self.state.generation = Some(generation);
            return Ok(round);
        }
        let mut rng = self.rng(1);
        self.state.optimiser.get_mut().tell(&generation.points, &means, &mut rng);
        self.state.iteration += 1;
        let alive = means.iter().zip(&generation.alive).filter(|(_, alive)| **alive);
        let best = alive.map(|(mean, _)| *mean).fold(f64::NEG_INFINITY, f64::max);
        round.iterated = true;
        round.converged = self.state.optimiser.get().is_finished();
        round.measure("iteration", self.state.iteration as f64);
        round.measure("best", if best.is_finite() { best } else { means[0] });
        round.measure("spread", self.state.optimiser.get().spread());
        round.measure("stage", generation.lesson as f64);
        Ok(round)
    }

    fn state(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(&self.state)
    }

    fn restore(&mut self, state: serde_json::Value) -> Result<(), LearnerError> {
        let dimensions = self.lessons[0].features.names().len();
        let (lessons, games) = (self.lessons.len(), self.plan.games.count);
        let method = discriminant(&self.state.optimiser);
        let is_valid = |generation: &Generation| generation.is_valid(dimensions, lessons, games);
        self.state = read_state(state, |state: &State| {
            state.optimiser.get().is_valid(dimensions)
                && discriminant(&state.optimiser) == method
                && state.generation.iter().all(is_valid)
        })?;
        Ok(())
    }

    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), LearnerError> {
        let weights = narrow(self.state.optimiser.get().best());
        let WeightsPlan { features, reward, .. } = self.plan;
        save(self.training.linear(features, *reward, weights)?, path, info)
    }
}
