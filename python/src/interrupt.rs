//! Long calls on a thread of their own, while the calling thread answers Ctrl-C.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::errors::{bug, os_error};

/// How often signals are looked for.
const TICK: Duration = Duration::from_millis(50);

/// What becomes of work that is interrupted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnInterrupt {
    /// It has nothing to save: if it does not end soon, it is left behind and its result dropped.
    Leave,
    /// It saves what it has.
    Wait,
}

/// How long work that may be left behind is waited for.
const GRACE: Duration = Duration::from_millis(500);

/// The place where the result of the work is left.
struct Slot<T> {
    result: Mutex<Option<thread::Result<T>>>,
    ready: Condvar,
}

impl<T> Slot<T> {
    /// The result, if it comes in time.
    fn wait(&self, time: Duration) -> Option<thread::Result<T>> {
        let result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.ready.wait_timeout_while(result, time, |result| result.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.take()
    }
}

/// Calls `work` on a new thread without the interpreter lock. A signal, such as Ctrl-C, sets the
/// flag that the work is given, and is raised. So is an error of `tick`, which is called meanwhile.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python,
    on_interrupt: OnInterrupt,
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
    mut tick: impl FnMut(Python) -> PyResult<()>,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let slot = Arc::new(Slot { result: Mutex::new(None), ready: Condvar::new() });
    let (given, left) = (Arc::clone(&stop), Arc::clone(&slot));
    thread::Builder::new()
        .name("afterstate".to_owned())
        .spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(|| work(&given)));
            *left.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            left.ready.notify_all();
        })
        .map_err(|error| os_error(error.kind(), format!("cannot start a thread: {error}")))?;
    let mut raised = None;
    let result = loop {
        if let Some(result) = py.detach(|| slot.wait(TICK)) {
            break result;
        }
        // A second Ctrl-C does not wait for anything.
        match (&raised, py.check_signals()) {
            (Some(_), signals) => signals?,
            (None, signals) => {
                if let Err(error) = signals.and_then(|()| tick(py)) {
                    stop.store(true, Ordering::Relaxed);
                    raised = Some((error, Instant::now()));
                }
            }
        }
        let left = |since: Instant| on_interrupt == OnInterrupt::Leave && since.elapsed() > GRACE;
        if let Some((error, _)) = raised.take_if(|(_, since)| left(*since)) {
            return Err(error);
        }
    };
    match (raised, result) {
        (Some((error, _)), _) => Err(error),
        (None, Ok(result)) => Ok(result),
        (None, Err(_)) => Err(bug("the computation has panicked")),
    }
}
