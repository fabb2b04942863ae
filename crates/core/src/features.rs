//! `Features`: feature vectors of moves, for linear value functions.

use std::ops::ControlFlow;

use crate::Game;
use crate::policy::Choice;

/// The largest number of features in a set.
pub const MAX_FEATURES: usize = 64;

/// What is done with a chance outcome and the value of its best move, `None` if it is terminal.
pub type EachOutcome<'a, G> =
    &'a mut dyn FnMut(&<G as Game>::State, Option<f32>) -> ControlFlow<()>;

/// A feature set phi(s, a). Most features depend on the afterstate only; some (landing height,
/// eroded cells) depend on the move.
pub trait Features<G: Game>: Send + Sync {
    /// The name of each feature, in order; at most [`MAX_FEATURES`].
    fn names(&self) -> Vec<String>;

    /// How many of the first features depend on the move. A search sums these along a line of moves
    /// and evaluates the others at its leaf.
    fn move_features(&self) -> usize {
        0
    }

    /// Writes the features of a legal move in the order of their names. `out` has one element per
    /// name.
    fn describe(&self, game: &G, state: &G::State, choice: &Choice<G>, out: &mut [f32]);

    /// Writes the features that describe the move itself, the first of `out`; others may be written
    /// or not.
    #[inline]
    fn describe_move(&self, game: &G, state: &G::State, choice: &Choice<G>, out: &mut [f32]) {
        self.describe(game, state, choice, out);
    }

    /// The argmax over the legal moves of `reward` times the move's reward plus the weighted sum of
    /// its features, and that maximum. Ties go to the first move; `None` in a terminal state.
    /// `weights` has one finite weight per feature, small enough that no sum overflows. A set that
    /// can evaluate all moves at once overrides this; [`reference_best`] is the reference
    /// implementation.
    fn best(
        &self,
        game: &G,
        state: &G::State,
        reward: f32,
        weights: &[f32],
    ) -> Option<(Choice<G>, f32)> {
        reference_best(self, game, state, reward, weights)
    }

    /// The value of the best move, or of any move whose value is at least `enough`, for a search
    /// that cuts off at that bound. A set that evaluates all moves at once returns the maximum.
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
            if best.is_none_or(|max| value > max) {
                best = Some(value);
            }
            if value >= enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        best
    }

    /// Calls `each` with every legal move, in order, and its value as in [`Features::best`]. A set
    /// that can evaluate all moves at once overrides this.
    fn evaluate_each(
        &self,
        game: &G,
        state: &G::State,
        reward: f32,
        weights: &[f32],
        each: &mut dyn FnMut(Choice<G>, f32),
    ) {
        let mut out = [0.0; MAX_FEATURES];
        let out = &mut out[..weights.len()];
        game.for_each_move(state, |mv, step| {
            self.describe(game, state, &(mv, step), out);
            each((mv, step), weighted_sum(reward * step.reward, weights, out));
        });
    }

    /// Calls `outcome` with the probability of each chance outcome of an afterstate and the value
    /// of its best move, in the order of [`Game::try_chance`]; `None` for a terminal state. A set
    /// that can evaluate all chance outcomes at once overrides this for two-ply search.
    fn best_of_each(
        &self,
        game: &G,
        after: &G::After,
        reward: f32,
        weights: &[f32],
        outcome: &mut dyn FnMut(f64, Option<f32>),
    ) {
        game.for_each_chance(after, |state, probability| {
            outcome(probability, self.best(game, &state, reward, weights).map(|(_, value)| value));
        });
    }

    /// Calls `outcome` with chance outcomes of an afterstate, by their numbers in the order of
    /// [`Game::try_chance`], and the value of the best move of each, until it breaks. For a search
    /// that cuts off after some outcomes, by a set that evaluates the second outcome faster than the
    /// first; others return `false` and call nothing.
    fn best_in_order(
        &self,
        game: &G,
        after: &G::After,
        reward: f32,
        weights: &[f32],
        order: &[usize],
        outcome: EachOutcome<G>,
    ) -> bool {
        let _ = (game, after, reward, weights, order, outcome);
        false
    }
}

/// The reference implementation of [`Features::best`]: evaluates one move at a time.
pub fn reference_best<G: Game, F: Features<G> + ?Sized>(
    features: &F,
    game: &G,
    state: &G::State,
    reward: f32,
    weights: &[f32],
) -> Option<(Choice<G>, f32)> {
    let mut out = [0.0; MAX_FEATURES];
    let out = &mut out[..weights.len()];
    game.best_move(state, |choice| {
        features.describe(game, state, choice, out);
        weighted_sum(reward * choice.1.reward, weights, out)
    })
}

/// `first` plus the weighted sum of features, added from the first to the last.
#[inline]
pub fn weighted_sum(first: f32, weights: &[f32], features: &[f32]) -> f32 {
    weights.iter().zip(features).fold(first, |sum, (weight, feature)| sum + weight * feature)
}
