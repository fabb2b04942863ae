//! `Work`: computations off the threads that serve connections, so many at a time and no more.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Semaphore;

use crate::failure::Failure;
use crate::limits::{AT_WORK, WAITING};

/// A queue for computations.
pub(crate) struct Work {
    turns: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// One place in the queue, given up however the request ends.
struct Place<'a>(&'a AtomicUsize);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Work {
    pub(crate) fn new() -> Work {
        Work { turns: Arc::new(Semaphore::new(AT_WORK)), waiting: AtomicUsize::new(0) }
    }

    /// Computes something when it is its turn. A client that goes away leaves the queue; what is
    /// already computed comes to its end, which is never far.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        compute: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let place = Place(&self.waiting);
        if before >= WAITING {
            return Err(Failure::Busy(format!(
                "met {before} computations that wait already, expected fewer: try again in a moment"
            )));
        }
        let closed = |_| Failure::Busy("the server is stopping".to_owned());
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(closed)?;
        drop(place);
        let computed = tokio::task::spawn_blocking(move || {
            let done = compute();
            drop(turn);
            done
        });
        computed.await.unwrap_or_else(|error| Err(Failure::broken(error)))
    }
}
