//! Tabular TD(0) and TD(lambda) on afterstates: V(a) moves towards reward + discount V(a').

use afterstate_core::{EpisodeLimit, Game, Rng, Step};
use afterstate_games::{RewardFunction, StateAggregation};

use super::{EligibilityTrace, Exploration, Task};
use crate::{EpisodeResult, Update};

/// Plays by a table of afterstates and learns from every move.
pub struct TableTd<'a, G: Game, E: ?Sized, R: ?Sized, U> {
    game: &'a G,
    task: Task<'a, E, R>,
    limit: EpisodeLimit<'a>,
    /// How errors change the table.
    pub update: U,
    /// How moves are selected; may be changed between games.
    pub exploration: Exploration,
    moves: Vec<G::Move>,
    indices: Vec<u32>,
    values: Vec<f32>,
    previous: Vec<u32>,
    /// The afterstates visited last, for TD(lambda).
    trace: Option<EligibilityTrace>,
}

impl<'a, G: Game, E: StateAggregation<G> + ?Sized, R: RewardFunction<G> + ?Sized, U: Update>
    TableTd<'a, G, E, R, U>
{
    /// A learner that changes the table of a task by an update.
    pub fn new(game: &'a G, task: Task<'a, E, R>, update: U, exploration: Exploration) -> Self {
        let previous = vec![0; task.aggregation.count()];
        let (moves, indices, values) = (Vec::new(), Vec::new(), Vec::new());
        let trace = None;
        let limit = EpisodeLimit::of(game).up_to(task.max_moves);
        TableTd { game, task, limit, update, exploration, moves, indices, values, previous, trace }
    }

    /// The same with replacing eligibility traces that decay by `lambda` times the discount. None are
    /// kept for a lambda of 0, nor for aggregations of several entries per afterstate.
    #[must_use]
    pub fn with_traces(mut self, lambda: f32) -> Self {
        let traced = lambda > 0.0 && self.previous.len() == 1;
        self.trace = traced.then(|| EligibilityTrace::new(lambda * self.task.discount));
        self
    }

    /// Truncates games as soon as `due` says so.
    #[must_use]
    pub fn stop_when(mut self, due: &'a (dyn Fn() -> bool + Sync)) -> Self {
        self.limit = self.limit.or_when(due);
        self
    }

    /// Plays one game from a state to its end and learns from it.
    pub fn episode(&mut self, start: G::State, rng: &mut Rng) -> EpisodeResult<G::State> {
        let count = self.previous.len();
        let mut played = EpisodeResult { score: 0.0, moves: 0, last: start };
        if let Some(trace) = &mut self.trace {
            trace.clear();
        }
        while !self.limit.is_reached(played.moves) {
            self.evaluate_moves(&played.last);
            let chosen = self.exploration.choose(&self.values, rng);
            let target = chosen.map(|chosen| self.values[chosen]).or(self.task.terminal_value);
            if played.moves > 0
                && let Some(target) = target
            {
                let error = target - self.task.table.sum(&self.previous);
                self.learn(error);
            }
            let Some(chosen) = chosen else { break };
            self.previous.copy_from_slice(&self.indices[chosen * count..(chosen + 1) * count]);
            let Ok(step) = self.game.play(&played.last, self.moves[chosen]) else { break };
            let Step { after, reward } = step;
            played.score += f64::from(reward);
            played.moves += 1;
            played.last = self.game.sample(&after, rng);
        }
        played
    }

    /// Moves the values of the last afterstate, and of those before it by their eligibility.
    #[inline]
    fn learn(&mut self, error: f32) {
        let entries = self.task.table.entries();
        match &mut self.trace {
            None => self.update.apply(entries, &self.previous, error),
            Some(trace) => {
                trace.visit(self.previous[0]);
                let update = &self.update;
                trace.for_each(|index, eligibility| {
                    update.apply(entries, &[index], eligibility * error);
                });
            }
        }
    }

    /// The moves of a state, the table indices and the value of each.
    #[inline]
    fn evaluate_moves(&mut self, state: &G::State) {
        let Task { table, aggregation, reward, discount, .. } = self.task;
        let (game, count) = (self.game, self.previous.len());
        let (moves, indices, values) = (&mut self.moves, &mut self.indices, &mut self.values);
        moves.clear();
        values.clear();
        game.for_each_move(state, |mv, step| {
            let begin = moves.len() * count;
            if indices.len() < begin + count {
                indices.resize(begin + count, 0);
            }
            let own = &mut indices[begin..begin + count];
            aggregation.indices(game, &step.after, own);
            moves.push(mv);
            values.push(reward.reward(game, state, &(mv, step)) + discount * table.sum(own));
        });
    }
}
