//! `LinearEvaluator`: judges moves by weighted_sum features.

use std::ops::ControlFlow;

use afterstate_core::features::{MAX_FEATURES, weighted_sum};
use afterstate_core::policy::Choice;
use afterstate_core::{Features, Game};

use super::{Evaluator, MoveValue};

/// A lost game costs as much as this many of every feature, weighted_sum: more than the boards that
/// play meets, and in proportion to the weights. Of the published DT-10 weights that is a thousand.
const LOSS: f32 = 40.0;

/// A move is worth `reward` times what it earns plus the weighted_sum sum of its features. Along a line
/// of moves, what they earn and the features of the moves themselves add up; the features of the
/// board count at the end of the line.
pub struct LinearEvaluator<'a, F: ?Sized> {
    features: &'a F,
    weights: &'a [f32],
    reward: f32,
    terminal_value: f32,
    immediate_reward: usize,
}

impl<'a, F: ?Sized> LinearEvaluator<'a, F> {
    /// Judges by features and as many weights.
    pub fn new<G: Game>(features: &'a F, weights: &'a [f32], reward: f32) -> LinearEvaluator<'a, F>
    where
        F: Features<G>,
    {
        let terminal_value =
            -LOSS * (reward.abs() + weights.iter().map(|weight| weight.abs()).sum::<f32>());
        let immediate_reward = features.move_features().min(weights.len());
        LinearEvaluator { features, weights, reward, terminal_value, immediate_reward }
    }
}

impl<F: ?Sized> Clone for LinearEvaluator<'_, F> {
    fn clone(&self) -> Self {
        LinearEvaluator { ..*self }
    }
}

impl<G: Game, F: Features<G> + ?Sized> Evaluator<G> for LinearEvaluator<'_, F> {
    #[inline]
    fn evaluate_moves(
        &mut self,
        game: &G,
        state: &G::State,
        mut offer: impl FnMut(Choice<G>, MoveValue),
    ) {
        let mut out = [0.0; MAX_FEATURES];
        let out = &mut out[..self.weights.len()];
        game.for_each_move(state, |mv, step| {
            self.features.describe(game, state, &(mv, step), out);
            let earned = self.reward * step.reward;
            let (own, left) = self.weights.split_at(self.immediate_reward);
            let immediate_reward = weighted_sum(earned, own, out);
            offer(
                (mv, step),
                MoveValue {
                    value: weighted_sum(immediate_reward, left, &out[own.len()..]),
                    immediate_reward,
                },
            );
        });
    }

    #[inline]
    fn best(&mut self, game: &G, state: &G::State) -> Option<f32> {
        self.features.best(game, state, self.reward, self.weights).map(|(_, value)| value)
    }

    #[inline]
    fn best_until(&mut self, game: &G, state: &G::State, enough: f32) -> Option<f32> {
        self.features.best_until(game, state, self.reward, self.weights, enough)
    }

    #[inline]
    fn immediate_reward(&mut self, game: &G, state: &G::State, choice: &Choice<G>) -> f32 {
        let earned = self.reward * choice.1.reward;
        if self.immediate_reward == 0 {
            return earned;
        }
        let mut out = [0.0; MAX_FEATURES];
        let out = &mut out[..self.weights.len()];
        self.features.describe(game, state, choice, out);
        weighted_sum(earned, &self.weights[..self.immediate_reward], &out[..self.immediate_reward])
    }

    fn terminal_value(&self) -> f32 {
        self.terminal_value
    }

    #[inline]
    fn expect(&mut self, game: &G, after: &G::After) -> (f32, u64) {
        // One state for all that is dealt: the next piece is known.
        let known = |_, odds: f64| ControlFlow::Break(odds >= 1.0);
        if game.try_next_turn(after, known) == ControlFlow::Break(true) {
            return super::expected_value_each(self, game, after);
        }
        let (mut mean, mut states, terminal_value) = (0.0, 0, self.terminal_value);
        self.features.best_of_each(game, after, self.reward, self.weights, &mut |odds, best| {
            states += 1;
            mean += odds as f32 * best.unwrap_or(terminal_value);
        });
        (mean, states)
    }
}
