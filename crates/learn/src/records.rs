//! `Records`: each weight beside its sums of temporal coherence, so that an update changes cache lines
//! that play has read, and no others.

use std::sync::atomic::AtomicU32;

use afterstate_core::policy::Choice;
use afterstate_core::threads::scoped;
use afterstate_games::Cells;
use afterstate_values::memory::{Memory, MemoryError};
use afterstate_values::values::TrainableValues;
use afterstate_values::weights::{self, load, prefetch_all, store};
use afterstate_values::{Network, Values};

use crate::update::count;
use crate::{Coherence, Update};

/// A record has four words: the weight, one that is not used, so that records lie within cache lines, and
/// both sums.
const SHIFT: u32 = 2;
const WORDS: usize = 1 << SHIFT;

/// The largest number of records whose words have indices of 32 bits.
const MAX_RECORDS: u64 = 1 << (u32::BITS - SHIFT);

/// The weights of a network without stages and their sums, record by record. The network and the sums
/// are copied in and back: their own tables are what is saved.
pub struct Records(Memory);

impl Records {
    /// Bytes of memory for so many weights.
    pub fn bytes(weights: u64) -> u64 {
        (4 * weights) << SHIFT
    }

    /// Room for the records of a network; `None` if it has stages, whose weights are promoted, or too
    /// many weights.
    pub fn new<G: Cells>(network: &Network<G>) -> Option<Result<Records, MemoryError>> {
        let weights = network.tuples().weights();
        let fits = !network.is_staged() && weights <= MAX_RECORDS;
        fits.then(|| Memory::zeroed(Records::bytes(weights)).map(Records))
    }

    /// The memory of the records.
    pub fn memory(&self) -> &Memory {
        &self.0
    }

    /// Copies all weights and sums into the records.
    pub fn fill<G: Cells>(&self, network: &Network<G>, sums: &Coherence, threads: usize) {
        self.each(network, sums, threads, |record, own| {
            record.into_iter().zip(own).for_each(|(to, from)| store(to, load(from)));
        });
    }

    /// Copies all weights and sums back.
    pub fn copy_to<G: Cells>(&self, network: &Network<G>, sums: &Coherence, threads: usize) {
        self.each(network, sums, threads, |record, own| {
            record.into_iter().zip(own).for_each(|(from, to)| store(to, load(from)));
        });
    }

    /// Every record with its weight and its sums, a part of them on each thread.
    fn each<G: Cells>(
        &self,
        network: &Network<G>,
        sums: &Coherence,
        threads: usize,
        copy: impl Fn([&AtomicU32; 3], [&AtomicU32; 3]) + Sync,
    ) {
        let part = network.weights().len().div_ceil(threads.max(1)).max(1);
        let (records, _) = self.0.words().as_chunks::<WORDS>();
        let (sums, _) = sums.memory().words().as_chunks::<2>();
        let parts = records.chunks(part).zip(network.weights().chunks(part)).zip(sums.chunks(part));
        scoped(parts, |((records, weights), sums)| {
            for (([own, _, signed, absolute], weight), sums) in
                records.iter().zip(weights).zip(sums)
            {
                copy([own, signed, absolute], [weight, &sums[0], &sums[1]]);
            }
        });
    }

    /// The network with these records as its weights.
    pub fn values<'a, G: Cells>(&'a self, network: &'a Network<G>) -> RecordValues<'a, G> {
        RecordValues { network, records: self }
    }
}

/// The values of a network whose weights are in records. The index of a weight is that of the first
/// word of its record.
pub struct RecordValues<'a, G: Cells> {
    network: &'a Network<G>,
    records: &'a Records,
}

impl<G: Cells> Values<G> for RecordValues<'_, G> {
    #[inline]
    fn active_features(&self) -> usize {
        self.network.active_features()
    }

    #[inline]
    fn indices(&self, game: &G, after: &G::After, out: &mut [u32]) {
        self.network.indices(game, after, out);
        out.iter_mut().for_each(|index| *index <<= SHIFT);
    }

    #[inline(always)]
    fn indices_of_moves(&self, game: &G, moves: &[Choice<G>], out: &mut Vec<u32>) {
        self.network.indices_of_moves(game, moves, out);
        let used = moves.len() * self.active_features();
        out[..used].iter_mut().for_each(|index| *index <<= SHIFT);
    }

    #[inline]
    fn prefetch(&self, indices: &[u32]) {
        prefetch_all(self.weights(), indices);
    }

    #[inline]
    fn sum(&self, indices: &[u32]) -> f32 {
        self.sum_and_prefetch(indices, &[])
    }

    #[inline(always)]
    fn sum_and_prefetch(&self, indices: &[u32], later: &[u32]) -> f32 {
        weights::sum_and_prefetch(self.weights(), indices, later)
    }
}

impl<G: Cells> TrainableValues<G> for RecordValues<'_, G> {
    #[inline]
    fn weights(&self) -> &[AtomicU32] {
        self.records.0.words()
    }

    #[inline]
    fn promote(&self, _: &[u32]) {}
}

/// Temporal coherence learning on [`Records`]: [`Tc`](crate::Tc) to the bit.
pub struct RecordTc<'a> {
    /// The total learning rate, as in [`Tc`](crate::Tc).
    pub rate: f32,
    /// The records.
    pub records: &'a Records,
}

impl Update for RecordTc<'_> {
    #[inline]
    fn apply(&self, words: &[AtomicU32], indices: &[u32], error: f32) {
        let share = self.rate * error / indices.len() as f32;
        let pairs = self.records.0.long_words();
        for &index in indices {
            let coherence = count(&pairs[index as usize / 2 + 1], error);
            let word = &words[index as usize];
            store(word, load(word) + share * coherence);
        }
    }

    fn rate_mut(&mut self) -> &mut f32 {
        &mut self.rate
    }
}
