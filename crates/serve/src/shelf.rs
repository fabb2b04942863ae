//! `Shelf`: so many things by id; the one that was left alone for longest makes room.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Mutex as Turns;

use crate::failure::Failure;

/// Things by id, each behind a lock at which requests queue without holding a thread.
pub(crate) struct Shelf<T> {
    prefix: &'static str,
    most: usize,
    inner: Mutex<Inner<T>>,
}

struct Inner<T> {
    things: HashMap<String, (u64, Arc<Turns<T>>)>,
    /// How often anything was taken: the age of things.
    clock: u64,
    made: u64,
}

impl<T> Shelf<T> {
    /// An empty shelf whose ids begin with a prefix.
    pub(crate) fn new(prefix: &'static str, most: usize) -> Shelf<T> {
        let inner = Inner { things: HashMap::new(), clock: 0, made: 0 };
        Shelf { prefix, most, inner: Mutex::new(inner) }
    }

    /// Puts something there, and returns its id.
    pub(crate) fn put(&self, thing: T) -> String {
        let mut inner = locked(&self.inner);
        if inner.things.len() >= self.most {
            let oldest = inner.things.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(id) = oldest.map(|(id, _)| id.clone()) {
                inner.things.remove(&id);
            }
        }
        inner.clock += 1;
        inner.made += 1;
        let (id, used) = (format!("{}{}", self.prefix, inner.made), inner.clock);
        inner.things.insert(id.clone(), (used, Arc::new(Turns::new(thing))));
        id
    }

    /// What has an id.
    pub(crate) fn get(&self, what: &'static str, id: &str) -> Result<Arc<Turns<T>>, Failure> {
        let mut inner = locked(&self.inner);
        inner.clock += 1;
        let now = inner.clock;
        let (used, thing) = inner.things.get_mut(id).ok_or_else(|| Failure::unknown(what, id))?;
        *used = now;
        Ok(Arc::clone(thing))
    }

    /// Takes something away.
    pub(crate) fn remove(&self, what: &'static str, id: &str) -> Result<(), Failure> {
        let removed = locked(&self.inner).things.remove(id);
        removed.map(drop).ok_or_else(|| Failure::unknown(what, id))
    }
}

/// The inside of a lock. Whoever panicked while holding it has left a whole thing: every change is
/// made at once.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_left_alone_for_longest_makes_room() {
        let shelf = Shelf::new("t", 2);
        let (first, second) = (shelf.put('a'), shelf.put('b'));
        assert_eq!(*shelf.get("thing", &first).unwrap().try_lock().unwrap(), 'a');
        let third = shelf.put('c');
        assert!(shelf.get("thing", &second).is_err());
        assert!(shelf.get("thing", &first).is_ok() && shelf.get("thing", &third).is_ok());
        shelf.remove("thing", &first).unwrap();
        let said = shelf.get("thing", &first).unwrap_err().to_string();
        assert_eq!(said, "thing: met \"t1\", expected one that is listed");
    }
}
