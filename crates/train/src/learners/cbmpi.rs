//! `[cbmpi]`: weights of features by classification-based modified policy iteration.
//!
//! Checkpoints are made between iterations: an iteration that is stopped is done again from the
//! same RNG streams. Its games are counted when it is complete.

use std::ops::Range;
use std::path::Path;

use afterstate_agents::AgentName;
use afterstate_agents::agent::features;
use afterstate_core::cluster::{Job, Shards, Work, WorkError, connected};
use afterstate_core::{Device, Features, Rng, threads};
use afterstate_games::spec::Spec;
use afterstate_learn::cbmpi::{CbmpiSettings, Rollouts, Sample, classify, regret};
use afterstate_learn::least_squares::{LeastSquares, Solver};
use afterstate_learn::resumable_game::{ResumableGame, WeightedFeatures};
use afterstate_values::AgentInfo;
use serde::{Deserialize, Serialize};

use super::learner::read_state;
use super::linear::{are_weights, check_start, in_table, initial_weights, narrow, save};
use super::on_cluster::{OtherAnswer, WAIT};
use super::{
    GameResult, Learner, LearnerError, Needs, Opened, Plan, Round, RoundContext, Training,
    ensure_memory, not_cuda,
};
use crate::recipe::{Budget, InvalidSetting, defaults, ensure};
use crate::run::Observer;

/// RNG streams of the classifier and of rollouts, distinct from those of games.
const CLASSIFIER: u64 = 0xcb_4a91;
const ROLLOUT: u64 = 0x7011_0075;

/// The kind of the jobs of a cluster.
pub(super) const ROLLOUTS: &str = "rollouts";

/// States sampled between two checks of the clock.
const BATCH: usize = 64;

/// How the weights of a policy are learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CbmpiPlan {
    /// The features of the policy, a feature set of the game such as `dt`.
    pub features: String,
    /// The features of the value function, such as `bertsekas`.
    pub values: String,
    /// The initial weights of the policy; all 0 if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub start: Vec<f64>,
    /// Games per iteration, whose states are sampled.
    #[serde(default = "games")]
    pub games: usize,
    /// States are sampled from this many moves at the beginning of a game.
    #[serde(default = "max_moves")]
    pub max_moves: u64,
    /// The settings of an iteration.
    #[serde(default)]
    pub iteration: CbmpiSettings,
}

defaults! {
    games: usize = 20;
    max_moves: u64 = 100_000;
}

impl CbmpiPlan {
    /// Bytes of the samples of an iteration, with rollouts of all moves of each.
    fn samples<G: Spec>(&self, game: &G) -> Result<u64, LearnerError> {
        let columns =
            |set| -> Result<usize, LearnerError> { Ok(features(game, set)?.names().len()) };
        let (policy, values) = (columns(&self.features)?, columns(&self.values)?);
        // Lists grow by doubling.
        let lists = 2 * (game.actions() * (policy + 1)) + values;
        let each = size_of::<Sample>() + size_of::<f32>() * lists;
        Ok(self.iteration.states as u64 * each as u64)
    }
}

