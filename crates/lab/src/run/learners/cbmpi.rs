//! Weights of features by classification-based modified policy iteration.
//!
//! A checkpoint stands between iterations: one that is stopped in the middle is done again, from the
//! same streams. Its games are counted when it is done.

use std::path::Path;

use afterstate_core::{Features, Rng};
use afterstate_games::spec::Spec;
use afterstate_learn::cbmpi::{Sample, Trial, classify, regret};
use afterstate_learn::least_squares::{LeastSquares, Solver};
use afterstate_learn::play::{Play, WeightedFeatures};
use afterstate_values::Linear;
use afterstate_values::file::{self, AgentInfo};
use serde::{Deserialize, Serialize};

use super::weights::{features, start};
use crate::recipe::{CbmpiPlan, Recipe};
use crate::run::RunError;
use crate::run::training::{GameResult, Round, RoundContext, Training};

/// Streams of the classifier and of rollouts: never those of games.
const SEARCH: u64 = 0xcb_4a91;
const ROLLOUT: u64 = 0x7011_0075;

/// States tried between two looks at the clock.
const BATCH: usize = 64;

/// Whether weights can be learned by a plan.
pub(super) fn check<G: Spec>(game: &G, plan: &CbmpiPlan) -> Result<(), RunError> {
    features(game, &plan.values)?;
    start(&plan.start, features(game, &plan.features)?.names().len()).map(|_| ())
}

/// Weights that are learned.
pub(super) struct CbmpiTraining<'a, G: Spec> {
    game: &'a G,
    recipe: &'a Recipe,
    plan: &'a CbmpiPlan,
    policy: Box<dyn Features<G>>,
    values: Box<dyn Features<G>>,
    threads: rayon::ThreadPool,
    state: State,
    /// The iteration under way.
    under_way: UnderWay<G>,
}

/// All that it needs to go on.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    iteration: u64,
    policy: Vec<f64>,
    values: Vec<f64>,
}

/// What an iteration has so far.
struct UnderWay<G: Spec> {
    games: Vec<(f64, u64)>,
    met: Vec<G::State>,
    samples: Vec<Sample>,
}

impl<G: Spec> Default for UnderWay<G> {
    fn default() -> UnderWay<G> {
        UnderWay { games: Vec::new(), met: Vec::new(), samples: Vec::new() }
    }
}

fn narrow(weights: &[f64]) -> Vec<f32> {
    weights.iter().map(|&weight| weight as f32).collect()
}

