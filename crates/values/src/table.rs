//! `Table`: values as entries of one table, and who plays by them.

use std::sync::atomic::AtomicU32;

use afterstate_core::policy::Choice;
use afterstate_core::{Game, Policy, Rng};
use afterstate_games::{RewardFunction, StateActionAggregation, StateAggregation};

use crate::memory::{Memory, MemoryError};
use crate::weights::{load, store};

/// A table of values that many threads may read and change.
pub struct Table {
    memory: Memory,
}

impl Table {
    /// A table whose entries are all the same.
    pub fn new(size: u64, initial: f32) -> Result<Table, MemoryError> {
        let table = Table { memory: Memory::zeroed(4 * size)? };
        table.entries().iter().for_each(|entry| store(entry, initial));
        Ok(table)
    }

    /// The entries that some memory holds.
    pub fn from_memory(memory: Memory) -> Table {
        Table { memory }
    }

    /// All entries.
    #[inline]
    pub fn entries(&self) -> &[AtomicU32] {
        self.memory.words()
    }

    /// An entry.
    #[inline]
    pub fn get(&self, number: u32) -> f32 {
        load(&self.entries()[number as usize])
    }

    /// The sum of some entries.
    #[inline]
    pub fn sum(&self, numbers: &[u32]) -> f32 {
        numbers.iter().map(|&number| self.get(number)).sum()
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

/// Plays greedily by a table of afterstates: pay plus discounted value, ties to the first.
pub struct AfterstateTablePolicy<'a, E: ?Sized, R: ?Sized> {
    /// The table.
    pub table: &'a Table,
    /// Which entries an afterstate has.
    pub entries: &'a E,
    /// What a move pays.
    pub reward: &'a R,
    /// What a value counts against a pay of now.
    pub discount: f32,
    numbers: Vec<u32>,
}

impl<'a, E: ?Sized, R: ?Sized> AfterstateTablePolicy<'a, E, R> {
    /// A player by a table.
    pub fn new(table: &'a Table, entries: &'a E, reward: &'a R, discount: f32) -> Self {
        AfterstateTablePolicy { table, entries, reward, discount, numbers: Vec::new() }
    }
}

impl<G: Game, E: StateAggregation<G> + ?Sized, R: RewardFunction<G> + ?Sized> Policy<G>
    for AfterstateTablePolicy<'_, E, R>
{
    fn choose(&mut self, game: &G, state: &G::State, _: &mut Rng) -> Option<Choice<G>> {
        self.numbers.resize(self.entries.count(), 0);
        let mut best: Option<(Choice<G>, f32)> = None;
        game.for_each_move(state, |mv, step| {
            self.entries.indices(game, &step.after, &mut self.numbers);
            let pay = self.reward.reward(game, state, &(mv, step));
            let value = pay + self.discount * self.table.sum(&self.numbers);
            if best.is_none_or(|(_, most)| value > most) {
                best = Some(((mv, step), value));
            }
        });
        best.map(|(choice, _)| choice)
    }
}

/// Plays greedily by a table of moves: the largest entry, ties to the first.
pub struct ActionTablePolicy<'a, G: Game, E: ?Sized> {
    /// The table.
    pub table: &'a Table,
    /// Which entry a move has.
    pub entries: &'a E,
    moves: Vec<G::Move>,
    numbers: Vec<u32>,
}

impl<'a, G: Game, E: ?Sized> ActionTablePolicy<'a, G, E> {
    /// A player by a table.
    pub fn new(table: &'a Table, entries: &'a E) -> ActionTablePolicy<'a, G, E> {
        ActionTablePolicy { table, entries, moves: Vec::new(), numbers: Vec::new() }
    }
}

impl<G: Game, E: StateActionAggregation<G> + ?Sized> Policy<G> for ActionTablePolicy<'_, G, E> {
    fn choose(&mut self, game: &G, state: &G::State, _: &mut Rng) -> Option<Choice<G>> {
        self.moves.clear();
        game.for_each_move(state, |mv, _| self.moves.push(mv));
        self.numbers.resize(self.moves.len(), 0);
        self.entries.indices(game, state, &self.moves, &mut self.numbers);
        let mut best: Option<(G::Move, f32)> = None;
        for (&mv, &number) in self.moves.iter().zip(&self.numbers) {
            let value = self.table.get(number);
            if best.is_none_or(|(_, most)| value > most) {
                best = Some((mv, value));
            }
        }
        let (mv, _) = best?;
        game.play(state, mv).ok().map(|step| (mv, step))
    }
}
