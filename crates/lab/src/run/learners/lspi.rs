//! Weights of features by least-squares policy iteration, in either form, on one thread: every game
//! changes the weights of the next.

use std::path::Path;

use afterstate_core::{Episode, Features, Rng};
use afterstate_games::spec::Spec;
use afterstate_learn::lspi::{Equations, Goal, Online, Samples};
use afterstate_values::file::{self, AgentInfo};
use afterstate_values::{Linear, LinearPolicy};
use serde::{Deserialize, Serialize};

use super::weights::features;
use crate::recipe::{LspiPlan, Recipe};
use crate::run::RunError;
use crate::run::budget::whole;
use crate::run::training::{GameResult, Round, RoundContext, Training};

/// No game is longer: weights may be met that play for ever.
const MAX_MOVES: u64 = 1_000_000;

/// The stream from which the moves of the textbook's form are drawn: never those of games.
const SAMPLES: u64 = 0x15b1_0000;

/// Whether weights can be learned by a plan.
pub(super) fn check<G: Spec>(game: &G, plan: &LspiPlan) -> Result<(), RunError> {
    features(game, &plan.features).map(|_| ())
}

/// Weights that are learned.
pub(super) struct LspiTraining<'a, G: Spec> {
    game: &'a G,
    recipe: &'a Recipe,
    plan: &'a LspiPlan,
    features: Box<dyn Features<G>>,
    goal: Goal,
    samples: Option<Samples<G>>,
    state: State,
}

/// All that it needs to go on.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    weights: Vec<f32>,
    equations: Equations,
    iteration: u64,
}

impl<'a, G: Spec> LspiTraining<'a, G> {
    pub(super) fn open(
        game: &'a G,
        recipe: &'a Recipe,
        plan: &'a LspiPlan,
    ) -> Result<LspiTraining<'a, G>, RunError> {
        let features = features(game, &plan.features)?;
        let columns = features.names().len();
        let reward = plan.reward.0;
        let LspiPlan { penalty, gamma, ridge, .. } = *plan;
        let goal = Goal { reward, penalty, gamma, ridge };
        let samples = (plan.samples > 0)
            .then(|| Samples::random(game, &*features, &goal, plan.samples, recipe.seed ^ SAMPLES));
        let equations = Equations::new(columns);
        let state = State { weights: vec![0.0; columns], equations, iteration: 0 };
        Ok(LspiTraining { game, recipe, plan, features, goal, samples, state })
    }

    /// One game of the study's form, learned from; its number and what it came to.
    fn online(&mut self, number: u64) -> Result<GameResult, RunError> {
        let mut learner = Online::new(self.game, &*self.features, self.goal, self.plan.every);
        std::mem::swap(&mut learner.equations, &mut self.state.equations);
        std::mem::swap(&mut learner.weights, &mut self.state.weights);
        let played = learner.episode(&mut Rng::stream(self.recipe.seed, number), MAX_MOVES);
        self.state.equations = learner.equations;
        self.state.weights = learner.weights;
        let played = played?;
        let reached = self.game.reached(&played.last);
        Ok(GameResult { number, score: played.score, moves: played.moves, reached, fresh: true })
    }

    /// One game by the weights at hand, which only shows how good they are.
    fn show(&self, number: u64) -> Result<GameResult, RunError> {
        let linear = self.linear()?;
        let mut rng = Rng::stream(self.recipe.seed, number);
        let mut player = LinearPolicy::new(&linear);
        let played = Episode::play_up_to(MAX_MOVES, self.game, &mut player, &mut rng);
        let reached = self.game.reached(&played.last);
        Ok(GameResult { number, score: played.score, moves: played.moves, reached, fresh: true })
    }

    fn linear(&self) -> Result<Linear<G>, RunError> {
        let set = &self.plan.features;
        Ok(Linear::new(set, features(self.game, set)?, 0.0, self.state.weights.clone())?)
    }
}

impl<G: Spec> Training for LspiTraining<'_, G> {
    fn identity(&self) -> String {
        let LspiPlan { features, gamma, samples, .. } = self.plan;
        let reward = self.goal.reward;
        format!("weights of {features} by LSPI for {reward}, gamma {gamma}, {samples} samples")
    }

    fn round(&mut self, turn: &RoundContext) -> Result<Round, RunError> {
        let mut round = Round::default();
        while let Some((number, _)) = turn.next_game_before(whole(turn.budget())) {
            let game = match &self.samples {
                None => self.online(number)?,
                Some(samples) => {
                    let (game, features) = (self.game, &*self.features);
                    let weights = &self.state.weights;
                    self.state.weights = samples.iterate(game, features, &self.goal, weights)?;
                    self.show(number)?
                }
            };
            self.state.iteration += 1;
            turn.count(game.moves);
            round.games.push(game);
        }
        Ok(round)
    }

    fn state(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(&self.state)
    }

    fn restore(&mut self, state: serde_json::Value) -> Result<(), String> {
        let state: State = serde_json::from_value(state).map_err(|error| format!("met {error}"))?;
        let columns = self.state.weights.len();
        let finite = state.weights.iter().all(|weight| weight.is_finite());
        if state.weights.len() != columns || !finite || !state.equations.sound(columns) {
            return Err("met a damaged state, expected one of the recipe beside it".to_owned());
        }
        self.state = state;
        Ok(())
    }

    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), RunError> {
        Ok(file::save_linear(path, info, &self.linear()?)?)
    }
}
