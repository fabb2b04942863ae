//! Tabular Sarsa(lambda) and Watkins's Q(lambda).

use afterstate_core::{EpisodeLimit, Game, Rng, Step};
use afterstate_games::{RewardFunction, StateActionAggregation};
use afterstate_values::ValueTable;
use afterstate_values::weights::store;

use super::{EligibilityTrace, Exploration, Task, argmax};
use crate::EpisodeResult;

/// The target's value of the next state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Control {
    /// The value of the move that is made there (Sarsa).
    #[default]
    Sarsa,
    /// The value of the best move there (Q-learning; with traces Watkins's Q(lambda): an exploratory
    /// move clears them).
    QLearning,
}

/// Plays by a table of moves and learns from every move.
pub struct Sarsa<'a, G: Game, E: ?Sized, R: ?Sized> {
    game: &'a G,
    task: Task<'a, E, R>,
    limit: EpisodeLimit<'a>,
    control: Control,
    /// The learning rate; may be changed between games.
    pub rate: f32,
    /// How moves are selected; may be changed between games.
    pub exploration: Exploration,
    trace: EligibilityTrace,
    moves: Vec<G::Move>,
    indices: Vec<u32>,
    values: Vec<f32>,
}

impl<'a, G: Game, E: StateActionAggregation<G> + ?Sized, R: RewardFunction<G> + ?Sized>
    Sarsa<'a, G, E, R>
{
    /// A learner that changes the table of a task. Eligibilities decay by `lambda` times the
    /// discount.
    pub fn new(
        game: &'a G,
        task: Task<'a, E, R>,
        control: Control,
        rate: f32,
        lambda: f32,
        exploration: Exploration,
    ) -> Self {
        let trace = EligibilityTrace::new(task.discount * lambda);
        let (moves, indices, values) = (Vec::new(), Vec::new(), Vec::new());
        let limit = EpisodeLimit::of(game).up_to(task.max_moves);
        Sarsa { game, task, limit, control, rate, exploration, trace, moves, indices, values }
    }

    /// Truncates games as soon as `due` says so.
    #[must_use]
    pub fn stop_when(mut self, due: &'a (dyn Fn() -> bool + Sync)) -> Self {
        self.limit = self.limit.or_when(due);
        self
    }

    /// Plays one game from a state to its end and learns from it.
    pub fn episode(&mut self, start: G::State, rng: &mut Rng) -> EpisodeResult<G::State> {
        let mut played = EpisodeResult { score: 0.0, moves: 0, last: start };
        self.trace.clear();
        let mut chosen = self.choose(&played.last, rng);
        while !self.limit.is_reached(played.moves) {
            let Some(now) = chosen else { break };
            let (index, mv) = (self.indices[now], self.moves[now]);
            let Ok(step) = self.game.play(&played.last, mv) else { break };
            let Step { after, reward } = step;
            let task_reward = self.task.reward.reward(self.game, &played.last, &(mv, step));
            played.score += f64::from(reward);
            played.moves += 1;
            played.last = self.game.sample(&after, rng);
            self.trace.visit(index);
            chosen = self.choose(&played.last, rng);
            let (next_value, is_greedy) = self.next_value(chosen);
            if let Some(next_value) = next_value {
                let error =
                    task_reward + self.task.discount * next_value - self.task.table.get(index);
                self.learn(error);
            }
            if !is_greedy && self.control == Control::QLearning {
                self.trace.clear();
            }
        }
        played
    }

    /// The target's value of the next state, and whether the chosen move is greedy there.
    #[inline]
    fn next_value(&self, chosen: Option<usize>) -> (Option<f32>, bool) {
        match (chosen, self.control) {
            (None, _) => (self.task.terminal_value, true),
            (Some(chosen), Control::Sarsa) => (Some(self.values[chosen]), true),
            (Some(chosen), Control::QLearning) => {
                let max = argmax(&self.values).map(|best| self.values[best]);
                (max, max == Some(self.values[chosen]))
            }
        }
    }

    /// Finds the moves of a state, the table index and value of each, and selects one.
    #[inline]
    fn choose(&mut self, state: &G::State, rng: &mut Rng) -> Option<usize> {
        let Task { table, aggregation, .. } = self.task;
        self.moves.clear();
        self.game.for_each_legal(state, |mv| self.moves.push(mv));
        self.indices.resize(self.moves.len(), 0);
        aggregation.indices(self.game, state, &self.moves, &mut self.indices);
        self.values.clear();
        self.values.extend(self.indices.iter().map(|&index| table.get(index)));
        self.exploration.choose(&self.values, rng)
    }

    #[inline]
    fn learn(&self, error: f32) {
        let table: &ValueTable = self.task.table;
        let step = self.rate * error;
        self.trace.for_each(|index, eligibility| {
            let word = &table.entries()[index as usize];
            store(word, table.get(index) + step * eligibility);
        });
    }
}
