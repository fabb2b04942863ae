//! Work of one search on threads that wait between searches: to start threads takes as long as a search
//! of three plies.

/// Runs `work` on every item and returns the results in the order of the items: the first on the
/// calling thread, the others on threads that all searches share, or one after the other where those
/// are fewer. A panic reaches the caller once all work has ended.
pub(crate) fn pooled<T: Send, R: Send>(
    items: impl Iterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let mut slots: Vec<(Option<T>, Option<R>)> = items.map(|item| (Some(item), None)).collect();
    let run = |slot: &mut (Option<T>, Option<R>)| slot.1 = slot.0.take().map(&work);
    if let Some((first, others)) = slots.split_first_mut() {
        rayon::in_place_scope(|scope| {
            for slot in others {
                scope.spawn(|_| run(slot));
            }
            run(first);
        });
    }
    slots.into_iter().filter_map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items_and_the_first_is_the_callers() {
        // The barrier opens only if both run at once, whatever the number of processors.
        let (barrier, mut items) = (Barrier::new(2), [1, 2]);
        let results = pooled(items.iter_mut(), |item| {
            barrier.wait();
            *item *= 10;
            *item + 1
        });
        assert_eq!((results, items), (vec![11, 21], [10, 20]));
        let caller = thread::current().id();
        let own = pooled(0..40, |item| (item, thread::current().id() == caller));
        assert!(own.into_iter().eq((0..40).map(|item| (item, item == 0))));
        assert!(pooled(std::iter::empty::<u8>(), |item| item).is_empty());
    }

    #[test]
    fn a_panic_reaches_the_caller_after_all_work_has_ended() {
        for bad in [0, 2] {
            let ended = AtomicUsize::new(0);
            let run = || {
                pooled(0..4, |item| {
                    assert!(item != bad, "item {item}");
                    ended.fetch_add(1, Ordering::Relaxed);
                })
            };
            let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
            assert_eq!(panic.downcast_ref::<String>().unwrap(), &format!("item {bad}"));
            assert_eq!(ended.load(Ordering::Relaxed), 3);
        }
    }
}
