//! `Clock` and `Deadline`: when a search has to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Measures elapsed time. Tests have their own.
pub trait Clock: Sync {
    /// Time since the search began.
    fn elapsed(&self) -> Duration;
}

impl Clock for Instant {
    fn elapsed(&self) -> Duration {
        Instant::elapsed(self)
    }
}

/// A time at which all threads of a search stop.
pub struct Deadline<'a> {
    clock: &'a dyn Clock,
    limit: Duration,
    passed: AtomicBool,
}

impl<'a> Deadline<'a> {
    /// A deadline after this much time on the clock.
    pub fn new(clock: &'a dyn Clock, limit: Duration) -> Deadline<'a> {
        Deadline { clock, limit, passed: AtomicBool::new(false) }
    }

    /// Whether a [`Deadline::check`] has found it passed: results from then on are incomplete.
    #[inline]
    pub fn has_passed(&self) -> bool {
        self.passed.load(Ordering::Relaxed)
    }

    /// Reads the clock; returns whether the deadline has passed.
    #[inline]
    pub fn check(&self) -> bool {
        if !self.has_passed() && self.clock.elapsed() >= self.limit {
            self.passed.store(true, Ordering::Relaxed);
        }
        self.has_passed()
    }
}
