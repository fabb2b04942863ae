//! Whole sweeps over a table, on all threads of the pool.

use afterstate_games::{Real, RewardMixture, TransitionModel};
use afterstate_values::memory;
use rayon::prelude::*;

/// Boards per task.
const CHUNK: usize = 4096;

/// A table with the same value everywhere, in huge pages where the system has them: accesses are
/// scattered, and small pages would miss the TLB.
pub(super) fn table<T: Real, L: TransitionModel<T> + ?Sized>(model: &L, value: T) -> Vec<T::Cell> {
    let mut table = Vec::with_capacity(model.table_len());
    memory::advise_huge_pages(table.spare_capacity_mut());
    (0..model.table_len()).into_par_iter().map(|_| value.cell()).collect_into_vec(&mut table);
    table
}

/// One sweep of [`TransitionModel::bellman_backup`].
pub fn best<T: Real, L: TransitionModel<T> + ?Sized>(
    model: &L,
    reward: &RewardMixture,
    after_values: &[T::Cell],
    out: &mut [T],
    chosen: Option<&mut [u32]>,
) {
    let boards = model.boards().par_chunks(CHUNK).zip(out.par_chunks_mut(CHUNK));
    match chosen {
        None => {
            boards.for_each(|(boards, out)| {
                model.bellman_backup(reward, boards, after_values, out, None);
            });
        }
        Some(chosen) => {
            boards.zip(chosen.par_chunks_mut(CHUNK)).for_each(|((boards, out), chosen)| {
                model.bellman_backup(reward, boards, after_values, out, Some(chosen));
            });
        }
    }
}

/// One sweep of [`TransitionModel::min_death_probability`].
pub(super) fn deaths<T: Real, L: TransitionModel<T> + ?Sized>(
    model: &L,
    deaths: &[T::Cell],
    out: &mut [T],
) {
    let boards = model.boards().par_chunks(CHUNK).zip(out.par_chunks_mut(CHUNK));
    boards.for_each(|(boards, out)| model.min_death_probability(boards, deaths, out));
}

/// Writes `write(board, value)` of every board to the entries of all its symmetric images.
pub(super) fn spread<T: Real, L: TransitionModel<T> + ?Sized>(
    model: &L,
    values: &[T],
    table: &[T::Cell],
    write: impl Fn(u32, T) -> T + Sync,
) {
    let boards = model.boards().par_chunks(CHUNK).zip(values.par_chunks(CHUNK));
    boards.for_each_init(Vec::new, |written, (boards, values)| {
        written.clear();
        written.extend(boards.iter().zip(values).map(|(&board, &value)| write(board, value)));
        model.write_to_images(boards, written, table);
    });
}

/// The largest absolute value, for residuals.
pub(super) fn largest(changes: impl ParallelIterator<Item = f64>) -> f64 {
    changes.map(f64::abs).reduce(|| 0.0, f64::max)
}
