//! `[lspi]`: weights of features by least-squares policy iteration, online or by samples, on one
//! thread: every game changes the weights of the next. Of samples, a cluster can find the moves that
//! follow them.

use std::ops::Range;
use std::path::Path;

use afterstate_agents::AgentName;
use afterstate_agents::agent::features;
use afterstate_core::cluster::{Job, Shards, Work, WorkError, connected};
use afterstate_core::{Device, Features};
use afterstate_games::RewardMixture;
use afterstate_games::spec::Spec;
use afterstate_learn::lspi::{Equations, Goal, Online, Samples};
use afterstate_learn::resumable_game::{ResumableGame, WeightedFeatures};
use afterstate_values::{AgentInfo, Linear};
use serde::{Deserialize, Serialize};

use super::learner::read_state;
use super::linear::{are_weights, save};
use super::on_cluster::{OtherAnswer, WAIT};
use super::{
    GameResult, Learner, LearnerError, Needs, ONE_MACHINE, Opened, Plan, Round, RoundContext,
    Training, ensure_memory, not_cuda,
};
use crate::budget::whole;
use crate::recipe::{Budget, InvalidSetting, as_text, defaults, ensure};
use crate::run::Observer;

/// Games are truncated after this many moves: some weights never lose.
const MAX_MOVES: u64 = 1_000_000;

/// The RNG stream of the samples, distinct from those of games.
const SAMPLES: u64 = 0x15b1_0000;

/// The kind of the jobs of a cluster.
pub(super) const NEXT_MOVES: &str = "next moves";

/// How least-squares policy iteration learns weights. The defaults are those of Tang's study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LspiPlan {
    /// A feature set of the game, such as `tang`.
    pub features: String,
    /// The reward function: `r1`, `r2`, `r3`, or a sum such as `score+moves`.
    #[serde(default = "reward", with = "as_text")]
    pub reward: RewardMixture,
    /// The reward of the last move of a game.
    #[serde(default = "penalty")]
    pub penalty: f32,
    /// The discount factor.
    #[serde(default = "gamma")]
    pub gamma: f64,
    /// Moves between two solutions.
    #[serde(default = "every")]
    pub every: u64,
    /// The ridge: added to the diagonal of the equations, as a share of its mean.
    #[serde(default = "ridge")]
    pub ridge: f64,
    /// Moves of random play that are sampled once and iterated on until the budget ends, as in the
    /// textbook; 0 to learn from every move of play, as in the study.
    #[serde(default)]
    pub samples: usize,
}

defaults! {
    reward: RewardMixture = RewardMixture { lines: 1.0, ..RewardMixture::default() };
    penalty: f32 = -1000.0;
    gamma: f64 = 0.8;
    every: u64 = 20;
    ridge: f64 = 1e-6;
}

impl Plan for LspiPlan {
    const TABLES: &'static [&'static str] = &["lspi"];
    const USAGE: &'static str = "[lspi]";

    fn check(&self, _: &Budget) -> Result<(), InvalidSetting> {
        let LspiPlan { penalty, gamma, every, ridge, samples, .. } = *self;
        ensure(penalty.is_finite(), "lspi.penalty", penalty, "a finite number")?;
        ensure((0.0..=1.0).contains(&gamma), "lspi.gamma", gamma, "0 to 1")?;
        ensure((1..=1_000_000_000).contains(&every), "lspi.every", every, "1 to 1e9")?;
        ensure((0.0..=1.0).contains(&ridge), "lspi.ridge", ridge, "0 to 1")?;
        ensure(samples <= 10_000_000, "lspi.samples", samples, "0 to 10000000")
    }

    fn check_game<G: Spec>(&self, game: &G) -> Result<(), LearnerError> {
        Ok(ensure_memory(self.needs(game)?.memory - Needs::SMALL.memory)?)
    }

    fn check_device<G: Spec>(&self, _: &G, device: Device) -> Result<(), LearnerError> {
        match device {
            Device::Cluster if self.samples == 0 => Err(ONE_MACHINE.into()),
            device => not_cuda::<Self>(device),
        }
    }

    fn needs<G: Spec>(&self, game: &G) -> Result<Needs, LearnerError> {
        let columns = features(game, &self.features)?.names().len() as u64;
        let sample = 4 * columns + size_of::<(f32, Option<G::State>)>() as u64;
        Ok(Needs { memory: Needs::SMALL.memory + self.samples as u64 * sample, ..Needs::SMALL })
    }

    fn agents(&mut self) -> Vec<&mut AgentName> {
        Vec::new()
    }

    fn open<'a, G: Spec>(&'a self, training: Training<'a, G>, _: &mut dyn Observer) -> Opened<'a> {
        let features = features(training.game, &self.features)?;
        let columns = features.names().len();
        let (goal, samples) = (self.goal(), None);
        let equations = Equations::new(columns);
        let state = State { weights: vec![0.0; columns], equations, iteration: 0 };
        let (plan, remote) = (self, Remote::default());
        Ok(Box::new(LspiLearner { training, plan, features, goal, samples, remote, state }))
    }
}

