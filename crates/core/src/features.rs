//! `Features`: numbers that describe a move, for value functions that weigh them.

use std::ops::ControlFlow;

use crate::Game;
use crate::policy::Choice;

/// No set of features is larger.
pub const MAX_FEATURES: usize = 64;

/// A set of features of moves. Most look only at what a move leaves; some (landing height, cells
/// that went away) need the move itself.
pub trait Features<G: Game>: Send + Sync {
    /// The name of each feature, in order; at most [`MAX_FEATURES`].
    fn names(&self) -> Vec<String>;

    /// How many features, the first ones, describe the move itself and not what it leaves. A search
    /// adds them up along a line of moves; the others count at its end.
    fn move_features(&self) -> usize {
        0
    }

    /// The features of a move of a state, in the order of their names. `out` is as long as those.
    fn describe(&self, game: &G, state: &G::State, choice: &Choice<G>, out: &mut [f32]);

    /// The best move of a state and what it is worth: `reward` times its reward plus the weighted_sum
    /// sum of its features, one weight a feature; ties go to the first. Weights are finite, and so
    /// small that no sum overflows. The seam for speed: a set that can weigh all moves at once does
    /// so here, with [`reference_best`] as its slow twin.
    fn best(
        &self,
        game: &G,
        state: &G::State,
        reward: f32,
        weights: &[f32],
    ) -> Option<(Choice<G>, f32)> {
        reference_best(self, game, state, reward, weights)
    }

    /// What the best move of a state is worth, or any move that is worth `enough` or more: a search
    /// that has seen enough asks no further. A set that weighs all moves at once does that instead.
    fn best_until(
        &self,
        game: &G,
        state: &G::State,
        reward: f32,
        weights: &[f32],
        enough: f32,
    ) -> Option<f32> {
        let mut best: Option<f32> = None;
        let mut out = [0.0; MAX_FEATURES];
        let out = &mut out[..weights.len()];
        let _ = game.try_moves(state, |mv, step| {
            self.describe(game, state, &(mv, step), out);
            let value = weighted_sum(reward * step.reward, weights, out);
            if best.is_none_or(|most| value > most) {
                best = Some(value);
            }
            if value >= enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        best
    }

    /// What the best move of each state is worth that chance may deal after a move, with the odds
    /// of that state, in the order of [`Game::try_chance`]; `None` where the game is over. The seam
    /// for the speed of a search that looks one deal ahead.
    fn best_of_each(
        &self,
        game: &G,
        after: &G::After,
        reward: f32,
        weights: &[f32],
        deal: &mut dyn FnMut(f64, Option<f32>),
    ) {
        game.for_each_chance(after, |state, odds| {
            deal(odds, self.best(game, &state, reward, weights).map(|(_, value)| value));
        });
    }
}

/// The best move of a state, found by describing one move after the other.
pub fn reference_best<G: Game, F: Features<G> + ?Sized>(
    features: &F,
    game: &G,
    state: &G::State,
    reward: f32,
    weights: &[f32],
) -> Option<(Choice<G>, f32)> {
    let mut best: Option<(Choice<G>, f32)> = None;
    let mut out = [0.0; MAX_FEATURES];
    let out = &mut out[..weights.len()];
    game.for_each_move(state, |mv, step| {
        features.describe(game, state, &(mv, step), out);
        let value = weighted_sum(reward * step.reward, weights, out);
        if best.is_none_or(|(_, most)| value > most) {
            best = Some(((mv, step), value));
        }
    });
    best
}

/// A weighted_sum sum of features, added from the first to the last.
#[inline]
pub fn weighted_sum(first: f32, weights: &[f32], features: &[f32]) -> f32 {
    weights.iter().zip(features).fold(first, |sum, (weight, feature)| sum + weight * feature)
}
