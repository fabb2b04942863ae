//! `LinearEvaluator`: evaluates moves by weighted features.

use std::ops::ControlFlow;

use afterstate_core::features::{EachOutcome, MAX_FEATURES, weighted_sum};
use afterstate_core::policy::Choice;
use afterstate_core::{Features, Game};

use super::{EachMove, Evaluator, MoveValue};

/// The value of a terminal state is minus this times the sum of the magnitudes of all weights:
/// lower than boards in play, and in proportion to the weights. For the published DT-10 weights it
/// is about -1000.
const LOSS: f32 = 40.0;

/// The value of a move is `reward` times its reward plus the weighted sum of its features. Along a
/// line of moves, rewards and the features of the moves themselves add up; the features of the
/// board count at the end of the line.
pub struct LinearEvaluator<'a, F: ?Sized> {
    features: &'a F,
    weights: &'a [f32],
    reward: f32,
    terminal_value: f32,
    /// How many features, the first ones, describe the move itself.
    move_features: usize,
}

impl<'a, F: ?Sized> LinearEvaluator<'a, F> {
    /// An evaluator by features and one weight per feature.
    pub fn new<G: Game>(features: &'a F, weights: &'a [f32], reward: f32) -> LinearEvaluator<'a, F>
    where
        F: Features<G>,
    {
        let terminal_value =
            -LOSS * (reward.abs() + weights.iter().map(|weight| weight.abs()).sum::<f32>());
        let move_features = features.move_features().min(weights.len());
        LinearEvaluator { features, weights, reward, terminal_value, move_features }
    }
}

impl<F: ?Sized> Clone for LinearEvaluator<'_, F> {
    fn clone(&self) -> Self {
        LinearEvaluator { ..*self }
    }
}

impl<G: Game, F: Features<G> + ?Sized> Evaluator<G> for LinearEvaluator<'_, F> {
    #[inline]
    fn evaluate_moves(&mut self, game: &G, state: &G::State, each: EachMove<G>) {
        let (reward, weights) = (self.reward, self.weights);
        if self.move_features == 0 {
            self.features.evaluate_each(game, state, reward, weights, &mut |choice, value| {
                each(choice, MoveValue { value, immediate_reward: reward * choice.1.reward });
            });
            return;
        }
        let mut out = [0.0; MAX_FEATURES];
        let out = &mut out[..self.weights.len()];
        game.for_each_move(state, |mv, step| {
            self.features.describe(game, state, &(mv, step), out);
            let (of_move, of_board) = self.weights.split_at(self.move_features);
            let immediate_reward = weighted_sum(self.reward * step.reward, of_move, out);
            let value = weighted_sum(immediate_reward, of_board, &out[of_move.len()..]);
            each((mv, step), MoveValue { value, immediate_reward });
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
    fn best_in_order(
        &mut self,
        game: &G,
        after: &G::After,
        order: &[usize],
        outcome: EachOutcome<G>,
    ) -> bool {
        self.features.best_in_order(game, after, self.reward, self.weights, order, outcome)
    }

    #[inline]
    fn immediate_reward(&mut self, game: &G, state: &G::State, choice: &Choice<G>) -> f32 {
        let reward = self.reward * choice.1.reward;
        if self.move_features == 0 {
            return reward;
        }
        let mut out = [0.0; MAX_FEATURES];
        let out = &mut out[..self.weights.len()];
        self.features.describe_move(game, state, choice, out);
        weighted_sum(reward, &self.weights[..self.move_features], &out[..self.move_features])
    }

    fn terminal_value(&self) -> f32 {
        self.terminal_value
    }

    #[inline]
    fn expected_value(&mut self, game: &G, after: &G::After) -> (f32, u64) {
        // A single outcome: the next piece is known.
        let certain = |_, probability: f64| ControlFlow::Break(probability >= 1.0);
        if game.try_next_turn(after, certain) == ControlFlow::Break(true) {
            return super::reference_expected_value(self, game, after);
        }
        let (mut mean, mut states, terminal_value) = (0.0, 0, self.terminal_value);
        let mut each = |probability: f64, best: Option<f32>| {
            states += 1;
            mean += probability as f32 * best.unwrap_or(terminal_value);
        };
        self.features.best_of_each(game, after, self.reward, self.weights, &mut each);
        (mean, states)
    }
}
