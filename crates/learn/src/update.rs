//! How an error changes weights: by a fixed rate (TD), or by a rate that each weight earns (TC).

use std::sync::atomic::{AtomicU32, Ordering};

use afterstate_values::memory::{Memory, MemoryError};
use afterstate_values::weights::{self, load, prefetch_all, store};

/// Changes the weights that one afterstate looked up by a part of its error.
pub trait Update {
    /// Says that these weights will be changed soon.
    #[inline]
    fn prefetch_all(&self, numbers: &[u32]) {
        let _ = numbers;
    }

    /// Changes the weights. A weight that is looked up twice is changed twice.
    fn apply(&self, weights: &[AtomicU32], numbers: &[u32], error: f32);
}

/// An update whose learning rate can be changed between games.
pub trait Rate {
    /// Changes the learning rate in all.
    fn set_rate(&mut self, rate: f32);
}

impl Rate for Td {
    fn set_rate(&mut self, rate: f32) {
        self.rate = rate;
    }
}

impl Rate for Tc<'_> {
    fn set_rate(&mut self, rate: f32) {
        self.rate = rate;
    }
}

/// Every weight moves by the same part of the error.
#[derive(Clone, Copy, Debug)]
pub struct Td {
    /// The learning rate in all; each of the m looked-up weights gets 1/m of it.
    pub rate: f32,
}

impl Update for Td {
    #[inline]
    fn apply(&self, weights: &[AtomicU32], numbers: &[u32], error: f32) {
        weights::add(weights, numbers, self.rate * error / numbers.len() as f32);
    }
}

/// What temporal coherence remembers of each weight: the sum of its errors and of their sizes.
pub struct Coherence(Memory);

impl Coherence {
    /// Bytes of memory for so many weights.
    pub fn bytes(weights: u64) -> u64 {
        8 * weights
    }

    /// No errors yet.
    pub fn new(weights: u64) -> Result<Coherence, MemoryError> {
        Ok(Coherence(Memory::zeroed(Coherence::bytes(weights))?))
    }

    /// The memory: for each weight the two sums, the plain one in the low half.
    pub fn memory(&self) -> &Memory {
        &self.0
    }

    /// The memory, for plain bytes of it.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.0
    }
}

/// Temporal coherence (Beal & Smith 1999): a weight whose errors cancel out moves slowly, one
/// whose errors agree moves at the full rate.
pub struct Tc<'a> {
    /// The learning rate in all; each of the m looked-up weights gets 1/m of it, times its own
    /// coherence |sum of errors| / sum of |errors|, which is 1 for a weight without errors yet.
    pub rate: f32,
    /// What is remembered of each weight.
    pub coherence: &'a Coherence,
}

impl Update for Tc<'_> {
    #[inline]
    fn prefetch_all(&self, numbers: &[u32]) {
        prefetch_all(self.coherence.0.long_words(), numbers);
    }

    #[inline]
    fn apply(&self, weights: &[AtomicU32], numbers: &[u32], error: f32) {
        let each = self.rate * error / numbers.len() as f32;
        let all_sums = self.coherence.0.long_words();
        for &number in numbers {
            let sums = &all_sums[number as usize];
            let both = sums.load(Ordering::Relaxed);
            let (plain, sizes) = (f32::from_bits(both as u32), f32::from_bits((both >> 32) as u32));
            let coherence = if sizes == 0.0 { 1.0 } else { plain.abs() / sizes };
            let (plain, sizes) = (plain + error, sizes + error.abs());
            let both = u64::from(sizes.to_bits()) << 32 | u64::from(plain.to_bits());
            sums.store(both, Ordering::Relaxed);
            let word = &weights[number as usize];
            store(word, load(word) + each * coherence);
        }
    }
}
