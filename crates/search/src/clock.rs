//! `Clock` and `Deadline`: when a search has to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Tells how long something has lasted. Tests bring their own.
pub trait Clock: Sync {
    /// Time since the search began.
    fn elapsed(&self) -> Duration;
}

impl Clock for Instant {
    fn elapsed(&self) -> Duration {
        Instant::elapsed(self)
    }
}

/// A time at which every thread of a search stops.
pub struct Deadline<'a> {
    clock: &'a dyn Clock,
    until: Duration,
    over: AtomicBool,
}

impl<'a> Deadline<'a> {
    /// So much time from the beginning of the clock.
    pub fn new(clock: &'a dyn Clock, until: Duration) -> Deadline<'a> {
        Deadline { clock, until, over: AtomicBool::new(false) }
    }

    /// Whether it is over: what is found from now on is incomplete.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Looks at the clock.
    #[inline]
    pub fn check(&self) -> bool {
        if !self.is_over() && self.clock.elapsed() >= self.until {
            self.over.store(true, Ordering::Relaxed);
        }
        self.is_over()
    }
}
