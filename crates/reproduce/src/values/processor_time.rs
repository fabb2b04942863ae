//! Processor time: what a training takes on a machine that others use at the same time.

use std::time::Instant;

/// A clock that stands still while other programs have the processor.
pub(super) struct ProcessorTime {
    begun: Option<f64>,
    clock: Instant,
}

impl ProcessorTime {
    pub(super) fn start() -> ProcessorTime {
        ProcessorTime { begun: process_seconds(), clock: Instant::now() }
    }

    /// Seconds of processors that all threads of this process have taken since the start; where the system
    /// does not tell, seconds on the clock.
    pub(super) fn seconds(&self) -> f64 {
        let taken = process_seconds().zip(self.begun).map(|(now, begun)| now - begun);
        taken.unwrap_or_else(|| self.elapsed())
    }

    /// Seconds on the clock.
    pub(super) fn elapsed(&self) -> f64 {
        self.clock.elapsed().as_secs_f64()
    }
}

#[cfg(unix)]
fn process_seconds() -> Option<f64> {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

#[cfg(not(unix))]
fn process_seconds() -> Option<f64> {
    None
}