impl LspiPlan {
    fn goal(&self) -> Goal {
        let LspiPlan { reward, penalty, gamma, ridge, .. } = *self;
        Goal { reward, penalty, gamma, ridge }
    }
}

/// Learns the weights.
struct LspiLearner<'a, G: Spec> {
    training: Training<'a, G>,
    plan: &'a LspiPlan,
    features: Box<dyn Features<G>>,
    goal: Goal,
    /// None before the first round, and without samples.
    samples: Option<Samples<G>>,
    remote: Remote,
    state: State,
}

/// Everything that it needs to resume.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    weights: Vec<f32>,
    equations: Equations,
    iteration: u64,
}

/// The iteration that a cluster is at.
#[derive(Default)]
struct Remote {
    shards: Option<Shards>,
    /// The features of the next move after each sample, as far as they are known.
    next: Vec<NextMove>,
}

/// The features of the move after a sample; `None` if the game is over there.
type NextMove = Option<Vec<f32>>;

impl<G: Spec> LspiLearner<'_, G> {
    /// The next weights by the workers of a cluster; `None` if the round is over before.
    fn iterate_on_cluster(
        &mut self,
        context: &RoundContext,
    ) -> Result<Option<Vec<f32>>, LearnerError> {
        let Some(samples) = &self.samples else { return Ok(None) };
        let (cluster, Remote { shards, next }) = (connected()?, &mut self.remote);
        let shards = match shards {
            Some(shards) => shards,
            none => {
                let settings = (self.plan, self.training.recipe.seed);
                let (kind, rules) = (NEXT_MOVES.to_owned(), self.training.game.spec());
                let settings = serde_json::to_string(&settings)?;
                let job = Job { kind, rules, settings, ..Job::default() };
                none.insert(Shards::new(&*cluster, &job, samples.len())?)
            }
        };
        let weights = &self.state.weights;
        let task = |items: Range<usize>| {
            serde_json::to_string(&(weights, items.start, items.end)).unwrap_or_default()
        };
        while !shards.is_done() && !context.is_over() {
            for part in shards.advance(&*cluster, WAIT, &task)? {
                let answer: Vec<NextMove> = serde_json::from_slice(&part.bytes)?;
                let fits = |row: &NextMove| row.iter().all(|row| row.len() == weights.len());
                if answer.len() != part.items.len() || !answer.iter().all(fits) {
                    return Err(OtherAnswer(answer.len(), part.items.len()).into());
                }
                next.extend(answer);
            }
        }
        if !shards.is_done() {
            return Ok(None);
        }
        let Remote { next, .. } = std::mem::take(&mut self.remote);
        Ok(samples.solve(&self.goal, &|| false, |sample, row| {
            next[sample].as_ref().inspect(|next| row.copy_from_slice(next)).is_some()
        })?)
    }

    /// Draws the samples, if that is not done; false if it was interrupted.
    fn draw(&mut self, context: &RoundContext) -> bool {
        if self.samples.is_none() {
            let (game, count) = (self.training.game, self.plan.samples);
            let (seed, due) = (self.training.recipe.seed ^ SAMPLES, || context.is_due());
            self.samples = Samples::random(game, &*self.features, &self.goal, count, seed, &due);
        }
        self.samples.is_some()
    }

    /// The next weights; `None` if that was interrupted, and is to be done again.
    fn iterate(&mut self, context: &RoundContext) -> Result<Option<Vec<f32>>, LearnerError> {
        if self.training.device == Device::Cluster {
            return self.iterate_on_cluster(context);
        }
        let Some(samples) = &self.samples else { return Ok(None) };
        let (game, features, weights) = (self.training.game, &*self.features, &self.state.weights);
        Ok(samples.iterate(game, features, &self.goal, weights, &|| context.is_due())?)
    }

    /// Iterations, and a game by the weights of each.
    fn round_by_samples(&mut self, context: &RoundContext) -> Result<Round, LearnerError> {
        let mut round = Round::default();
        while context.may_begin() && self.draw(context) {
            let Some(weights) = self.iterate(context)? else { break };
            // The game is counted whether or not the round or the budget is over meanwhile.
            let Some((number, _)) = context.claim_game_before(f64::INFINITY) else { break };
            self.state.weights = weights;
            let game = self.measure(number, context).unless_due(context);
            self.state.iteration += 1;
            context.count(game.moves);
            round.games.push(game);
        }
        Ok(round)
    }

    /// Plays a game and learns from it online.
    fn online(&mut self, number: u64, context: &RoundContext) -> Result<GameResult, LearnerError> {
        let game = self.training.game;
        let due = || context.is_due();
        let mut learner =
            Online::new(game, &*self.features, self.goal, self.plan.every).stop_when(&due);
        std::mem::swap(&mut learner.equations, &mut self.state.equations);
        std::mem::swap(&mut learner.weights, &mut self.state.weights);
        let played = learner.episode(&mut self.training.rng(number), MAX_MOVES);
        self.state.equations = learner.equations;
        self.state.weights = learner.weights;
        let played = played?;
        Ok(GameResult::new(game, number, (played.score, played.moves), &played.last))
    }

    /// Plays a game by the present weights without learning.
    fn measure(&self, number: u64, context: &RoundContext) -> GameResult {
        let game = self.training.game;
        let (features, weights) = (&*self.features, &self.state.weights[..]);
        let policy = WeightedFeatures { features, reward: 0.0, weights };
        let mut play = ResumableGame::new(game, self.training.rng(number));
        let mut ended = false;
        while !ended && play.moves < MAX_MOVES && !context.is_due() {
            ended = play.advance(game, &policy, 64, f64::INFINITY, |_, _| {});
        }
        GameResult::new(game, number, (play.score, play.moves), play.state())
    }

    fn linear(&self) -> Result<Linear<G>, LearnerError> {
        self.training.linear(&self.plan.features, 0.0, self.state.weights.clone())
    }
}

