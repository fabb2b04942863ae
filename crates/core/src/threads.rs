//! Scoped threads whose panics reach the caller.

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
    items: impl ExactSizeIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    if items.len() == 1 {
        return items.map(work).collect();
    }
    let work = &work;
    std::thread::scope(|scope| {
        // All threads are started before the first is joined.
        let threads: Vec<_> = items.map(|item| scope.spawn(move || work(item))).collect();
        let results = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        results
            .map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
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
