//! One position on several threads: they share the chance outcomes of all its moves.
//!
//! A position has few moves, and some take far longer than others. Each outcome has a value of its
//! own, and expectations are summed in the order of one thread, so that results are the same to the
//! bit. Values that one thread finds are in the transposition table for the others.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicUsize, Ordering};

use afterstate_core::Symmetry;

use crate::Deadline;
use crate::expectimax::depth;
use crate::pooled::pooled;
use crate::tree_search::{Context, TreeSearch, Worker, try_outcomes};

/// Parts of the work per thread: many, since parts take different times; few, since an afterstate
/// is evaluated once within a part.
const PARTS: usize = 6;

/// Some chance outcomes of one of the afterstates.
struct Part {
    after: usize,
    outcomes: Range<usize>,
}

/// The expected values of some afterstates, that many plies deep, two or more, without bounds.
pub(crate) fn expected_values<G: Symmetry>(
    context: Context<G>,
    workers: &mut [Worker<G>],
    afters: &mut [G::After],
    plies: u32,
) -> Vec<f32> {
    let (game, surprisal) = (context.game, context.max_surprisal);
    if context.canonical {
        afters.iter_mut().for_each(|after| *after = game.canonical(after));
    }
    let depth = depth(plies, surprisal);
    let keys: Option<Vec<u64>> =
        context.table.map(|table| afters.iter().map(|after| table.key(after, depth)).collect());
    let known = |number: usize| context.table?.get(keys.as_ref()?[number], depth);
    let mut found: Vec<Option<f32>> = (0..afters.len()).map(known).collect();
    let probabilities: Vec<Vec<f32>> = afters
        .iter()
        .map(|after| {
            let mut all = Vec::new();
            let _ = try_outcomes(game, after, plies, |_, probability| {
                all.push(probability as f32);
                ControlFlow::<()>::Continue(())
            });
            all
        })
        .collect();
    let unknown: Vec<usize> = (0..afters.len()).filter(|&number| found[number].is_none()).collect();
    let outcomes: usize = unknown.iter().map(|&number| probabilities[number].len()).sum();
    let size = outcomes.div_ceil(PARTS * workers.len()).max(1);
    let parts: Vec<Part> = unknown
        .iter()
        .flat_map(|&after| {
            let count = probabilities[after].len();
            (0..count)
                .step_by(size)
                .map(move |begin| Part { after, outcomes: begin..(begin + size).min(count) })
        })
        .collect();
    let (next, afters) = (AtomicUsize::new(0), &*afters);
    let work = |worker: &mut Worker<G>| {
        let mut values = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(part) = parts.get(number) else { return values };
            let mut search = TreeSearch { context, worker: &mut *worker };
            let mut own = Vec::with_capacity(part.outcomes.len());
            search.add_outcome_values(&afters[part.after], plies, &part.outcomes, &mut own);
            // The time is up: the results are discarded.
            own.resize(part.outcomes.len(), 0.0);
            values.push((number, own));
        }
    };
    let mut values: Vec<(usize, Vec<f32>)> =
        pooled(workers.iter_mut(), work).into_iter().flatten().collect();
    values.sort_unstable_by_key(|(number, _)| *number);
    for (number, values) in values {
        let Part { after, outcomes } = &parts[number];
        let mean = found[*after].get_or_insert(0.0);
        for (probability, value) in probabilities[*after][outcomes.clone()].iter().zip(values) {
            *mean += probability * value;
        }
    }
    let stopped = context.deadline.is_some_and(Deadline::has_passed);
    if let (Some(table), Some(keys), false) = (context.table, keys, stopped) {
        for number in unknown {
            table.put(keys[number], depth, found[number].unwrap_or(0.0));
        }
    }
    found.into_iter().map(|value| value.unwrap_or(0.0)).collect()
}

impl<G: Symmetry> TreeSearch<'_, '_, G> {
    /// Adds the values of some chance outcomes of an afterstate, that many plies deep; fewer if the
    /// time is up.
    fn add_outcome_values(
        &mut self,
        after: &G::After,
        plies: u32,
        some: &Range<usize>,
        values: &mut Vec<f32>,
    ) {
        let (game, surprisal) = (self.context.game, self.context.max_surprisal);
        if plies == 2 && self.evaluates_leaves(after) {
            self.leaf_outcomes(after, surprisal, some, |_, value| values.push(value));
            return;
        }
        let mut number = 0;
        let _ = try_outcomes(game, after, plies, |state, probability| {
            number += 1;
            if number > some.end || self.is_stopped() {
                return ControlFlow::Break(());
            }
            if number > some.start {
                let alpha = f32::NEG_INFINITY;
                values.push(self.outcome_value(&state, probability, plies, surprisal, alpha).0);
            }
            ControlFlow::Continue(())
        });
    }
}
