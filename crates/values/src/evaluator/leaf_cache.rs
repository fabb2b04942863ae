//! `LeafCache`: recently computed values of afterstates, so that each is summed once.

use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

/// Entries of the cache: enough for the afterstates of one call of an evaluator, few enough for the
/// caches of one core.
const ENTRIES: usize = 1 << 11;

/// One cached afterstate.
#[derive(Clone, Copy)]
struct Entry<A> {
    after: A,
    value: f32,
    /// The batch that added it: 0 for an empty entry.
    batch: u32,
    /// Its index in that batch, until the batch is closed.
    index: u32,
}

/// The result of a lookup.
pub(super) enum Lookup {
    /// The cached value.
    Value(f32),
    /// The afterstate is in the open batch, at this index.
    Pending(u32),
    /// The afterstate was not cached, and has been added to the open batch at this index.
    New(u32),
}

/// A direct-mapped cache: a new afterstate replaces the old one with the same hash. Values are
/// added in batches, so that the weights of many are prefetched at once.
#[derive(Clone)]
pub(super) struct LeafCache<A> {
    entries: Box<[Entry<A>]>,
    /// The entry of each afterstate of the open batch.
    open: Vec<u32>,
    batch: u32,
    /// Entries of batches before this one are stale.
    first: u32,
}

impl<A: Copy + Eq + Hash> LeafCache<A> {
    /// An empty cache, filled with any afterstate.
    pub(super) fn new(any: A) -> LeafCache<A> {
        let empty = Entry { after: any, value: 0.0, batch: 0, index: 0 };
        let entries = vec![empty; ENTRIES].into();
        LeafCache { entries, open: Vec::new(), batch: 1, first: 1 }
    }

    /// Finds an afterstate; if it is not cached, adds it to the open batch.
    #[inline]
    pub(super) fn find(&mut self, after: &A) -> Lookup {
        let hash = FxBuildHasher.hash_one(after);
        let slot = (hash >> (u64::BITS - ENTRIES.trailing_zeros())) as usize;
        let entry = &mut self.entries[slot];
        if entry.batch >= self.first && entry.after == *after {
            let summed = entry.batch != self.batch;
            return if summed { Lookup::Value(entry.value) } else { Lookup::Pending(entry.index) };
        }
        let index = self.open.len() as u32;
        *entry = Entry { after: *after, value: 0.0, batch: self.batch, index };
        self.open.push(slot as u32);
        Lookup::New(index)
    }

    /// Closes the batch with the values of its afterstates, in order.
    #[inline]
    pub(super) fn close(&mut self, values: &[f32]) {
        for (index, (&slot, &value)) in self.open.iter().zip(values).enumerate() {
            let entry = &mut self.entries[slot as usize];
            // Another afterstate of the batch may have replaced it.
            if entry.index == index as u32 {
                entry.value = value;
            }
        }
        self.open.clear();
        self.batch = self.batch.wrapping_add(1);
        if self.batch == 0 {
            self.entries.iter_mut().for_each(|entry| entry.batch = 0);
            (self.batch, self.first) = (1, 1);
        }
    }

    /// Removes all entries.
    pub(super) fn clear(&mut self) {
        self.first = self.batch;
    }
}
