//! Sarsa(lambda) and Q(lambda) on moves with a table: Q(s, a) moves towards what follows it.

use afterstate_core::{Game, Rng, Step};
use afterstate_games::{RewardFunction, StateActionAggregation};
use afterstate_values::Table;
use afterstate_values::weights::store;

use super::{Exploration, Task, Trace, best};
use crate::EpisodeResult;

/// What the next state counts for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Control {
    /// The move that is made there (Sarsa).
    #[default]
    Sarsa,
    /// The best move there (Q-learning; with traces Watkins's Q(lambda): a move that is not the
    /// best ends them).
    QLearning,
}

/// Plays by a table of moves and learns from every move.
pub struct Sarsa<'a, G: Game, E: ?Sized, R: ?Sized> {
    game: &'a G,
    task: Task<'a, E, R>,
    control: Control,
    /// The learning rate; may be changed between games.
    pub rate: f32,
    /// How moves are chosen; may be changed between games.
    pub exploration: Exploration,
    trace: Trace,
    moves: Vec<G::Move>,
    numbers: Vec<u32>,
    values: Vec<f32>,
}

impl<'a, G: Game, E: StateActionAggregation<G> + ?Sized, R: RewardFunction<G> + ?Sized>
    Sarsa<'a, G, E, R>
{
    /// A learner that changes the table of a task. An error also changes the moves before, each
    /// by `lambda` and the discount less than the one after it.
    pub fn new(
        game: &'a G,
        task: Task<'a, E, R>,
        control: Control,
        rate: f32,
        lambda: f32,
        exploration: Exploration,
    ) -> Self {
        let trace = Trace::new(task.discount * lambda);
        let (moves, numbers, values) = (Vec::new(), Vec::new(), Vec::new());
        Sarsa { game, task, control, rate, exploration, trace, moves, numbers, values }
    }

    /// Plays one game from a state to its end and learns from it.
    pub fn episode(&mut self, start: G::State, rng: &mut Rng) -> EpisodeResult<G::State> {
        let limit = self.game.limit().unwrap_or(u64::MAX).min(self.task.max_moves);
        let mut played = EpisodeResult { score: 0.0, moves: 0, last: start };
        self.trace.clear();
        let mut chosen = self.choose(&played.last, rng);
        while played.moves < limit {
            let Some(now) = chosen else { break };
            let (entry, mv) = (self.numbers[now], self.moves[now]);
            let Ok(step) = self.game.play(&played.last, mv) else { break };
            let Step { after, reward } = step;
            let pay = self.task.reward.reward(self.game, &played.last, &(mv, step));
            played.score += f64::from(reward);
            played.moves += 1;
            played.last = self.game.sample(&after, rng);
            self.trace.visit(entry);
            chosen = self.choose(&played.last, rng);
            let (later, is_best) = self.later(chosen);
            if let Some(later) = later {
                let error = pay + self.task.discount * later - self.task.table.get(entry);
                self.learn(error);
            }
            if !is_best && self.control == Control::QLearning {
                self.trace.clear();
            }
        }
        played
    }

    /// What the next state counts for, and whether the chosen move is its best.
    #[inline]
    fn later(&self, chosen: Option<usize>) -> (Option<f32>, bool) {
        match (chosen, self.control) {
            (None, _) => (self.task.end, true),
            (Some(chosen), Control::Sarsa) => (Some(self.values[chosen]), true),
            (Some(chosen), Control::QLearning) => {
                let most = best(&self.values).map(|best| self.values[best]);
                (most, most == Some(self.values[chosen]))
            }
        }
    }

    /// Finds the moves of a state, the entry and value of each, and chooses one.
    #[inline]
    fn choose(&mut self, state: &G::State, rng: &mut Rng) -> Option<usize> {
        let Task { table, entries, .. } = self.task;
        self.moves.clear();
        self.game.for_each_move(state, |mv, _| self.moves.push(mv));
        self.numbers.resize(self.moves.len(), 0);
        entries.indices(self.game, state, &self.moves, &mut self.numbers);
        self.values.clear();
        self.values.extend(self.numbers.iter().map(|&number| table.get(number)));
        self.exploration.choose(&self.values, rng)
    }

    #[inline]
    fn learn(&self, error: f32) {
        let table: &Table = self.task.table;
        let part = self.rate * error;
        self.trace.for_each(|entry, share| {
            let word = &table.entries()[entry as usize];
            store(word, table.get(entry) + part * share);
        });
    }
}