impl<'a, G: Spec> CbmpiTraining<'a, G> {
    pub(super) fn open(
        game: &'a G,
        recipe: &'a Recipe,
        plan: &'a CbmpiPlan,
        threads: usize,
    ) -> Result<CbmpiTraining<'a, G>, RunError> {
        let (policy, values) = (features(game, &plan.features)?, features(game, &plan.values)?);
        let weights = start(&plan.start, policy.names().len())?;
        let state =
            State { iteration: 0, policy: weights, values: vec![0.0; values.names().len()] };
        let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let under_way = UnderWay::default();
        Ok(CbmpiTraining { game, recipe, plan, policy, values, threads, state, under_way })
    }

    /// The games of an iteration, on one thread: they are a small part of the work.
    fn play(&mut self, turn: &RoundContext) {
        let weights = narrow(&self.state.policy);
        let weighing = WeightedFeatures { features: &*self.policy, reward: 0.0, weights: &weights };
        let first = self.state.iteration * self.plan.games as u64;
        while self.under_way.games.len() < self.plan.games && !turn.over() {
            let number = first + self.under_way.games.len() as u64;
            let mut play = Play::new(self.game, Rng::stream(self.recipe.seed, number));
            let mut met = Vec::new();
            let mut over = false;
            while !over && play.moves < self.plan.max_moves {
                met.push(*play.state());
                over = play.advance(self.game, &weighing, 1, f64::INFINITY);
                if turn.stopped() {
                    return;
                }
            }
            self.under_way.met.extend(met);
            self.under_way.games.push((play.score, play.moves));
        }
    }

    /// Tries the moves of states that the games met.
    fn sample(&mut self, turn: &RoundContext) {
        use rayon::prelude::*;
        let (policy, values) = (narrow(&self.state.policy), narrow(&self.state.values));
        let trial = Trial {
            game: self.game,
            policy: WeightedFeatures { features: &*self.policy, reward: 0.0, weights: &policy },
            values: WeightedFeatures { features: &*self.values, reward: 0.0, weights: &values },
            settings: &self.plan.iteration,
        };
        let all = self.plan.iteration.states;
        let (seed, met) = (self.recipe.seed ^ ROLLOUT, &self.under_way.met);
        let first = self.state.iteration * all as u64;
        while self.under_way.samples.len() < all && !turn.over() {
            let done = self.under_way.samples.len();
            let batch = done..all.min(done + BATCH);
            let sample = |number: usize| {
                let mut rng = Rng::stream(seed, first + number as u64);
                // A state without a move has nothing to say; games have few of them.
                loop {
                    let state = &met[rng.below(met.len())];
                    if let Some(sample) = trial.sample(state, rng.bits()) {
                        return sample;
                    }
                }
            };
            let more: Vec<Sample> =
                self.threads.install(|| batch.into_par_iter().map(sample).collect());
            self.under_way.samples.extend(more);
        }
    }

    /// The next values and the next policy.
    fn iterate(&mut self, turn: &RoundContext) -> Result<Round, RunError> {
        use rayon::prelude::*;
        let UnderWay { games, samples, .. } = std::mem::take(&mut self.under_way);
        let mut squares = LeastSquares::new(self.state.values.len());
        for Sample { value: (features, worth), .. } in &samples {
            squares.add(features.iter().map(|&x| f64::from(x)), *worth);
        }
        let values = squares.solve(Solver::Exact)?;
        let mut rng = Rng::stream(self.recipe.seed ^ SEARCH, self.state.iteration);
        let score = |point: &Vec<f64>| regret(&samples, point);
        let each =
            |points: &[Vec<f64>]| self.threads.install(|| points.par_iter().map(score).collect());
        let before = regret(&samples, &self.state.policy);
        let policy = classify(&self.state.policy, &self.plan.iteration, &mut rng, each);
        let after = regret(&samples, &policy);
        (self.state.policy, self.state.values) = (policy, values.weights);
        self.state.iteration += 1;
        let mut round = Round { iterated: true, ..Round::default() };
        // The moves of rollouts are moves, too: they are counted with the last game.
        let rollouts: u64 = samples.iter().map(|sample| sample.moves).sum();
        for (number, &(score, moves)) in games.iter().enumerate() {
            let last = number + 1 == games.len();
            let counted = if last { moves + rollouts } else { moves };
            let number = turn.ended(counted);
            round.games.push(GameResult { number, score, moves, reached: None, fresh: true });
        }
        if values.regularised {
            let note =
                "The states leave some weights of the values open; small ones were preferred";
            round.notes.push(note.to_owned());
        }
        let iteration = self.state.iteration as f64;
        let extra = [("iteration", iteration), ("regret before", before), ("regret after", after)];
        round.extra = extra.map(|(name, value)| (name.to_owned(), value)).into();
        Ok(round)
    }
}

impl<G: Spec> Training for CbmpiTraining<'_, G> {
    fn identity(&self) -> String {
        let CbmpiPlan { features, values, games, iteration, .. } = self.plan;
        format!(
            "weights of {features} by CBMPI with values of {values}, {games} games, {iteration:?}"
        )
    }

    fn iterates(&self) -> bool {
        true
    }

    fn round(&mut self, turn: &RoundContext) -> Result<Round, RunError> {
        self.play(turn);
        if self.under_way.games.len() == self.plan.games {
            self.sample(turn);
        }
        if self.under_way.samples.len() == self.plan.iteration.states {
            return self.iterate(turn);
        }
        Ok(Round::default())
    }

    fn state(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(&self.state)
    }

    fn restore(&mut self, state: serde_json::Value) -> Result<(), String> {
        let state: State = serde_json::from_value(state).map_err(|error| format!("met {error}"))?;
        let whole = |one: &[f64], other: &[f64]| {
            one.len() == other.len() && one.iter().all(|weight| weight.is_finite())
        };
        let known = &self.state;
        if !whole(&state.policy, &known.policy) || !whole(&state.values, &known.values) {
            return Err("met a damaged state, expected one of the recipe beside it".to_owned());
        }
        self.state = state;
        Ok(())
    }

    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), RunError> {
        let set = &self.plan.features;
        let features = features(self.game, set)?;
        let linear = Linear::new(set, features, 0.0, narrow(&self.state.policy))?;
        Ok(file::save_linear(path, info, &linear)?)
    }
}
