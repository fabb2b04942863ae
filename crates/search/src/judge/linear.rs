//! `LinearJudge`: judges moves by weighted features.

use std::ops::ControlFlow;

use afterstate_core::features::{MOST_FEATURES, weighted};
use afterstate_core::policy::Choice;
use afterstate_core::{Features, Game};

use super::{Judge, Worth};

/// A lost game costs as much as this many of every feature, weighted: more than the boards that
/// play meets, and in proportion to the weights. Of the published DT-10 weights that is a thousand.
const LOSS: f32 = 40.0;

/// A move is worth `reward` times what it earns plus the weighted sum of its features. Along a line
/// of moves, what they earn and the features of the moves themselves add up; the features of the
/// board count at the end of the line.
pub struct LinearJudge<'a, F: ?Sized> {
    features: &'a F,
    weights: &'a [f32],
    reward: f32,
    lost: f32,
    passing: usize,
}

impl<'a, F: ?Sized> LinearJudge<'a, F> {
    /// Judges by features and as many weights.
    pub fn new<G: Game>(features: &'a F, weights: &'a [f32], reward: f32) -> LinearJudge<'a, F>
    where
        F: Features<G>,
    {
        let lost = -LOSS * (reward.abs() + weights.iter().map(|weight| weight.abs()).sum::<f32>());
        let passing = features.of_the_move().min(weights.len());
        LinearJudge { features, weights, reward, lost, passing }
    }
}

impl<F: ?Sized> Clone for LinearJudge<'_, F> {
    fn clone(&self) -> Self {
        LinearJudge { ..*self }
    }
}

impl<G: Game, F: Features<G> + ?Sized> Judge<G> for LinearJudge<'_, F> {
    #[inline]
    fn weigh(&mut self, game: &G, state: &G::State, mut offer: impl FnMut(Choice<G>, Worth)) {
        let mut out = [0.0; MOST_FEATURES];
        let out = &mut out[..self.weights.len()];
        game.for_each_move(state, |mv, step| {
            self.features.describe(game, state, &(mv, step), out);
            let earned = self.reward * step.reward;
            let (own, left) = self.weights.split_at(self.passing);
            let passing = weighted(earned, own, out);
            offer((mv, step), Worth { value: weighted(passing, left, &out[own.len()..]), passing });
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
    fn passing(&mut self, game: &G, state: &G::State, choice: &Choice<G>) -> f32 {
        let earned = self.reward * choice.1.reward;
        if self.passing == 0 {
            return earned;
        }
        let mut out = [0.0; MOST_FEATURES];
        let out = &mut out[..self.weights.len()];
        self.features.describe(game, state, choice, out);
        weighted(earned, &self.weights[..self.passing], &out[..self.passing])
    }

    fn lost(&self) -> f32 {
        self.lost
    }

    #[inline]
    fn expect(&mut self, game: &G, after: &G::After) -> (f32, u64) {
        // One state for all that is dealt: the next piece is known.
        let known = |_, odds: f64| ControlFlow::Break(odds >= 1.0);
        if game.try_next_turn(after, known) == ControlFlow::Break(true) {
            return super::expect_each(self, game, after);
        }
        let (mut mean, mut states, lost) = (0.0, 0, self.lost);
        self.features.best_of_each(game, after, self.reward, self.weights, &mut |odds, best| {
            states += 1;
            mean += odds as f32 * best.unwrap_or(lost);
        });
        (mean, states)
    }
}