impl Plan for CbmpiPlan {
    const TABLES: &'static [&'static str] = &["cbmpi"];
    const USAGE: &'static str = "[cbmpi]";

    fn check(&self, _: &Budget) -> Result<(), InvalidSetting> {
        let CbmpiPlan { games, max_moves, .. } = *self;
        check_start("cbmpi.start", &self.start)?;
        ensure((1..=100_000).contains(&games), "cbmpi.games", games, "1 to 100000")?;
        let holds = (1..=10_000_000).contains(&max_moves);
        ensure(holds, "cbmpi.max_moves", max_moves, "1 to 10000000")?;
        self.iteration.check().map_err(in_table("cbmpi.iteration"))
    }

    fn check_game<G: Spec>(&self, game: &G) -> Result<(), LearnerError> {
        features(game, &self.values)?;
        initial_weights(&self.start, features(game, &self.features)?.names().len())?;
        Ok(ensure_memory(self.samples(game)?)?)
    }

    fn check_device<G: Spec>(&self, _: &G, device: Device) -> Result<(), LearnerError> {
        not_cuda::<Self>(device)
    }

    fn needs<G: Spec>(&self, game: &G) -> Result<Needs, LearnerError> {
        let visited = (self.games as u64).saturating_mul(self.max_moves);
        let memory = visited.saturating_mul(size_of::<G::State>() as u64);
        Ok(Needs::SMALL.and(memory.saturating_add(self.samples(game)?), 0))
    }

    fn agents(&mut self) -> Vec<&mut AgentName> {
        Vec::new()
    }

    fn open<'a, G: Spec>(&'a self, training: Training<'a, G>, _: &mut dyn Observer) -> Opened<'a> {
        let features = |set| features(training.game, set);
        let (policy, values) = (features(&self.features)?, features(&self.values)?);
        let weights = initial_weights(&self.start, policy.names().len())?;
        let state =
            State { iteration: 0, policy: weights, values: vec![0.0; values.names().len()] };
        let (plan, unfinished) = (self, Unfinished::default());
        Ok(Box::new(CbmpiLearner { training, plan, policy, values, state, unfinished }))
    }
}

/// Learns the weights.
struct CbmpiLearner<'a, G: Spec> {
    training: Training<'a, G>,
    plan: &'a CbmpiPlan,
    policy: Box<dyn Features<G>>,
    values: Box<dyn Features<G>>,
    state: State,
    unfinished: Unfinished<G>,
}

/// Everything that it needs to resume.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    iteration: u64,
    policy: Vec<f64>,
    values: Vec<f64>,
}

/// The unfinished iteration.
struct Unfinished<G: Spec> {
    games: Vec<(f64, u64)>,
    visited: Vec<G::State>,
    samples: Vec<Sample>,
    /// The samples that a cluster makes.
    shards: Option<Shards>,
}

impl<G: Spec> Default for Unfinished<G> {
    fn default() -> Unfinished<G> {
        let (games, visited, samples) = (Vec::new(), Vec::new(), Vec::new());
        Unfinished { games, visited, samples, shards: None }
    }
}

