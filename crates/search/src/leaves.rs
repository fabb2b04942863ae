//! `Leaves`: the moves after all chance outcomes of an afterstate, evaluated as one batch.

use std::ops::{ControlFlow, Range};

use afterstate_core::{Game, Symmetry};

use crate::expectimax::{depth, is_wide, surprisal};
use crate::tree_search::{Context, TreeSearch, try_outcomes};
use crate::{Deadline, TranspositionTable};

/// The largest number of afterstates that are evaluated in one call.
const MAX_BATCH: usize = 64;

/// A slot without an afterstate.
const EMPTY: u32 = u32::MAX;

/// The buffers of a batch.
pub(crate) struct Leaves<G: Game> {
    moves: Vec<Leaf<G::After>>,
    outcomes: Vec<Outcome>,
    /// The afterstates that no table knows, their keys and their values.
    pub(crate) afters: Vec<G::After>,
    keys: Vec<u64>,
    pub(crate) values: Vec<f32>,
    /// A hash table of these keys, by linear probing: the index of each, or [`EMPTY`].
    slots: Vec<u32>,
}

/// A chance outcome.
struct Outcome {
    probability: f32,
    /// Its value, if it is less probable than the line may be.
    cut: Option<f32>,
    /// The end of its moves.
    end: usize,
}

/// A move after an outcome.
#[derive(Clone, Copy)]
struct Leaf<A> {
    after: A,
    immediate_reward: f32,
    key: u64,
    /// The expected value, or the index of the afterstate in the batch.
    found: Result<f32, u32>,
}

impl<G: Game> Leaves<G> {
    pub(crate) fn new() -> Leaves<G> {
        let (moves, outcomes, afters) = (Vec::new(), Vec::new(), Vec::new());
        let (keys, values, slots) = (Vec::new(), Vec::new(), Vec::new());
        Leaves { moves, outcomes, afters, keys, values, slots }
    }

    /// The index of an afterstate in the batch, to which it is added if it is new.
    #[inline]
    fn index(&mut self, after: G::After, key: u64) -> u32 {
        let mut slot = (key >> 32) as usize;
        loop {
            slot %= self.slots.len();
            let index = self.slots[slot];
            if index == EMPTY {
                break;
            }
            if self.keys[index as usize] == key {
                return index;
            }
            slot += 1;
        }
        let index = self.afters.len() as u32;
        self.slots[slot] = index;
        self.afters.push(after);
        self.keys.push(key);
        index
    }
}

impl<G: Symmetry> TreeSearch<'_, '_, G> {
    /// Whether the last two plies after an afterstate are evaluated as one batch.
    pub(crate) fn evaluates_leaves(&self, after: &G::After) -> bool {
        let Context { game, deadline, beam, .. } = self.context;
        let evaluator = &self.worker.evaluator;
        evaluator.evaluates_batches()
            && evaluator.bounds(2).is_none()
            && beam == usize::MAX
            && !(deadline.is_some() && is_wide(game, after))
    }

    /// The probability and the value, two plies deep, of some of the chance outcomes of an
    /// afterstate, with all afterstates before the last ply evaluated together; `false` if the time
    /// is up. `surprisal_left` is what the outcomes may have: those with more are not searched.
    pub(crate) fn leaf_outcomes(
        &mut self,
        after: &G::After,
        surprisal_left: Option<u32>,
        some: &Range<usize>,
        mut each: impl FnMut(f32, f32),
    ) -> bool {
        let (game, table, canonical) =
            (self.context.game, self.context.table, self.context.canonical);
        let generation = table.map_or(0, TranspositionTable::generation);
        let leaf_depth = depth(1, None);
        let worker = &mut *self.worker;
        let (leaves, evaluator) = (&mut worker.leaves, &mut worker.evaluator);
        leaves.moves.clear();
        leaves.outcomes.clear();
        leaves.afters.clear();
        leaves.keys.clear();
        leaves.values.clear();
        let mut number = 0;
        let _ = try_outcomes(game, after, 2, |state, probability| {
            number += 1;
            if number > some.end {
                return ControlFlow::Break(());
            }
            if number <= some.start {
                return ControlFlow::Continue(());
            }
            let mut cut = None;
            if surprisal_left.is_some_and(|left| left < surprisal(probability)) {
                let best = evaluator.best(game, &state);
                cut = Some(best.unwrap_or(evaluator.terminal_value()));
            } else {
                game.for_each_move(&state, |mv, step| {
                    let immediate_reward = evaluator.immediate_reward(game, &state, &(mv, step));
                    let after = if canonical { game.canonical(&step.after) } else { step.after };
                    let key = TranspositionTable::key_of(&after, leaf_depth, generation);
                    if let Some(table) = table {
                        table.prefetch(key);
                    }
                    leaves.moves.push(Leaf { after, immediate_reward, key, found: Ok(0.0) });
                });
            }
            let (probability, end) = (probability as f32, leaves.moves.len());
            leaves.outcomes.push(Outcome { probability, cut, end });
            ControlFlow::Continue(())
        });
        leaves.slots.clear();
        leaves.slots.resize((2 * leaves.moves.len()).next_power_of_two(), EMPTY);
        for number in 0..leaves.moves.len() {
            let Leaf { after, key, .. } = leaves.moves[number];
            leaves.moves[number].found = match table.and_then(|table| table.get(key, leaf_depth)) {
                Some(value) => Ok(value),
                None => Err(leaves.index(after, key)),
            };
        }
        worker.nodes += leaves.outcomes.len() as u64;
        for batch in leaves.afters.chunks(MAX_BATCH) {
            if self.context.deadline.is_some_and(Deadline::check) {
                return false;
            }
            worker.nodes += evaluator.expected_values(game, batch, &mut leaves.values);
        }
        if let Some(table) = table {
            for (&key, &value) in leaves.keys.iter().zip(&leaves.values) {
                table.put(key, leaf_depth, value);
            }
        }
        let mut begin = 0;
        for &Outcome { probability, cut, end } in &leaves.outcomes {
            let mut best = cut;
            for leaf in &leaves.moves[begin..end] {
                let value = leaf.immediate_reward
                    + leaf.found.unwrap_or_else(|at| leaves.values[at as usize]);
                if best.is_none_or(|best| value > best) {
                    best = Some(value);
                }
            }
            each(probability, best.unwrap_or(evaluator.terminal_value()));
            begin = end;
        }
        true
    }
}
