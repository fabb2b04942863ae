//! Weights of features by lambda-policy iteration: games by the weights, then least squares for the
//! next ones.
//!
//! Game j of iteration i draws from the stream (seed, i * games + j), and games are learned in that
//! order on any number of threads. The agent is that of the iteration whose games were the best: the
//! method is known to get worse again.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use afterstate_core::{Features, Rng};
use afterstate_games::spec::Spec;
use afterstate_learn::lambda_pi::Trace;
use afterstate_learn::least_squares::LeastSquares;
use afterstate_learn::play::{Play, WeightedFeatures};
use afterstate_values::Linear;
use afterstate_values::file::{self, AgentInfo};
use serde::{Deserialize, Serialize};

use super::weights::{features, start};
use crate::recipe::{LambdaPiPlan, Recipe};
use crate::run::RunError;
use crate::run::training::{GameResult, Round, RoundContext, Training};

/// Moves between two looks at the clock.
const MOVES: u64 = 2_048;

/// Whether weights can be learned by a plan.
pub(super) fn check<G: Spec>(game: &G, plan: &LambdaPiPlan) -> Result<(), RunError> {
    start(&plan.start, features(game, &plan.features)?.names().len()).map(|_| ())
}

/// Weights that are learned.
pub(super) struct LambdaPiTraining<'a, G: Spec> {
    game: &'a G,
    recipe: &'a Recipe,
    plan: &'a LambdaPiPlan,
    features: Box<dyn Features<G>>,
    /// The games under way, one a thread.
    places: Vec<Option<Game<G>>>,
    /// Games that ended before one with a lower number.
    ended: BTreeMap<usize, Game<G>>,
    state: State,
}

/// A game with the boards that it came to.
struct Game<G: Spec> {
    number: usize,
    play: Play<G>,
    trace: Trace,
    cut_off: bool,
}

/// All that it needs to go on.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    iteration: u64,
    weights: Vec<f64>,
    /// Games of this iteration that are in the sums.
    played: usize,
    score: f64,
    squares: LeastSquares,
    /// The best iteration so far: its mean score, and the weights that it played by.
    best: Option<(f64, Vec<f64>)>,
}