impl<G: Spec> Learner for LspiLearner<'_, G> {
    fn identity(&self) -> String {
        let LspiPlan { features, gamma, samples, .. } = self.plan;
        let reward = self.goal.reward;
        format!("weights of {features} by LSPI for {reward}, gamma {gamma}, {samples} samples")
    }

    fn round(&mut self, context: &RoundContext) -> Result<Round, LearnerError> {
        if self.plan.samples > 0 {
            return self.round_by_samples(context);
        }
        let mut round = Round::default();
        while let Some((number, _)) = context.next_game_before(whole(context.budget())) {
            let game = self.online(number, context)?;
            self.state.iteration += 1;
            context.count(game.moves);
            round.games.push(game.unless_due(context));
        }
        Ok(round)
    }

    fn state(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(&self.state)
    }

    fn restore(&mut self, state: serde_json::Value) -> Result<(), LearnerError> {
        let columns = self.state.weights.len();
        self.state = read_state(state, |State { weights, equations, .. }| {
            are_weights(weights, columns) && equations.is_valid(columns)
        })?;
        Ok(())
    }

    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), LearnerError> {
        save(self.linear()?, path, info)
    }
}

/// The samples as a worker has prepared them.
struct Prepared<G: Spec> {
    game: G,
    features: Box<dyn Features<G>>,
    samples: Samples<G>,
}

/// Prepares samples: every worker draws them again, which is faster than sending them.
pub(super) fn prepare<G: Spec>(game: &G, job: &Job) -> Result<Box<dyn Work>, WorkError> {
    let (plan, seed): (LspiPlan, u64) = serde_json::from_str(&job.settings)?;
    let features = features(game, &plan.features)?;
    let (goal, seed) = (plan.goal(), seed ^ SAMPLES);
    let samples = Samples::random(game, &*features, &goal, plan.samples, seed, &|| false);
    let samples = samples.ok_or("samples that nobody interrupts are drawn")?;
    Ok(Box::new(Prepared { game: game.clone(), features, samples }))
}

impl<G: Spec> Work for Prepared<G> {
    fn perform(&self, task: &str) -> Result<Vec<u8>, WorkError> {
        let (weights, start, end): (Vec<f32>, usize, usize) = serde_json::from_str(task)?;
        let columns = self.features.names().len();
        if !are_weights(&weights, columns) || end > self.samples.len() {
            return Err("samples that are none, or without a weight for every feature".into());
        }
        let next = |sample: usize| -> NextMove {
            let mut next = vec![0.0; columns];
            let (game, features) = (&self.game, &*self.features);
            self.samples.next_move(game, features, &weights, sample, &mut next).then_some(next)
        };
        Ok(serde_json::to_vec(&(start..end).map(next).collect::<Vec<_>>())?)
    }
}
