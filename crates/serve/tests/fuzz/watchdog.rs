//! `watched`: looks at the inputs under way, so that one that hangs is told while it hangs, and one that
//! takes memory before the system runs out of it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

/// The input that a thread works on.
pub(crate) struct Slot(AtomicU64);

/// No input.
const IDLE: u64 = u64::MAX;

impl Slot {
    /// Calls a function on an input.
    pub(crate) fn work<T>(&self, number: u64, work: impl FnOnce() -> T) -> T {
        /// The input has ended, by a panic too.
        struct Ended<'a>(&'a AtomicU64);
        impl Drop for Ended<'_> {
            fn drop(&mut self) {
                self.0.store(IDLE, Ordering::Relaxed);
            }
        }
        self.0.store(number, Ordering::Relaxed);
        let _ended = Ended(&self.0);
        work()
    }

    fn number(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|&number| number != IDLE)
    }
}

/// What is wrong with an input that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alarm {
    /// It takes too long.
    Hang(u64),
    /// It, or another one under way, takes so many bytes of memory.
    Memory(u64, u64),
}

/// Ends the looking with the work, also with one that panics: its thread would be waited for.
struct End<'a> {
    is_done: &'a AtomicBool,
    looking: Thread,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.is_done.store(true, Ordering::Relaxed);
        self.looking.unpark();
    }
}

/// What a watchdog looks for.
pub(crate) struct Watchdog<M> {
    /// The time between two looks.
    pub(crate) tick: Duration,
    /// How often it finds the same input before that is an alarm. Looks are counted and not seconds: a
    /// process that is stopped or gets no processor time does not hang.
    pub(crate) looks: u32,
    /// The most bytes of memory, and what has been taken.
    pub(crate) max_memory: u64,
    pub(crate) memory: M,
}

impl<M: Fn() -> Option<u64> + Sync> Watchdog<M> {
    /// Gives a slot for each of some threads to `work` and watches them until it returns.
    pub(crate) fn watch<T>(
        &self,
        threads: usize,
        alarm: impl Fn(Alarm) + Sync,
        work: impl FnOnce(&[Slot]) -> T,
    ) -> T {
        let slots: Vec<Slot> = (0..threads).map(|_| Slot(AtomicU64::new(IDLE))).collect();
        let is_done = AtomicBool::new(false);
        thread::scope(|scope| {
            let looking = scope.spawn(|| self.look(&slots, &is_done, &alarm));
            let _end = End { is_done: &is_done, looking: looking.thread().clone() };
            work(&slots)
        })
    }

    fn look(&self, slots: &[Slot], is_done: &AtomicBool, alarm: &impl Fn(Alarm)) {
        let mut seen: Vec<(Option<u64>, u32)> = vec![(None, 0); slots.len()];
        loop {
            thread::park_timeout(self.tick);
            if is_done.load(Ordering::Relaxed) {
                return;
            }
            for (slot, (number, looks)) in slots.iter().zip(&mut seen) {
                let found = slot.number();
                *looks = if found == *number { *looks + 1 } else { 0 };
                *number = found;
                if let (Some(number), true) = (found, *looks == self.looks) {
                    alarm(Alarm::Hang(number));
                }
            }
            let taken = (self.memory)().filter(|&bytes| bytes > self.max_memory);
            if let (Some(bytes), Some(number)) = (taken, slots.iter().find_map(Slot::number)) {
                alarm(Alarm::Memory(number, bytes));
            }
        }
    }
}

/// The alarms while an input is under way that ends with the first alarm.
fn first_alarm(looks: u32, memory: impl Fn() -> Option<u64> + Sync) -> Alarm {
    let (send, told) = std::sync::mpsc::channel();
    let watchdog = Watchdog { tick: Duration::from_millis(1), looks, max_memory: 100, memory };
    let tell = |alarm| send.send(alarm).unwrap();
    watchdog.watch(2, tell, |slots| slots[1].work(7, || told.recv().unwrap()))
}

#[test]
fn hangs_and_memory_are_told_while_they_last() {
    assert_eq!(first_alarm(3, || Some(100)), Alarm::Hang(7));
    assert_eq!(first_alarm(u32::MAX, || Some(101)), Alarm::Memory(7, 101));
    // Inputs that end are no alarm, however many there are.
    let watchdog =
        Watchdog { tick: Duration::from_micros(100), looks: 200, max_memory: 0, memory: || None };
    let alarm = |alarm| panic!("{alarm:?}");
    let count = watchdog.watch(1, alarm, |slots| {
        (0..50_000).map(|number| slots[0].work(number, || 1)).sum::<u64>()
    });
    assert_eq!(count, 50_000);
}

#[test]
fn the_watchdog_ends_with_work_that_panics() {
    let watchdog =
        Watchdog { tick: Duration::from_secs(1), looks: 200, max_memory: 0, memory: || None };
    let watched =
        std::panic::AssertUnwindSafe(|| watchdog.watch(1, |_| (), |_| panic!("a finding")));
    assert!(std::panic::catch_unwind(watched).is_err());
}
