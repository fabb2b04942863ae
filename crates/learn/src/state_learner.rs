//! TD(0) on states, as in course projects: a move is selected by the expected value of the next
//! state, and a game is learned from its last move to its first.
//!
//! Weaker and slower than learning afterstates, for every chance outcome of every move is evaluated.
//! Targets are those of equation 3.5.1 of Chen 2022; [`StateLearner::as_printed`] learns and selects as
//! the code beside that equation does.

use afterstate_core::{EpisodeLimit, Rng, Step};
use afterstate_games::Cells;
use afterstate_values::Network;
use afterstate_values::values::{Scratch, TrainableValues};

use crate::{EpisodeResult, Update};

/// States whose weights are prefetched while a game is learned.
const PREFETCHED: usize = 4;

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
    /// The afterstates of the moves, and the values of the boards after every chance outcome.
    afters: Vec<G::After>,
    board_values: Vec<f32>,
    scratch: Scratch,
}

impl<'a, G: Cells, U: Update, V: TrainableValues<G>> StateLearner<'a, G, U, V> {
    /// A learner that changes the weights by an update.
    pub fn new(game: &'a G, values: &'a V, update: U) -> StateLearner<'a, G, U, V> {
        let indices = vec![0; PREFETCHED * values.active_features()];
        StateLearner {
            game,
            values,
            update,
            indices,
            path: Vec::new(),
            as_printed: false,
            limit: EpisodeLimit::of(game),
            afters: Vec::new(),
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
        let last = if terminal { 0.0 } else { self.value(&played.last) };
        self.learn(last);
        played
    }

    /// The move with the largest reward plus expected next value; ties go to the first.
    fn select(&mut self, state: &G::State) -> Option<Step<G::After>> {
        let game = self.game;
        self.afters.clear();
        game.for_each_move(state, |_, step| self.afters.push(step.after));
        // All in one call: the weights of many boards are prefetched before the first is summed.
        self.values.outcome_values(game, &self.afters, &mut self.scratch, &mut self.board_values);
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
        let indices = &mut self.indices[..self.values.active_features()];
        self.values.indices(self.game, &self.game.board_of(state), indices);
        self.values.sum(indices)
    }

    /// Moves the value of every state of the game towards its target, the last one first; `next` is
    /// the value of the state after it.
    fn learn(&mut self, mut next: f32) {
        let (game, values, path) = (self.game, self.values, &self.path);
        let features = values.active_features();
        // The indices of the next states in turn, whose weights are prefetched.
        let own = |i: usize| i % PREFETCHED * features..(i % PREFETCHED + 1) * features;
        let prefetch = |indices: &mut [u32], i: usize| {
            let indices = &mut indices[own(i)];
            values.indices(game, &game.board_of(&path[i].0), indices);
            values.prefetch(indices);
            self.update.prefetch(indices);
        };
        for i in (path.len().saturating_sub(PREFETCHED)..path.len()).rev() {
            prefetch(&mut self.indices, i);
        }
        for (i, &(_, reward)) in path.iter().enumerate().rev() {
            let indices = &self.indices[own(i)];
            let target = reward + next;
            let error = target - values.sum(indices);
            values.promote(indices);
            self.update.apply(values.weights(), indices, error);
            next = values.sum(indices);
            if self.as_printed {
                next += reward;
            }
            if let Some(earlier) = i.checked_sub(PREFETCHED) {
                prefetch(&mut self.indices, earlier);
            }
        }
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
    // Two probabilities take turns, and rounding takes longer than anything else here.
    let mut known = [(0.0, 0.0); 2];
    game.for_each_chance(after, |_, probability| {
        known.swap(0, 1);
        if known[0].0 != probability {
            // The probability times the empty cells is 0.9 or 0.1 but for the last bits.
            known[0] = (probability, (probability * empty * 1e12).round() / 1e12);
        }
        sum = truncated(sum + known[0].1 * f64::from(next_value()));
    });
    truncated(sum / empty) as f32
}

/// A number without its fraction, as an assignment to an integer leaves it; `f64::trunc` is a call of
/// a function where the compiler may not assume SSE4.1.
#[inline]
fn truncated(number: f64) -> f64 {
    number as i64 as f64
}
