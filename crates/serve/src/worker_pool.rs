//! `WorkerPool`: a bounded number of computations off the threads that serve connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Semaphore;

use crate::error::ApiError;
use crate::limits::{MAX_QUEUE, WORKERS};

/// Runs computations on blocking threads, [`WORKERS`] at a time.
pub(crate) struct WorkerPool {
    workers: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// A place in the queue, released when the request ends or is cancelled.
struct QueuePlace<'a>(&'a AtomicUsize);

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl WorkerPool {
    pub(crate) fn new() -> WorkerPool {
        WorkerPool { workers: Arc::new(Semaphore::new(WORKERS)), waiting: AtomicUsize::new(0) }
    }

    /// Runs a computation as soon as a worker is free. A client that disconnects leaves the queue;
    /// a computation that has begun runs to its end.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        compute: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let waiting = self.waiting.fetch_add(1, Ordering::Relaxed);
        let place = QueuePlace(&self.waiting);
        if waiting >= MAX_QUEUE {
            return Err(ApiError::Unavailable(format!(
                "the server is busy: {waiting} computations are waiting, try again later"
            )));
        }
        let closed = |_| ApiError::Unavailable("the server is stopping".to_owned());
        let worker = Arc::clone(&self.workers).acquire_owned().await.map_err(closed)?;
        drop(place);
        let computation = tokio::task::spawn_blocking(move || {
            let result = compute();
            drop(worker);
            result
        });
        computation.await.unwrap_or_else(|error| Err(ApiError::internal(error)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn eight_are_computed_and_128_wait() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let pool = Arc::new(WorkerPool::new());
        let (finish, gate) = mpsc::channel::<()>();
        let gate = Arc::new(std::sync::Mutex::new(gate));
        let started = Arc::new(AtomicUsize::new(0));
        let spawn = || {
            let (pool, gate, started) =
                (Arc::clone(&pool), Arc::clone(&gate), Arc::clone(&started));
            runtime.spawn(async move {
                let compute = move || {
                    started.fetch_add(1, Ordering::Relaxed);
                    // Until the test lets go of the other end.
                    let _ = crate::lru_store::lock(&gate).recv();
                    Ok(())
                };
                pool.run(compute).await
            })
        };
        let until = |holds: &dyn Fn() -> bool| {
            while !holds() {
                std::thread::yield_now();
            }
        };
        let mut accepted: Vec<_> = (0..WORKERS).map(|_| spawn()).collect();
        until(&|| started.load(Ordering::Relaxed) == WORKERS);
        accepted.extend((0..MAX_QUEUE).map(|_| spawn()));
        until(&|| pool.waiting.load(Ordering::Relaxed) == MAX_QUEUE);
        assert_eq!(started.load(Ordering::Relaxed), WORKERS);
        let refused = runtime.block_on(spawn()).unwrap().unwrap_err();
        assert!(matches!(refused, ApiError::Unavailable(_)));
        drop(finish);
        for one in accepted {
            assert!(runtime.block_on(one).unwrap().is_ok());
        }
        assert_eq!(pool.waiting.load(Ordering::Relaxed), 0);
    }
}
