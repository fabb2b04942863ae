//! Scoped threads whose panics reach the caller. What starts threads is compiled once, not again for
//! every piece of work.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of processors that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs `work` on every item, one thread per item, and returns the results in the order of the
/// items. A single item runs on the calling thread. A panic of a thread is resumed on the calling
/// thread once all threads have ended.
///
/// ```
/// let words = ["one", "two", "three"];
/// let lengths = afterstate_core::threads::scoped(words.iter(), |word| word.len());
/// assert_eq!(lengths, [3, 3, 5]);
/// ```
pub fn scoped<T: Send, R: Send>(
    items: impl Iterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let items: Vec<_> = items.map(|item| Mutex::new((Some(item), None))).collect();
    run(items.len(), &|number| {
        let Some(slot) = items.get(number) else { return };
        let item = lock(slot).0.take();
        let result = item.map(&work);
        lock(slot).1 = result;
    });
    items.iter().filter_map(|slot| lock(slot).1.take()).collect()
}

/// `work` of every number below `count`, in their order, on some threads that take the next number
/// whenever they have finished one.
///
/// ```
/// let squares = afterstate_core::threads::map(2, 5, |number| number * number);
/// assert_eq!(squares, [0, 1, 4, 9, 16]);
/// ```
pub fn map<R: Send>(threads: usize, count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    map_with(threads, count, || (), |(), number| work(number))
}

/// Like [`map`], where every thread has a state of its own.
pub fn map_with<S, R: Send>(
    threads: usize,
    count: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> R + Sync,
) -> Vec<R> {
    let results: Vec<Mutex<Option<R>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    run(threads.min(count), &|_| {
        let mut state = state();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(result) = results.get(number) else { return };
            let found = work(&mut state, number);
            *lock(result) = Some(found);
        }
    });
    results.iter().filter_map(|result| lock(result).take()).collect()
}

fn lock<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs work on several threads at once, numbered from 0, which is the calling one.
fn run(threads: usize, work: &(dyn Fn(usize) + Sync)) {
    std::thread::scope(|scope| {
        let start = |number| scope.spawn(move || work(number));
        let others: Vec<_> = (1..threads).map(start).collect();
        work(0);
        for thread in others {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        // The barrier opens only if all threads run at once.
        let (barrier, mut items) = (Barrier::new(5), [1, 2, 3, 4, 5]);
        let results = scoped(items.iter_mut(), |item| {
            barrier.wait();
            *item *= 10;
            *item + 1
        });
        assert_eq!((results, items), (vec![11, 21, 31, 41, 51], [10, 20, 30, 40, 50]));
        assert!(scoped(std::iter::empty::<u8>(), |item| item).is_empty());
    }

    #[test]
    fn numbers_are_shared_among_the_threads_and_results_come_in_order() {
        // Both threads are in the first two numbers at once, each with a state of its own.
        let barrier = Barrier::new(2);
        let results = map_with(
            2,
            100,
            || 0,
            |played, number| {
                if number < 2 {
                    barrier.wait();
                }
                *played += 1;
                (number, *played)
            },
        );
        assert!(results.iter().map(|result| result.0).eq(0..100));
        assert_eq!(results.iter().filter(|result| result.1 == 1).count(), 2);
        assert!(map(8, 0, |number| number).is_empty());
    }

    #[test]
    fn a_panic_reaches_the_caller_after_all_threads_have_ended() {
        let ended = AtomicUsize::new(0);
        let run = || {
            scoped(0..4, |item| {
                assert!(item != 2, "item {item}");
                ended.fetch_add(1, Ordering::Relaxed);
            })
        };
        let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
        assert_eq!(panic.downcast_ref::<String>().unwrap(), "item 2");
        assert_eq!(ended.load(Ordering::Relaxed), 3);
    }
}
