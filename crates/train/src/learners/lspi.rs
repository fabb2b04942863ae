//! `[lspi]`: weights of features by least-squares policy iteration, online or by samples, on one
//! thread: every game changes the weights of the next.

use std::path::Path;

use afterstate_agents::agent::features;
use afterstate_core::{Episode, Features};
use afterstate_games::RewardMixture;
use afterstate_games::spec::Spec;
use afterstate_learn::lspi::{Equations, Goal, Online, Samples};
use afterstate_values::{AgentInfo, Linear};
use serde::{Deserialize, Serialize};

use super::learner::read_state;
use super::linear::{are_weights, save};
use super::{
    GameResult, Learner, LearnerError, Needs, Opened, Plan, Round, RoundContext, Training,
};
use crate::budget::whole;
use crate::recipe::{Budget, InvalidSetting, as_text, defaults, ensure};
use crate::run::Observer;

/// Games are truncated after this many moves: some weights never lose.
const MAX_MOVES: u64 = 1_000_000;

/// The RNG stream of the samples, distinct from those of games.
const SAMPLES: u64 = 0x15b1_0000;

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
        features(game, &self.features)?;
        Ok(())
    }

    fn needs<G: Spec>(&self, game: &G) -> Result<Needs, LearnerError> {
        let columns = features(game, &self.features)?.names().len() as u64;
        let sample = 4 * columns + size_of::<(f32, Option<G::State>)>() as u64;
        Ok(Needs { memory: Needs::SMALL.memory + self.samples as u64 * sample, ..Needs::SMALL })
    }

    fn agents(&self) -> Vec<&str> {
        Vec::new()
    }

    fn open<'a, G: Spec>(&'a self, training: Training<'a, G>, _: &mut dyn Observer) -> Opened<'a> {
        let Training { game, recipe, .. } = training;
        let features = features(game, &self.features)?;
        let columns = features.names().len();
        let LspiPlan { reward, penalty, gamma, ridge, .. } = *self;
        let goal = Goal { reward, penalty, gamma, ridge };
        let seed = recipe.seed ^ SAMPLES;
        let samples = (self.samples > 0)
            .then(|| Samples::random(game, &*features, &goal, self.samples, seed));
        let equations = Equations::new(columns);
        let state = State { weights: vec![0.0; columns], equations, iteration: 0 };
        Ok(Box::new(LspiLearner { training, plan: self, features, goal, samples, state }))
    }
}

/// Learns the weights.
struct LspiLearner<'a, G: Spec> {
    training: Training<'a, G>,
    plan: &'a LspiPlan,
    features: Box<dyn Features<G>>,
    goal: Goal,
    samples: Option<Samples<G>>,
    state: State,
}

/// Everything that it needs to resume.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    weights: Vec<f32>,
    equations: Equations,
    iteration: u64,
}

impl<G: Spec> LspiLearner<'_, G> {
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
    fn measure(&self, number: u64) -> Result<GameResult, LearnerError> {
        let (game, linear) = (self.training.game, self.linear()?);
        let (mut policy, mut rng) = (&linear, self.training.rng(number));
        let played = Episode::play_up_to(MAX_MOVES, game, &mut policy, &mut rng);
        Ok(GameResult::new(game, number, (played.score, played.moves), &played.last))
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
        let mut round = Round::default();
        while let Some((number, _)) = context.next_game_before(whole(context.budget())) {
            let game = match &self.samples {
                None => self.online(number, context)?,
                Some(samples) => {
                    let (game, features) = (self.training.game, &*self.features);
                    let weights = &self.state.weights;
                    self.state.weights = samples.iterate(game, features, &self.goal, weights)?;
                    self.measure(number)?
                }
            };
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