impl<'a, G: Spec> LambdaPiTraining<'a, G> {
    pub(super) fn open(
        game: &'a G,
        recipe: &'a Recipe,
        plan: &'a LambdaPiPlan,
        threads: usize,
    ) -> Result<LambdaPiTraining<'a, G>, RunError> {
        let features = features(game, &plan.features)?;
        let columns = features.names().len();
        let weights = start(&plan.start, columns)?;
        let squares = LeastSquares::new(columns);
        let state = State { iteration: 0, weights, played: 0, score: 0.0, squares, best: None };
        let places = (0..threads).map(|_| None).collect();
        let ended = BTreeMap::new();
        Ok(LambdaPiTraining { game, recipe, plan, features, places, ended, state })
    }

    /// Plays on all threads until the turn is over or the iteration has all its games.
    fn play(&mut self, turn: &RoundContext) {
        let weights: Vec<f32> = self.state.weights.iter().map(|&weight| weight as f32).collect();
        let weighing = WeightedFeatures {
            features: &*self.features,
            reward: self.plan.reward as f32,
            weights: &weights,
        };
        let known = |number: &usize| {
            self.ended.contains_key(number)
                || self.places.iter().flatten().any(|game| game.number == *number)
        };
        let waiting: Vec<usize> =
            (self.state.played..self.plan.games).filter(|number| !known(number)).collect();
        let next = AtomicUsize::new(0);
        let first = self.state.iteration * self.plan.games as u64;
        let (game, seed, most) = (self.game, self.recipe.seed, self.plan.max_moves);
        let begin = || {
            let number = *waiting.get(next.fetch_add(1, Ordering::Relaxed))?;
            let rng = Rng::stream(seed, first + number as u64);
            let (play, trace) = (Play::new(game, rng), Trace::new(weights.len()));
            turn.may_begin().then_some(Game { number, play, trace, cut_off: false })
        };
        let work = |place: &mut Option<Game<G>>| {
            let mut ended = Vec::new();
            let mut out = vec![0.0; weights.len()];
            while let Some(mut here) = place.take().or_else(&begin) {
                let Game { play, trace, .. } = &mut here;
                let mut watch = |features: &[f32], reward: f32| trace.add(features, reward);
                let mut over = false;
                while !over && play.moves < most {
                    if turn.over() {
                        *place = Some(here);
                        return ended;
                    }
                    let moves = MOVES.min(most - play.moves);
                    over = play.advance_watched(game, &weighing, moves, &mut out, &mut watch);
                }
                here.cut_off = !over;
                ended.push(here);
            }
            ended
        };
        let ended: Vec<Game<G>> = if let [place] = &mut self.places[..] {
            work(place)
        } else {
            std::thread::scope(|scope| {
                let work = &work;
                let spawn = |place| scope.spawn(move || work(place));
                let threads: Vec<_> = self.places.iter_mut().map(spawn).collect();
                let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
                joined
                    .flat_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                    .collect()
            })
        };
        self.ended.extend(ended.into_iter().map(|game| (game.number, game)));
    }

    /// Takes the games that ended into the sums, in the order of their numbers.
    fn learn(&mut self, turn: &RoundContext, round: &mut Round) {
        while let Some(Game { play, trace, cut_off, .. }) = self.ended.remove(&self.state.played) {
            if cut_off {
                round.notes.push(format!(
                    "A game was cut off after {} moves and is not learned from",
                    play.moves
                ));
            } else {
                trace.fit(&self.state.weights, self.plan.lambda, &mut self.state.squares);
            }
            self.state.played += 1;
            self.state.score += play.score;
            round.games.push(GameResult {
                number: turn.ended(play.moves),
                score: play.score,
                moves: play.moves,
                reached: self.game.reached(play.state()),
                fresh: true,
            });
        }
    }

    /// The next weights, when all games are in.
    fn iterate(&mut self, round: &mut Round) -> Result<(), RunError> {
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
                    "Iteration {}: the games leave some weights open; small ones were preferred",
                    self.state.iteration
                ));
            }
            self.state.weights = solution.weights;
            round.extra.insert("error".to_owned(), solution.error);
        }
        self.state.squares = LeastSquares::new(columns);
        self.state.iteration += 1;
        (self.state.played, self.state.score) = (0, 0.0);
        let best = self.state.best.as_ref().map_or(mean, |(score, _)| *score);
        round.extra.insert("iteration".to_owned(), self.state.iteration as f64);
        round.extra.insert("best".to_owned(), best);
        round.iterated = true;
        Ok(())
    }
}

impl<G: Spec> Training for LambdaPiTraining<'_, G> {
    fn identity(&self) -> String {
        let LambdaPiPlan { features, games, lambda, .. } = self.plan;
        format!("weights of {features} by lambda-policy iteration, {games} games, lambda {lambda}")
    }

    fn iterates(&self) -> bool {
        true
    }

    fn round(&mut self, turn: &RoundContext) -> Result<Round, RunError> {
        let mut round = Round::default();
        self.play(turn);
        self.learn(turn, &mut round);
        if self.state.played == self.plan.games {
            self.iterate(&mut round)?;
        }
        Ok(round)
    }

    fn state(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(&self.state)
    }

    fn restore(&mut self, state: serde_json::Value) -> Result<(), String> {
        let state: State = serde_json::from_value(state).map_err(|error| format!("met {error}"))?;
        let columns = self.state.weights.len();
        let whole = |weights: &Vec<f64>| {
            weights.len() == columns && weights.iter().all(|weight| weight.is_finite())
        };
        let sound = whole(&state.weights)
            && state.best.iter().all(|(_, weights)| whole(weights))
            && state.played < self.plan.games
            && state.squares.sound(columns);
        if !sound {
            return Err("met a damaged state, expected one of the recipe beside it".to_owned());
        }
        self.state = state;
        Ok(())
    }

    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), RunError> {
        let weights = self.state.best.as_ref().map_or(&self.state.weights, |(_, best)| best);
        let weights = weights.iter().map(|&weight| weight as f32).collect();
        let set = &self.plan.features;
        let features = features(self.game, set)?;
        let linear = Linear::new(set, features, self.plan.reward as f32, weights)?;
        Ok(file::save_linear(path, info, &linear)?)
    }
}
