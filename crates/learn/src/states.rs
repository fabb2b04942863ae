//! TD(0) on states, as seed programs of courses do it: a move is chosen by the expected value of
//! the state that chance makes of it, and a game is learned from its end backwards.
//!
//! Weaker and slower than learning afterstates: choosing needs the value of every chance outcome.
//! The course code that this follows adds each reward twice when it passes a target on to the
//! state before; here it is added once, as its own equation (3.5.1) says.

use afterstate_core::{Rng, Step};
use afterstate_games::Cells;
use afterstate_values::Network;

use crate::{EpisodeResult, Update};

/// Plays games by the values of states and learns each game when it is over.
pub struct StateLearner<'a, G: Cells, U: Update> {
    game: &'a G,
    network: &'a Network<G>,
    update: U,
    numbers: Vec<u32>,
    path: Vec<(G::State, f32)>,
}

impl<'a, G: Cells, U: Update> StateLearner<'a, G, U> {
    /// A learner that changes the network by an update.
    pub fn new(game: &'a G, network: &'a Network<G>, update: U) -> StateLearner<'a, G, U> {
        let numbers = vec![0; network.active_features()];
        StateLearner { game, network, update, numbers, path: Vec::new() }
    }

    /// The update, to change its rate between games.
    pub fn update_mut(&mut self) -> &mut U {
        &mut self.update
    }

    /// Plays one game from a state to its end and learns from it; `watch` sees every state.
    pub fn episode(
        &mut self,
        start: G::State,
        rng: &mut Rng,
        mut watch: impl FnMut(&G::State),
    ) -> EpisodeResult<G::State> {
        let limit = self.game.limit().unwrap_or(u64::MAX);
        let mut played = EpisodeResult { score: 0.0, moves: 0, last: start };
        self.path.clear();
        while played.moves < limit {
            watch(&played.last);
            let Some(Step { after, reward }) = self.choose(&played.last) else { break };
            self.path.push((played.last, reward));
            played.score += f64::from(reward);
            played.moves += 1;
            played.last = self.game.sample(&after, rng);
        }
        let over = played.moves < limit;
        let mut next = if over { 0.0 } else { self.value(&played.last) };
        for number in (0..self.path.len()).rev() {
            let (state, reward) = self.path[number];
            next = self.learn(&state, reward + next);
        }
        played
    }

    /// The move whose reward and expected next value are the largest; ties go to the first.
    fn choose(&mut self, state: &G::State) -> Option<Step<G::After>> {
        let mut best: Option<(f32, Step<G::After>)> = None;
        let (game, network, numbers) = (self.game, self.network, &mut self.numbers);
        game.for_each_move(state, |_, step| {
            let mut value = step.reward;
            game.for_each_chance(&step.after, |next, odds| {
                network.indices(game, &game.board_of(&next), numbers);
                value += odds as f32 * network.sum(numbers);
            });
            if best.is_none_or(|(most, _)| value > most) {
                best = Some((value, step));
            }
        });
        best.map(|(_, step)| step)
    }

    fn value(&mut self, state: &G::State) -> f32 {
        self.network.indices(self.game, &self.game.board_of(state), &mut self.numbers);
        self.network.sum(&self.numbers)
    }

    /// Moves the value of a state towards a target and returns the new value.
    fn learn(&mut self, state: &G::State, target: f32) -> f32 {
        let error = target - self.value(state);
        self.network.promote(&self.numbers);
        self.update.apply(self.network.weights(), &self.numbers, error);
        self.network.sum(&self.numbers)
    }
}