impl<G: Spec> CbmpiLearner<'_, G> {
    /// Plays the games of an iteration, on one thread: they are a small part of the work.
    fn play(&mut self, context: &RoundContext) {
        let weights = narrow(&self.state.policy);
        let policy = WeightedFeatures { features: &*self.policy, reward: 0.0, weights: &weights };
        let first = self.state.iteration * self.plan.games as u64;
        while self.unfinished.games.len() < self.plan.games && !context.is_over() {
            let number = first + self.unfinished.games.len() as u64;
            let mut play = ResumableGame::new(self.training.game, self.training.rng(number));
            let mut visited = Vec::new();
            let mut ended = false;
            while !ended && play.moves < self.plan.max_moves {
                visited.push(*play.state());
                ended = play.advance(self.training.game, &policy, 1, f64::INFINITY, |_, _| {});
                if context.is_stopped() || context.is_due() {
                    return;
                }
            }
            self.unfinished.visited.extend(visited);
            self.unfinished.games.push((play.score, play.moves));
        }
    }

    /// Samples states that the games visited, with rollouts of all their moves.
    fn sample(&mut self, context: &RoundContext) {
        let (policy, values) = (narrow(&self.state.policy), narrow(&self.state.values));
        let rollouts = Rollouts {
            game: self.training.game,
            policy: WeightedFeatures { features: &*self.policy, reward: 0.0, weights: &policy },
            values: WeightedFeatures { features: &*self.values, reward: 0.0, weights: &values },
            settings: &self.plan.iteration,
            interrupted: &|| context.is_due(),
        };
        let all = self.plan.iteration.states;
        let (seed, visited) = (self.training.recipe.seed ^ ROLLOUT, &self.unfinished.visited);
        let first = self.state.iteration * all as u64;
        while self.unfinished.samples.len() < all && !context.is_over() {
            let done = self.unfinished.samples.len();
            let sample = |number: usize| {
                let mut rng = Rng::stream(seed, first + (done + number) as u64);
                // A terminal state has no moves; games have few of them.
                loop {
                    let state = &visited[rng.below(visited.len())];
                    if let Some(sample) = rollouts.sample(state, rng.bits()) {
                        return sample;
                    }
                }
            };
            let batch = threads::map(self.training.threads, BATCH.min(all - done), sample);
            if context.is_due() {
                return;
            }
            self.unfinished.samples.extend(batch);
        }
    }

    /// The same samples by the workers of a cluster, who are told the states as text.
    fn sample_on_cluster(&mut self, context: &RoundContext) -> Result<(), LearnerError> {
        let (cluster, all) = (connected()?, self.plan.iteration.states);
        let Unfinished { visited, samples, shards, .. } = &mut self.unfinished;
        let shards = match shards {
            Some(shards) => shards,
            none => {
                let settings = RolloutSettings {
                    features: self.plan.features.clone(),
                    values: self.plan.values.clone(),
                    policy_weights: narrow(&self.state.policy),
                    value_weights: narrow(&self.state.values),
                    iteration: self.plan.iteration.clone(),
                };
                let (kind, rules) = (ROLLOUTS.to_owned(), self.training.game.spec());
                let settings = serde_json::to_string(&settings)?;
                let job = Job { kind, rules, settings, ..Job::default() };
                none.insert(Shards::new(&*cluster, &job, all)?)
            }
        };
        let game = self.training.game;
        let (seed, first) =
            (self.training.recipe.seed ^ ROLLOUT, self.state.iteration * all as u64);
        let state = |number: usize| {
            let mut rng = Rng::stream(seed, first + number as u64);
            loop {
                let (state, seed) = (&visited[rng.below(visited.len())], rng.bits());
                if game.count_moves(state) > 0 {
                    return (game.state_text(state), seed);
                }
            }
        };
        let task = |items: Range<usize>| {
            let states: Vec<(String, u64)> = items.map(state).collect();
            serde_json::to_string(&states).unwrap_or_default()
        };
        while !shards.is_done() && !context.is_over() {
            for part in shards.advance(&*cluster, WAIT, &task)? {
                let answer: Vec<Sample> = serde_json::from_slice(&part.bytes)?;
                if answer.len() != part.items.len() {
                    return Err(OtherAnswer(answer.len(), part.items.len()).into());
                }
                samples.extend(answer);
            }
        }
        Ok(())
    }

    /// Fits the next value function and the next policy. Those of an iteration that is interrupted are
    /// dropped with its games.
    fn iterate(&mut self, context: &RoundContext) -> Result<Round, LearnerError> {
        let Unfinished { games, samples, .. } = std::mem::take(&mut self.unfinished);
        let mut squares = LeastSquares::new(self.state.values.len());
        for Sample { value: (features, value), .. } in &samples {
            squares.add(features.iter().map(|&x| f64::from(x)), *value);
        }
        let values = squares.solve(Solver::Exact)?;
        let mut rng = Rng::stream(self.training.recipe.seed ^ CLASSIFIER, self.state.iteration);
        let each = |points: &[Vec<f64>]| {
            let regrets = threads::map(self.training.threads, points.len(), |number| {
                (!context.is_due()).then(|| regret(&samples, &points[number]))
            });
            regrets.into_iter().collect()
        };
        let before = regret(&samples, &self.state.policy);
        let Some(policy) = classify(&self.state.policy, &self.plan.iteration, &mut rng, each)
        else {
            return Ok(Round::default());
        };
        let after = regret(&samples, &policy);
        (self.state.policy, self.state.values) = (policy, values.weights);
        self.state.iteration += 1;
        let mut round = Round { iterated: true, ..Round::default() };
        // The moves of rollouts are counted with the last game.
        let rollouts: u64 = samples.iter().map(|sample| sample.moves).sum();
        for (number, &(score, moves)) in games.iter().enumerate() {
            let last = number + 1 == games.len();
            let counted = if last { moves + rollouts } else { moves };
            let number = context.ended(counted);
            round.games.push(GameResult { number, score, moves, reached: None, fresh: true });
        }
        if values.regularised {
            let note = "The least squares of the value function are singular and were regularised";
            round.notes.push(note.to_owned());
        }
        round.measure("iteration", self.state.iteration as f64);
        round.measure("regret before", before);
        round.measure("regret after", after);
        Ok(round)
    }
}

