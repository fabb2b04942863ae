//! `Leaves`: the values of afterstates that were looked up lately, so that each is summed once.

use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

/// How many afterstates are remembered: enough for all that one call of a evaluator meets, and few
/// enough to stay close to the core.
const ENTRIES: usize = 1 << 11;

/// One remembered afterstate.
#[derive(Clone, Copy)]
struct Entry<A> {
    after: A,
    value: f32,
    /// In which batch it was found: 0 never.
    batch: u32,
    /// Its place in that batch, for as long as the batch is not summed.
    place: u32,
}

/// What is known of an afterstate.
pub(super) enum Found {
    /// Its value.
    Value(f32),
    /// Its place among those of the batch at hand that are still to be summed.
    Place(u32),
    /// Nothing: it has got this place in the batch and this entry.
    New(u32),
}

/// A table of values with one place for each hash; a new afterstate takes the place of an old one.
/// Values are filled in batches, so that many are on their way from memory at once.
#[derive(Clone)]
pub(super) struct Leaves<A> {
    entries: Box<[Entry<A>]>,
    /// The entry of each afterstate of the batch.
    open: Vec<u32>,
    batch: u32,
    /// What older batches found is forgotten.
    first: u32,
}

impl<A: Copy + Eq + Hash> Leaves<A> {
    /// An empty table; any afterstate will do to fill it with.
    pub(super) fn new(any: A) -> Leaves<A> {
        let empty = Entry { after: any, value: 0.0, batch: 0, place: 0 };
        let entries = vec![empty; ENTRIES].into();
        Leaves { entries, open: Vec::new(), batch: 1, first: 1 }
    }

    /// What is known of an afterstate; if nothing, it joins the batch.
    #[inline]
    pub(super) fn find(&mut self, after: &A) -> Found {
        let hash = FxBuildHasher.hash_one(after);
        let slot = (hash >> (u64::BITS - ENTRIES.trailing_zeros())) as usize;
        let entry = &mut self.entries[slot];
        if entry.batch >= self.first && entry.after == *after {
            let summed = entry.batch != self.batch;
            return if summed { Found::Value(entry.value) } else { Found::Place(entry.place) };
        }
        let place = self.open.len() as u32;
        *entry = Entry { after: *after, value: 0.0, batch: self.batch, place };
        self.open.push(slot as u32);
        Found::New(place)
    }

    /// Ends the batch: its values, in the order of their places.
    #[inline]
    pub(super) fn close(&mut self, values: &[f32]) {
        for (place, (&slot, &value)) in self.open.iter().zip(values).enumerate() {
            let entry = &mut self.entries[slot as usize];
            // Another afterstate of the batch may have taken the entry since.
            if entry.place == place as u32 {
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

    /// Forgets everything.
    pub(super) fn forget(&mut self) {
        self.first = self.batch;
    }
}
