//! Work on the threads of the current pool, compiled once for all games.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// Numbers per task.
const CHUNK: usize = 4096;

/// The values of all numbers below `count` that have one, in their order.
pub(super) fn filter_map<R: Send>(
    count: usize,
    work: impl Fn(usize) -> Option<R> + Sync,
) -> Vec<R> {
    let chunks: Vec<_> = (0..count.div_ceil(CHUNK)).map(|_| Mutex::new(Vec::new())).collect();
    for_each(chunks.len(), &|number| {
        let range = number * CHUNK..count.min((number + 1) * CHUNK);
        let found = range.filter_map(&work).collect();
        *chunks[number].lock().unwrap_or_else(PoisonError::into_inner) = found;
    });
    let found = chunks.into_iter();
    found.flat_map(|chunk| chunk.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

fn for_each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

/// Sorts and removes duplicates.
pub(super) fn sort_and_dedup(numbers: &mut Vec<u64>) {
    numbers.par_sort_unstable();
    numbers.dedup();
}

/// Sorts by the numbers before the values.
pub(super) fn sort_by_number(pairs: &mut [(u64, f64)]) {
    pairs.par_sort_unstable_by_key(|pair| pair.0);
}
