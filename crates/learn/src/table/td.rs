//! TD(0) on afterstates with a table: V(s) moves towards pay + discount V(s').

use afterstate_core::{Game, Rng, Step};
use afterstate_games::{RewardFunction, StateAggregation};

use super::{Exploration, Task};
use crate::{EpisodeResult, Update};

/// Plays by a table of afterstates and learns from every move.
pub struct TableTd<'a, G: Game, E: ?Sized, R: ?Sized, U> {
    game: &'a G,
    task: Task<'a, E, R>,
    update: U,
    /// How moves are chosen; may be changed between games.
    pub exploration: Exploration,
    moves: Vec<G::Move>,
    numbers: Vec<u32>,
    values: Vec<f32>,
    before: Vec<u32>,
}

impl<'a, G: Game, E: StateAggregation<G> + ?Sized, R: RewardFunction<G> + ?Sized, U: Update>
    TableTd<'a, G, E, R, U>
{
    /// A learner that changes the table of a task by an update.
    pub fn new(game: &'a G, task: Task<'a, E, R>, update: U, exploration: Exploration) -> Self {
        let before = vec![0; task.entries.count()];
        let (moves, numbers, values) = (Vec::new(), Vec::new(), Vec::new());
        TableTd { game, task, update, exploration, moves, numbers, values, before }
    }

    /// The update, to change its rate between games.
    pub fn update_mut(&mut self) -> &mut U {
        &mut self.update
    }

    /// Plays one game from a state to its end and learns from it.
    pub fn episode(&mut self, start: G::State, rng: &mut Rng) -> EpisodeResult<G::State> {
        let limit = self.game.limit().unwrap_or(u64::MAX).min(self.task.max_moves);
        let count = self.before.len();
        let mut played = EpisodeResult { score: 0.0, moves: 0, last: start };
        while played.moves < limit {
            self.evaluate_moves(&played.last);
            let chosen = self.exploration.choose(&self.values, rng);
            let target = chosen.map(|chosen| self.values[chosen]).or(self.task.end);
            if played.moves > 0
                && let Some(target) = target
            {
                let error = target - self.task.table.sum(&self.before);
                self.update.apply(self.task.table.entries(), &self.before, error);
            }
            let Some(chosen) = chosen else { break };
            self.before.copy_from_slice(&self.numbers[chosen * count..(chosen + 1) * count]);
            let Ok(step) = self.game.play(&played.last, self.moves[chosen]) else { break };
            let Step { after, reward } = step;
            played.score += f64::from(reward);
            played.moves += 1;
            played.last = self.game.sample(&after, rng);
        }
        played
    }

    /// The moves of a state, what each looks up, and what it is worth.
    #[inline]
    fn evaluate_moves(&mut self, state: &G::State) {
        let Task { table, entries, reward, discount, .. } = self.task;
        let (game, count) = (self.game, self.before.len());
        let (moves, numbers, values) = (&mut self.moves, &mut self.numbers, &mut self.values);
        moves.clear();
        values.clear();
        game.for_each_move(state, |mv, step| {
            let begin = moves.len() * count;
            if numbers.len() < begin + count {
                numbers.resize(begin + count, 0);
            }
            let own = &mut numbers[begin..begin + count];
            entries.indices(game, &step.after, own);
            moves.push(mv);
            values.push(reward.reward(game, state, &(mv, step)) + discount * table.sum(own));
        });
    }
}
