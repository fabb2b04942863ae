//! `Distinct`: finds equal afterstates of a batch, so that each is summed once.

use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

/// Entries of the table: enough for the afterstates of a batch, few enough for the first cache of a
/// core.
const ENTRIES: usize = 1 << 10;

/// An odd number whose product moves all bits of a hash up: 2^64 divided by the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// An afterstate of a batch.
#[derive(Clone, Copy)]
struct Entry<A> {
    after: A,
    batch: u32,
    index: u32,
}

/// A direct-mapped table: an afterstate replaces another one with the same hash, which is then found
/// again as a new one.
#[derive(Clone)]
pub(super) struct Distinct<A> {
    entries: Box<[Entry<A>; ENTRIES]>,
    batch: u32,
    /// For each afterstate of the batch the index of the first that is equal to it.
    pub(super) first: Vec<u32>,
    /// The indices of those that are the first.
    pub(super) new: Vec<u32>,
}

impl<A: Copy + Eq + Hash> Distinct<A> {
    /// An empty table, filled with any afterstate.
    pub(super) fn of(any: A) -> Distinct<A> {
        let empty = Entry { after: any, batch: 0, index: 0 };
        let entries = Box::new([empty; ENTRIES]);
        Distinct { entries, batch: 0, first: Vec::new(), new: Vec::new() }
    }

    /// Finds the equal ones among some afterstates. Which are equal is unpredictable, so that there
    /// is no branch.
    #[inline]
    pub(super) fn find(&mut self, afters: &[A]) {
        self.batch = self.batch.wrapping_add(1);
        if self.batch == 0 {
            self.entries.iter_mut().for_each(|entry| entry.batch = 0);
            self.batch = 1;
        }
        self.first.clear();
        self.first.reserve(afters.len());
        self.new.resize(afters.len(), 0);
        let mut count = 0;
        for (index, after) in afters.iter().enumerate() {
            // The low half of FxHash does not depend on the high half of a board.
            let hash = FxBuildHasher.hash_one(after).wrapping_mul(MULTIPLIER);
            let entry = &mut self.entries[(hash >> 32) as usize % ENTRIES];
            let equal = (entry.batch == self.batch) & (entry.after == *after);
            let first = if equal { entry.index } else { index as u32 };
            *entry = Entry { after: *after, batch: self.batch, index: first };
            self.first.push(first);
            self.new[count] = index as u32;
            count += usize::from(!equal);
        }
        self.new.truncate(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ones_of_one_batch_are_found() {
        let mut distinct = Distinct::of(0u64);
        for round in 0..3 {
            // Numbers that differ in their high half only, and more of them than the table has.
            let afters: Vec<u64> = (0..4_000).map(|i| (i / 2 % 1_500 + round) << 50).collect();
            distinct.find(&afters);
            for (index, &first) in distinct.first.iter().enumerate() {
                assert_eq!(afters[index], afters[first as usize]);
                assert_eq!(first, distinct.first[index - index % 2], "neighbours are equal");
                assert_eq!(first as usize == index, distinct.new.contains(&(index as u32)));
            }
        }
        distinct.find(&[0, 0, 1]);
        assert_eq!((&distinct.first[..], &distinct.new[..]), (&[0, 0, 2][..], &[0, 2][..]));
        distinct.find(&[1, 0]);
        assert_eq!(distinct.first, [0, 1], "other batches are forgotten");
    }
}
