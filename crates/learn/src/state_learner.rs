//! TD(0) on states, as in course projects: a move is selected by the expected value of the next
//! state, and a game is learned from its last move to its first.
//!
//! Weaker and slower than learning afterstates, for every chance outcome of every move is evaluated.
//! The course code that this follows adds each reward twice when it passes a target on to the state
//! before; here it is added once, as its own equation (3.5.1) says.

use afterstate_core::{Rng, Step};
use afterstate_games::Cells;
use afterstate_values::Network;
use afterstate_values::values::TrainableValues;

use crate::{EpisodeResult, Update};

/// Plays games by the values of states and learns from each game at its end.
pub struct StateLearner<'a, G: Cells, U: Update, V: TrainableValues<G> = Network<G>> {
    game: &'a G,
    values: &'a V,
    /// How errors change weights.
    pub update: U,
    indices: Vec<u32>,
    path: Vec<(G::State, f32)>,
}

impl<'a, G: Cells, U: Update, V: TrainableValues<G>> StateLearner<'a, G, U, V> {
    /// A learner that changes the weights by an update.
    pub fn new(game: &'a G, values: &'a V, update: U) -> StateLearner<'a, G, U, V> {
        let indices = vec![0; values.active_features()];
        StateLearner { game, values, update, indices, path: Vec::new() }
    }

    /// Plays one game from a state to its end and learns from it; `observe` sees every state.
    pub fn episode(
        &mut self,
        start: G::State,
        rng: &mut Rng,
        mut observe: impl FnMut(&G::State),
    ) -> EpisodeResult<G::State> {
        let limit = self.game.limit().unwrap_or(u64::MAX);
        let mut played = EpisodeResult { score: 0.0, moves: 0, last: start };
        self.path.clear();
        while played.moves < limit {
            observe(&played.last);
            let Some(Step { after, reward }) = self.select(&played.last) else { break };
            self.path.push((played.last, reward));
            played.score += f64::from(reward);
            played.moves += 1;
            played.last = self.game.sample(&after, rng);
        }
        let terminal = played.moves < limit;
        let mut next = if terminal { 0.0 } else { self.value(&played.last) };
        for i in (0..self.path.len()).rev() {
            let (state, reward) = self.path[i];
            next = self.learn(&state, reward + next);
        }
        played
    }

    /// The move with the largest reward plus expected next value; ties go to the first.
    fn select(&mut self, state: &G::State) -> Option<Step<G::After>> {
        let (game, values, indices) = (self.game, self.values, &mut self.indices);
        let best = game.best_move(state, |(_, step)| {
            let mut value = step.reward;
            game.for_each_chance(&step.after, |next, probability| {
                values.indices(game, &game.board_of(&next), indices);
                value += probability as f32 * values.sum(indices);
            });
            value
        });
        best.map(|((_, step), _)| step)
    }

    fn value(&mut self, state: &G::State) -> f32 {
        self.values.indices(self.game, &self.game.board_of(state), &mut self.indices);
        self.values.sum(&self.indices)
    }

    /// Moves the value of a state towards a target and returns the new value.
    fn learn(&mut self, state: &G::State, target: f32) -> f32 {
        let error = target - self.value(state);
        self.values.promote(&self.indices);
        self.update.apply(self.values.weights(), &self.indices, error);
        self.values.sum(&self.indices)
    }
}
