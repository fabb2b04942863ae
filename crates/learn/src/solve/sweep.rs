//! Whole sweeps over a table, on all threads of the pool: what every exact method repeats.

use afterstate_games::{Real, RewardMixture, TransitionModel};
use afterstate_values::memory;
use rayon::prelude::*;

/// Boards that a thread takes at a time.
const CHUNK: usize = 4096;

/// A table with the same number everywhere, in huge pages where the system gives them: it is read
/// and written all over, and small pages would be looked up for every number.
pub(super) fn table<T: Real, L: TransitionModel<T> + ?Sized>(
    layout: &L,
    number: T,
) -> Vec<T::Cell> {
    let mut table = Vec::with_capacity(layout.places());
    memory::ask_for_huge_pages(table.spare_capacity_mut());
    (0..layout.places()).into_par_iter().map(|_| number.cell()).collect_into_vec(&mut table);
    table
}

/// One sweep: [`TransitionModel::best`] of every board, on all threads.
pub fn best<T: Real, L: TransitionModel<T> + ?Sized>(
    layout: &L,
    reward: &RewardMixture,
    worth: &[T::Cell],
    out: &mut [T],
    chosen: Option<&mut [u32]>,
) {
    let boards = layout.boards().par_chunks(CHUNK).zip(out.par_chunks_mut(CHUNK));
    match chosen {
        None => boards.for_each(|(boards, out)| layout.best(reward, boards, worth, out, None)),
        Some(chosen) => {
            boards.zip(chosen.par_chunks_mut(CHUNK)).for_each(|((boards, out), chosen)| {
                layout.best(reward, boards, worth, out, Some(chosen));
            });
        }
    }
}

/// One step of death for every board: [`TransitionModel::deaths`].
pub(super) fn deaths<T: Real, L: TransitionModel<T> + ?Sized>(
    layout: &L,
    deaths: &[T::Cell],
    out: &mut [T],
) {
    let boards = layout.boards().par_chunks(CHUNK).zip(out.par_chunks_mut(CHUNK));
    boards.for_each(|(boards, out)| layout.deaths(boards, deaths, out));
}

/// Writes a number for every board into the places of all its images: what `write` makes of the
/// board and its value.
pub(super) fn spread<T: Real, L: TransitionModel<T> + ?Sized>(
    layout: &L,
    values: &[T],
    table: &[T::Cell],
    write: impl Fn(u32, T) -> T + Sync,
) {
    let boards = layout.boards().par_chunks(CHUNK).zip(values.par_chunks(CHUNK));
    boards.for_each_init(Vec::new, |written, (boards, values)| {
        written.clear();
        written.extend(boards.iter().zip(values).map(|(&board, &value)| write(board, value)));
        layout.spread(boards, written, table);
    });
}

/// The larger of two numbers by size, for residuals.
pub(super) fn largest(numbers: impl ParallelIterator<Item = f64>) -> f64 {
    numbers.map(f64::abs).reduce(|| 0.0, f64::max)
}