/// What the workers of a cluster are told of an iteration.
#[derive(Serialize, Deserialize)]
struct RolloutSettings {
    features: String,
    values: String,
    policy_weights: Vec<f32>,
    value_weights: Vec<f32>,
    iteration: CbmpiSettings,
}

/// An iteration as a worker has prepared it.
struct Prepared<G: Spec> {
    game: G,
    policy: Box<dyn Features<G>>,
    values: Box<dyn Features<G>>,
    settings: RolloutSettings,
}

/// Prepares rollouts.
pub(super) fn prepare<G: Spec>(game: &G, job: &Job) -> Result<Box<dyn Work>, WorkError> {
    let settings: RolloutSettings = serde_json::from_str(&job.settings)?;
    let (policy, values) = (features(game, &settings.features)?, features(game, &settings.values)?);
    if !are_weights(&settings.policy_weights, policy.names().len())
        || !are_weights(&settings.value_weights, values.names().len())
    {
        return Err("rollouts with another number of weights than features".into());
    }
    Ok(Box::new(Prepared { game: game.clone(), policy, values, settings }))
}

impl<G: Spec> Work for Prepared<G> {
    fn perform(&self, task: &str) -> Result<Vec<u8>, WorkError> {
        let RolloutSettings { policy_weights, value_weights, iteration, .. } = &self.settings;
        let by = |features, weights| WeightedFeatures { features, reward: 0.0, weights };
        let rollouts = Rollouts {
            game: &self.game,
            policy: by(&*self.policy, policy_weights),
            values: by(&*self.values, value_weights),
            settings: iteration,
            interrupted: &|| false,
        };
        let states: Vec<(String, u64)> = serde_json::from_str(task)?;
        let sample = |(state, seed): &(String, u64)| -> Result<Sample, WorkError> {
            let state = self.game.parse_state(state)?;
            Ok(rollouts.sample(&state, *seed).ok_or("a terminal state has no rollouts")?)
        };
        let samples: Vec<Sample> = states.iter().map(sample).collect::<Result<_, _>>()?;
        Ok(serde_json::to_vec(&samples)?)
    }
}

impl<G: Spec> Learner for CbmpiLearner<'_, G> {
    fn identity(&self) -> String {
        let CbmpiPlan { features, values, games, iteration, .. } = self.plan;
        format!(
            "weights of {features} by CBMPI with values of {values}, {games} games, {iteration:?}"
        )
    }

    fn iterates(&self) -> bool {
        true
    }

    fn round(&mut self, context: &RoundContext) -> Result<Round, LearnerError> {
        self.play(context);
        if self.unfinished.games.len() == self.plan.games {
            match self.training.device {
                Device::Cluster => self.sample_on_cluster(context)?,
                _ => self.sample(context),
            }
        }
        if self.unfinished.samples.len() == self.plan.iteration.states {
            return self.iterate(context);
        }
        Ok(Round::default())
    }

    fn state(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(&self.state)
    }

    fn restore(&mut self, state: serde_json::Value) -> Result<(), LearnerError> {
        let State { policy, values, .. } = &self.state;
        self.state = read_state(state, |state: &State| {
            are_weights(&state.policy, policy.len()) && are_weights(&state.values, values.len())
        })?;
        Ok(())
    }

    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), LearnerError> {
        let weights = narrow(&self.state.policy);
        save(self.training.linear(&self.plan.features, 0.0, weights)?, path, info)
    }
}
