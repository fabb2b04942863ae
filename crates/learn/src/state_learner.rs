//! TD(0) on states, as in course projects: a move is selected by the expected value of the next
//! state, and a game is learned from its last move to its first.
//!
//! Weaker and slower than learning afterstates, for every chance outcome of every move is evaluated.
//! Targets are those of equation 3.5.1 of Chen 2022; [`StateLearner::as_printed`] learns and selects as
//! the code beside that equation does.

use afterstate_core::{EpisodeLimit, Rng, Step};
use afterstate_games::Cells;
use afterstate_values::Network;
use afterstate_values::values::{AfterstateValues, Scratch, TrainableValues};

use crate::{EpisodeResult, Update};

/// Plays games by the values of states and learns from each game at its end.
pub struct StateLearner<'a, G: Cells, U: Update, V: TrainableValues<G> = Network<G>> {
    game: &'a G,
    values: &'a V,
    /// How errors change weights.
    pub update: U,
    indices: Vec<u32>,
    path: Vec<(G::State, f32)>,
    as_printed: bool,
    /// When games are truncated.
    limit: EpisodeLimit<'a>,
    /// The boards after every move and chance outcome, and their values.
    boards: Vec<G::After>,
    board_values: Vec<f32>,
    scratch: Scratch,
}

impl<'a, G: Cells, U: Update, V: TrainableValues<G>> StateLearner<'a, G, U, V> {
    /// A learner that changes the weights by an update.
    pub fn new(game: &'a G, values: &'a V, update: U) -> StateLearner<'a, G, U, V> {
        let indices = vec![0; values.active_features()];
        StateLearner {
            game,
            values,
            update,
            indices,
            path: Vec::new(),
            as_printed: false,
            limit: EpisodeLimit::of(game),
            boards: Vec::new(),
            board_values: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    /// The same as the code of Chen 2022 is printed: a target passed back to the state before counts
    /// the reward a second time, and expected values are kept in an integer, which truncates every
    /// partial sum and the mean over the empty cells.
    pub fn as_printed(self) -> StateLearner<'a, G, U, V> {
        StateLearner { as_printed: true, ..self }
    }

    /// Truncates games at a limit instead of that of the rules.
    #[must_use]
    pub fn with_limit(self, limit: EpisodeLimit<'a>) -> StateLearner<'a, G, U, V> {
        StateLearner { limit, ..self }
    }

    /// Plays one game from a state to its end and learns from it; `observe` sees every state.
    pub fn episode(
        &mut self,
        start: G::State,
        rng: &mut Rng,
        mut observe: impl FnMut(&G::State),
    ) -> EpisodeResult<G::State> {
        let mut played = EpisodeResult { score: 0.0, moves: 0, last: start };
        let mut terminal = false;
        self.path.clear();
        while !terminal && !self.limit.is_reached(played.moves) {
            observe(&played.last);
            let Some(Step { after, reward }) = self.select(&played.last) else {
                terminal = true;
                continue;
            };
            self.path.push((played.last, reward));
            played.score += f64::from(reward);
            played.moves += 1;
            played.last = self.game.sample(&after, rng);
        }
        let mut next = if terminal { 0.0 } else { self.value(&played.last) };
        for i in (0..self.path.len()).rev() {
            let (state, reward) = self.path[i];
            next = self.learn(&state, reward + next);
            if self.as_printed {
                next += reward;
            }
        }
        played
    }

    /// The move with the largest reward plus expected next value; ties go to the first.
    fn select(&mut self, state: &G::State) -> Option<Step<G::After>> {
        let game = self.game;
        self.boards.clear();
        game.for_each_move(state, |_, step| {
            game.for_each_chance(&step.after, |next, _| self.boards.push(game.board_of(&next)));
        });
        // All in one call: the weights of many boards are prefetched before the first is summed.
        self.board_values.resize(self.boards.len(), 0.0);
        self.values.evaluate(game, &self.boards, &mut self.scratch, &mut self.board_values);
        let mut board_values = self.board_values.iter().copied();
        let mut next_value = || board_values.next().unwrap_or_default();
        let as_printed = self.as_printed;
        let best = game.best_move(state, |(_, step)| {
            if as_printed {
                return step.reward + truncated_expectation(game, &step.after, &mut next_value);
            }
            let mut value = step.reward;
            game.for_each_chance(&step.after, |_, probability| {
                value += probability as f32 * next_value();
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

/// The expected value over chance, summed in an integer as the code of Chen 2022 does: a 2 and a 4 in
/// each empty cell count 0.9 and 0.1, and the sum is divided by the number of empty cells. `next_value`
/// gives the values of the chance outcomes in their order.
fn truncated_expectation<G: Cells>(
    game: &G,
    after: &G::After,
    mut next_value: impl FnMut() -> f32,
) -> f32 {
    let cells = 0..game.cell_count();
    let empty = cells.filter(|&cell| game.cell(after, cell) == 0).count().max(1) as f64;
    let mut sum: f64 = 0.0;
    game.for_each_chance(after, |_, probability| {
        // The probability times the empty cells is 0.9 or 0.1 but for the last bits.
        let part = (probability * empty * 1e12).round() / 1e12;
        sum = (sum + part * f64::from(next_value())).trunc();
    });
    (sum / empty).trunc() as f32
}
