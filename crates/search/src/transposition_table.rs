//! `TranspositionTable`: what a search knows of afterstates, shared by threads without locks, in fixed memory.

use std::hash::{BuildHasher, Hash};
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxBuildHasher;

/// One value: the key and the value, the key mixed with the value, so that a pair of which two
/// threads wrote half each is recognised and counts as nothing (Hyatt & Mann 2002).
#[derive(Default)]
struct Entry {
    mixed: AtomicU64,
    value: AtomicU64,
}

/// Values of (afterstate, depth, what is left to be looked at). A value never depends on when it
/// was found, so a search gives the same answer with an empty table, a full one and none.
pub struct TranspositionTable {
    entries: Box<[Entry]>,
    /// Mixed into every key: another one makes all entries strangers.
    age: AtomicU64,
}

/// Entries that share a line of the cache: a value may stand in any of them.
const NEIGHBOURS: usize = 4;

impl TranspositionTable {
    /// A table of at most so many bytes, and at least a few entries.
    pub fn new(bytes: usize) -> TranspositionTable {
        let entries = (bytes / size_of::<Entry>()).max(NEIGHBOURS);
        let entries =
            if entries.is_power_of_two() { entries } else { entries.next_power_of_two() / 2 };
        TranspositionTable {
            entries: (0..entries).map(|_| Entry::default()).collect(),
            age: AtomicU64::new(1),
        }
    }

    /// The key of an afterstate that is searched in some way.
    #[inline]
    pub(crate) fn key(&self, after: &impl Hash, way: u64) -> u64 {
        let age = self.age.load(Ordering::Relaxed);
        FxBuildHasher.hash_one((FxBuildHasher.hash_one(after), way, age))
    }

    #[inline]
    fn neighbours(&self, key: u64) -> &[Entry] {
        // The low bits of this hash are the worst.
        let number = (key >> 32) as usize & (self.entries.len() - 1) & !(NEIGHBOURS - 1);
        &self.entries[number..number + NEIGHBOURS]
    }

    /// The value of a key, if it is known.
    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<f32> {
        self.neighbours(key).iter().find_map(|entry| {
            let value = entry.value.load(Ordering::Relaxed);
            let mixed = entry.mixed.load(Ordering::Relaxed);
            // Values are written with their highest bit set: an empty entry holds none.
            (mixed ^ value == key && value >> 63 == 1).then(|| f32::from_bits(value as u32))
        })
    }

    /// Keeps a value; some other one may have to go.
    #[inline]
    pub(crate) fn put(&self, key: u64, value: f32) {
        let value = u64::from(value.to_bits()) | 1 << 63;
        let neighbours = self.neighbours(key);
        let empty = |entry: &&Entry| entry.value.load(Ordering::Relaxed) == 0;
        let entry = neighbours.iter().find(empty).unwrap_or(&neighbours[key as usize % NEIGHBOURS]);
        entry.value.store(value, Ordering::Relaxed);
        entry.mixed.store(value ^ key, Ordering::Relaxed);
    }

    /// Forgets everything, at once.
    pub fn forget(&self) {
        self.age.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_until_they_are_forgotten() {
        let table = TranspositionTable::new(1 << 20);
        for number in 0..1_000u64 {
            table.put(table.key(&number, 3), number as f32);
        }
        let known = |way| {
            let found = |n: &u64| table.get(table.key(n, way)) == Some(*n as f32);
            (0..1_000).filter(found).count()
        };
        assert!(known(3) > 990, "{} of 1,000", known(3));
        assert_eq!(known(2), 0);
        table.forget();
        assert_eq!(known(3), 0);
    }

    #[test]
    fn the_size_is_kept() {
        for (bytes, entries) in [(0, 4), (64, 4), (1_000, 32), (1024, 64), (1 << 20, 1 << 16)] {
            assert_eq!(TranspositionTable::new(bytes).entries.len(), entries, "{bytes}");
        }
    }

    /// Threads write different values for the same few keys: whatever is read belongs to its key.
    #[test]
    fn no_thread_reads_a_value_of_another_key() {
        let table = TranspositionTable::new(256);
        let work = |thread: u64| {
            for round in 0..200_000u64 {
                let number = (round * 7 + thread) % 64;
                let key = table.key(&number, 0);
                table.put(key, (number * 1_000) as f32);
                let value = table.get(key);
                assert!(value.is_none_or(|value| value == (number * 1_000) as f32));
            }
        };
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || work(thread));
            }
        });
    }
}
