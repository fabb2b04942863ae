//! Tabular TD(0) on afterstates: V(a) moves towards reward + discount V(a').

use afterstate_core::{Game, Rng, Step};
use afterstate_games::{RewardFunction, StateAggregation};

use super::{Exploration, Task};
use crate::{EpisodeResult, Update};

/// Plays by a table of afterstates and learns from every move.
pub struct TableTd<'a, G: Game, E: ?Sized, R: ?Sized, U> {
    game: &'a G,
    task: Task<'a, E, R>,
    /// How errors change the table.
    pub update: U,
    /// How moves are selected; may be changed between games.
    pub exploration: Exploration,
    moves: Vec<G::Move>,
    indices: Vec<u32>,
    values: Vec<f32>,
    previous: Vec<u32>,
}

impl<'a, G: Game, E: StateAggregation<G> + ?Sized, R: RewardFunction<G> + ?Sized, U: Update>
    TableTd<'a, G, E, R, U>
{
    /// A learner that changes the table of a task by an update.
    pub fn new(game: &'a G, task: Task<'a, E, R>, update: U, exploration: Exploration) -> Self {
        let previous = vec![0; task.aggregation.count()];
        let (moves, indices, values) = (Vec::new(), Vec::new(), Vec::new());
        TableTd { game, task, update, exploration, moves, indices, values, previous }
    }

    /// Plays one game from a state to its end and learns from it.
    pub fn episode(&mut self, start: G::State, rng: &mut Rng) -> EpisodeResult<G::State> {
        let limit = self.game.limit().unwrap_or(u64::MAX).min(self.task.max_moves);
        let count = self.previous.len();
        let mut played = EpisodeResult { score: 0.0, moves: 0, last: start };
        while played.moves < limit {
            self.evaluate_moves(&played.last);
            let chosen = self.exploration.choose(&self.values, rng);
            let target = chosen.map(|chosen| self.values[chosen]).or(self.task.terminal_value);
            if played.moves > 0
                && let Some(target) = target
            {
                let error = target - self.task.table.sum(&self.previous);
                self.update.apply(self.task.table.entries(), &self.previous, error);
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
