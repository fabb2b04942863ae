//! `ValueTable`: learned values as entries of one table, and greedy policies by them.

use std::sync::atomic::AtomicU32;

use afterstate_core::policy::Choice;
use afterstate_core::{Game, Policy, Rng};
use afterstate_games::{RewardFunction, StateActionAggregation, StateAggregation};

use crate::memory::{Memory, MemoryError};
use crate::weights::{load, store};

/// A table of values that many threads may read and change.
pub struct ValueTable {
    memory: Memory,
}

impl ValueTable {
    /// A table whose entries are all the same.
    pub fn new(size: u64, initial: f32) -> Result<ValueTable, MemoryError> {
        let table = ValueTable { memory: Memory::zeroed(4 * size)? };
        table.entries().iter().for_each(|entry| store(entry, initial));
        Ok(table)
    }

    /// The entries that some memory holds.
    pub fn from_memory(memory: Memory) -> ValueTable {
        ValueTable { memory }
    }

    /// All entries.
    #[inline]
    pub fn entries(&self) -> &[AtomicU32] {
        self.memory.words()
    }

    /// An entry.
    #[inline]
    pub fn get(&self, index: u32) -> f32 {
        load(&self.entries()[index as usize])
    }

    /// The sum of some entries.
    #[inline]
    pub fn sum(&self, indices: &[u32]) -> f32 {
        indices.iter().map(|&index| self.get(index)).sum()
    }

    /// The memory that holds the entries.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The memory that holds the entries, for plain bytes of it.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }
}

/// Greedy by a table of afterstates: the largest reward plus discounted value, ties to the first.
pub struct AfterstateTablePolicy<'a, E: ?Sized, R: ?Sized> {
    /// The table.
    pub table: &'a ValueTable,
    /// The aggregation.
    pub entries: &'a E,
    /// The reward of a move.
    pub reward: &'a R,
    /// The discount factor.
    pub discount: f32,
    indices: Vec<u32>,
}

impl<'a, E: ?Sized, R: ?Sized> AfterstateTablePolicy<'a, E, R> {
    /// A policy by a table.
    pub fn new(table: &'a ValueTable, entries: &'a E, reward: &'a R, discount: f32) -> Self {
        AfterstateTablePolicy { table, entries, reward, discount, indices: Vec::new() }
    }
}

impl<G: Game, E: StateAggregation<G> + ?Sized, R: RewardFunction<G> + ?Sized> Policy<G>
    for AfterstateTablePolicy<'_, E, R>
{
    fn choose(&mut self, game: &G, state: &G::State, _: &mut Rng) -> Option<Choice<G>> {
        self.indices.resize(self.entries.count(), 0);
        let best = game.best_move(state, |choice| {
            self.entries.indices(game, &choice.1.after, &mut self.indices);
            let reward = self.reward.reward(game, state, choice);
            reward + self.discount * self.table.sum(&self.indices)
        });
        best.map(|(choice, _)| choice)
    }
}

/// Greedy by a table of state-action pairs: the largest entry, ties to the first.
pub struct ActionTablePolicy<'a, G: Game, E: ?Sized> {
    /// The table.
    pub table: &'a ValueTable,
    /// The aggregation.
    pub entries: &'a E,
    moves: Vec<G::Move>,
    indices: Vec<u32>,
}

impl<'a, G: Game, E: ?Sized> ActionTablePolicy<'a, G, E> {
    /// A policy by a table.
    pub fn new(table: &'a ValueTable, entries: &'a E) -> ActionTablePolicy<'a, G, E> {
        ActionTablePolicy { table, entries, moves: Vec::new(), indices: Vec::new() }
    }
}

impl<G: Game, E: StateActionAggregation<G> + ?Sized> Policy<G> for ActionTablePolicy<'_, G, E> {
    fn choose(&mut self, game: &G, state: &G::State, _: &mut Rng) -> Option<Choice<G>> {
        self.moves.clear();
        game.for_each_move(state, |mv, _| self.moves.push(mv));
        self.indices.resize(self.moves.len(), 0);
        self.entries.indices(game, state, &self.moves, &mut self.indices);
        let mut best: Option<(G::Move, f32)> = None;
        for (&mv, &index) in self.moves.iter().zip(&self.indices) {
            let value = self.table.get(index);
            if best.is_none_or(|(_, largest)| value > largest) {
                best = Some((mv, value));
            }
        }
        let (mv, _) = best?;
        game.play(state, mv).ok().map(|step| (mv, step))
    }
}
