//! `TranspositionTable`: values of afterstates, shared by threads without locks, in fixed memory.

use std::hash::{BuildHasher, Hash};
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxBuildHasher;

/// A value, and its key xor the value: an entry of which two threads wrote one half each does not
/// match any key (Hyatt & Mann 2002).
#[derive(Default)]
struct Entry {
    key_xor_value: AtomicU64,
    value: AtomicU64,
}

/// Values of afterstates searched to some depth. A value does not depend on when it was stored, so
/// a search gives the same result with an empty table, a full one and none.
pub struct TranspositionTable {
    entries: Box<[Entry]>,
    /// Part of every key: a new generation makes all older entries unreachable.
    generation: AtomicU64,
}

/// Entries of a bucket, one cache line: a value may be in any of them.
const BUCKET: usize = 4;

impl TranspositionTable {
    /// A table of at most that many bytes, and at least one bucket.
    pub fn new(bytes: usize) -> TranspositionTable {
        let entries = 1 << (bytes / size_of::<Entry>()).max(BUCKET).ilog2();
        TranspositionTable {
            entries: (0..entries).map(|_| Entry::default()).collect(),
            generation: AtomicU64::new(1),
        }
    }

    /// The key of an afterstate that is searched to some depth.
    #[inline]
    pub(crate) fn key(&self, after: &impl Hash, depth: u64) -> u64 {
        TranspositionTable::key_of(after, depth, self.generation())
    }

    /// The same for a generation of the table.
    #[inline]
    pub(crate) fn key_of(after: &impl Hash, depth: u64, generation: u64) -> u64 {
        FxBuildHasher.hash_one((FxBuildHasher.hash_one(after), depth, generation))
    }

    #[inline]
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    #[inline]
    fn bucket(&self, key: u64) -> &[Entry] {
        // The low bits of FxHash are the weakest.
        let first = (key >> 32) as usize & (self.entries.len() - 1) & !(BUCKET - 1);
        &self.entries[first..first + BUCKET]
    }

    /// Prefetches the bucket of a key.
    #[inline]
    #[allow(unsafe_code)]
    pub(crate) fn prefetch(&self, key: u64) {
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        // SAFETY: prefetching has no effect but on caches.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(self.bucket(key).as_ptr().cast());
        }
        #[cfg(not(all(target_arch = "x86_64", not(portable))))]
        let _ = key;
    }

    /// The value of a key, if it is stored. It is of this depth even if another key has the same bits.
    #[inline]
    pub(crate) fn get(&self, key: u64, depth: u64) -> Option<f32> {
        self.bucket(key).iter().find_map(|entry| {
            let value = entry.value.load(Ordering::Relaxed);
            let key_xor_value = entry.key_xor_value.load(Ordering::Relaxed);
            let found = key_xor_value ^ value == key && value >> 32 == mark(depth);
            found.then(|| f32::from_bits(value as u32))
        })
    }

    /// Stores a value, replacing another one if the bucket is full.
    #[inline]
    pub(crate) fn put(&self, key: u64, depth: u64, value: f32) {
        let value = u64::from(value.to_bits()) | mark(depth) << 32;
        let bucket = self.bucket(key);
        let empty = |entry: &&Entry| entry.value.load(Ordering::Relaxed) == 0;
        let entry = bucket.iter().find(empty).unwrap_or(&bucket[key as usize % BUCKET]);
        entry.value.store(value, Ordering::Relaxed);
        entry.key_xor_value.store(value ^ key, Ordering::Relaxed);
    }

    /// Removes all entries, in constant time.
    pub fn clear(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }
}

/// What is stored beside a value: its depth, of 23 bits at most, and a bit that an empty entry lacks.
#[inline]
fn mark(depth: u64) -> u64 {
    debug_assert!(depth < 1 << 31, "{depth}");
    (depth | 1 << 31) & 0xffff_ffff
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expectimax::{depth, max_surprisal};

    #[test]
    fn values_are_found_until_the_table_is_cleared() {
        let table = TranspositionTable::new(1 << 20);
        for number in 0..1_000u64 {
            table.put(table.key(&number, 3), 3, number as f32);
            // Whatever the key is, its bucket is one of the table, and nothing changes.
            table.prefetch(u64::MAX / (number + 1));
        }
        let found = |depth| {
            let is_found = |n: &u64| table.get(table.key(n, depth), depth) == Some(*n as f32);
            (0..1_000).filter(is_found).count()
        };
        assert!(found(3) > 990, "{} of 1,000", found(3));
        assert_eq!(found(2), 0);
        table.clear();
        assert_eq!(found(3), 0);
    }

    /// Even where the keys of two depths are the same number.
    #[test]
    fn a_value_of_another_depth_is_never_found() {
        let table = TranspositionTable::new(1 << 12);
        let deepest = depth(64, max_surprisal(f64::MIN_POSITIVE));
        for (number, depth) in [0, 1, 2, 5, deepest - 1, deepest].into_iter().enumerate() {
            let key = 0x1234_5678_9abc_def0 + number as u64;
            table.put(key, depth, 7.0);
            for other in [0, 1, 2, 3, 5, deepest - 1, deepest] {
                assert_eq!(
                    table.get(key, other),
                    (other == depth).then_some(7.0),
                    "{depth} {other}"
                );
            }
        }
    }

    #[test]
    fn a_table_has_at_most_the_bytes_given() {
        for (bytes, entries) in [(0, 4), (64, 4), (1_000, 32), (1024, 64), (1 << 20, 1 << 16)] {
            assert_eq!(TranspositionTable::new(bytes).entries.len(), entries, "{bytes}");
        }
    }

    /// Threads write different values for the same few keys: whatever is read belongs to its key.
    #[test]
    fn no_thread_reads_a_value_of_another_key() {
        let table = TranspositionTable::new(256);
        afterstate_core::threads::scoped(0..4u32, |thread| {
            for round in 0..200_000u64 {
                let number = (round * 7 + u64::from(thread)) % 64;
                let key = table.key(&number, 0);
                table.put(key, 0, (number * 1_000) as f32);
                let value = table.get(key, 0);
                assert!(value.is_none_or(|value| value == (number * 1_000) as f32));
            }
        });
    }
}
