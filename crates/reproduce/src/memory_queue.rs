//! `MemoryQueue`: which of several trainings begins next, so that the weights of all that are under
//! way fit into memory.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use afterstate_values::memory;

/// Trainings that wait for a thread and for memory.
pub(crate) struct MemoryQueue {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// The numbers of those that wait and the bytes they need, the largest first: it takes longest.
    waiting: Vec<(usize, u64)>,
    free: u64,
    running: usize,
}

/// A training that may begin. Its memory is free again when this is dropped.
pub(crate) struct Turn<'a> {
    pub(crate) number: usize,
    bytes: u64,
    queue: &'a MemoryQueue,
}

impl MemoryQueue {
    /// The trainings by the bytes they need, within nine tenths of the memory that is free now.
    pub(crate) fn new(needs: impl Iterator<Item = u64>) -> MemoryQueue {
        MemoryQueue::within(memory::free().map_or(u64::MAX, |free| free / 10 * 9), needs)
    }

    fn within(free: u64, needs: impl Iterator<Item = u64>) -> MemoryQueue {
        let mut waiting: Vec<(usize, u64)> = needs.enumerate().collect();
        waiting.sort_by_key(|&(number, bytes)| (std::cmp::Reverse(bytes), number));
        let state = Mutex::new(State { waiting, free, running: 0 });
        MemoryQueue { state, changed: Condvar::new() }
    }

    /// The largest training that fits beside those under way; waits until one does. One that runs
    /// alone may need more than there is: the memory itself then refuses it. `None` once all have
    /// begun.
    pub(crate) fn next(&self) -> Option<Turn<'_>> {
        let mut state = self.lock();
        loop {
            if state.waiting.is_empty() {
                return None;
            }
            let State { waiting, free, running } = &*state;
            let fits = waiting.iter().position(|&(_, bytes)| bytes <= *free || *running == 0);
            if let Some(place) = fits {
                let (number, bytes) = state.waiting.remove(place);
                let bytes = bytes.min(state.free);
                state.free -= bytes;
                state.running += 1;
                return Some(Turn { number, bytes, queue: self });
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.free += self.bytes;
        state.running -= 1;
        self.queue.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(queue: &MemoryQueue) -> Turn<'_> {
        queue.next().unwrap()
    }

    #[test]
    fn the_largest_that_fits_begins_next() {
        let queue = MemoryQueue::within(10, [1, 8, 3, 8].into_iter());
        let first = next(&queue);
        // The other one of 8 and that of 3 do not fit beside it; that of 1 does.
        let second = next(&queue);
        assert_eq!((first.number, second.number), (1, 0));
        drop(second);
        drop(first);
        assert_eq!(next(&queue).number, 3);
        assert_eq!(next(&queue).number, 2);
        assert!(queue.next().is_none());
    }

    #[test]
    fn one_that_does_not_fit_waits_for_memory_and_at_last_runs_alone() {
        let queue = MemoryQueue::within(10, [4, 20].into_iter());
        let large = next(&queue);
        assert_eq!(large.number, 1);
        std::thread::scope(|scope| {
            let small = scope.spawn(|| next(&queue).number);
            // Nothing is free beside the large one: the small one waits.
            std::thread::sleep(std::time::Duration::from_millis(50));
            assert!(!small.is_finished());
            drop(large);
            assert_eq!(small.join().unwrap(), 0);
        });
    }
}
