//! `LruStore`: a bounded number of values by id; a new one evicts the least recently used.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Mutex as AsyncMutex;

use crate::error::ApiError;

/// Values by id, each behind a lock at which requests wait without blocking a thread.
pub(crate) struct LruStore<T> {
    prefix: &'static str,
    capacity: usize,
    inner: Mutex<Inner<T>>,
}

struct Inner<T> {
    /// Every value with the time of its last use.
    values: HashMap<String, (u64, Arc<AsyncMutex<T>>)>,
    /// Logical time: the number of uses.
    clock: u64,
    /// The number of values ever inserted.
    inserted: u64,
}

impl<T> LruStore<T> {
    /// An empty store. Its ids are the prefix and a number.
    pub(crate) fn new(prefix: &'static str, capacity: usize) -> LruStore<T> {
        let inner = Inner { values: HashMap::new(), clock: 0, inserted: 0 };
        LruStore { prefix, capacity, inner: Mutex::new(inner) }
    }

    /// Inserts a value and returns its id.
    pub(crate) fn insert(&self, value: T) -> String {
        let mut inner = lock(&self.inner);
        if inner.values.len() >= self.capacity {
            let oldest = inner.values.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(id) = oldest.map(|(id, _)| id.clone()) {
                inner.values.remove(&id);
            }
        }
        inner.clock += 1;
        inner.inserted += 1;
        let (id, used) = (format!("{}{}", self.prefix, inner.inserted), inner.clock);
        inner.values.insert(id.clone(), (used, Arc::new(AsyncMutex::new(value))));
        id
    }

    /// The value with an id; `what` names it in the error.
    pub(crate) fn get(&self, what: &'static str, id: &str) -> Result<Arc<AsyncMutex<T>>, ApiError> {
        let mut inner = lock(&self.inner);
        inner.clock += 1;
        let now = inner.clock;
        let (used, value) =
            inner.values.get_mut(id).ok_or_else(|| ApiError::not_found(what, id))?;
        *used = now;
        Ok(Arc::clone(value))
    }

    /// Removes the value with an id.
    pub(crate) fn remove(&self, what: &'static str, id: &str) -> Result<(), ApiError> {
        let removed = lock(&self.inner).values.remove(id);
        removed.map(drop).ok_or_else(|| ApiError::not_found(what, id))
    }
}

/// Locks a mutex. A poisoned one is used as it is: every critical section leaves a valid value.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_value_is_evicted() {
        let store = LruStore::new("t", 2);
        let (first, second) = (store.insert('a'), store.insert('b'));
        assert_eq!(*store.get("value", &first).unwrap().try_lock().unwrap(), 'a');
        let third = store.insert('c');
        assert!(store.get("value", &second).is_err());
        assert!(store.get("value", &first).is_ok() && store.get("value", &third).is_ok());
        store.remove("value", &first).unwrap();
        let error = store.get("value", &first).unwrap_err().to_string();
        assert_eq!(error, "unknown value \"t1\"");
    }
}
