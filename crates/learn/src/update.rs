//! How an error changes weights: by one learning rate (TD), or by an adaptive rate per weight (TC).

use std::sync::atomic::{AtomicU32, Ordering};

use afterstate_values::memory::{Memory, MemoryError};
use afterstate_values::weights::{self, load, prefetch_all, store};

/// Changes the weights of one afterstate's active features by a part of its error.
pub trait Update {
    /// Prefetches what `apply` changes besides the weights themselves.
    #[inline]
    fn prefetch(&self, indices: &[u32]) {
        let _ = indices;
    }

    /// Changes the weights. A weight whose index occurs twice is changed twice.
    fn apply(&self, weights: &[AtomicU32], indices: &[u32], error: f32);

    /// The total learning rate, which may be changed between games.
    fn rate_mut(&mut self) -> &mut f32;
}

/// Temporal-difference learning: every active weight moves by the same part of the error.
#[derive(Clone, Copy, Debug)]
pub struct Td {
    /// The total learning rate; each of the m active weights gets 1/m of it.
    pub rate: f32,
}

impl Update for Td {
    #[inline]
    fn apply(&self, weights: &[AtomicU32], indices: &[u32], error: f32) {
        weights::add(weights, indices, self.rate * error / indices.len() as f32);
    }

    fn rate_mut(&mut self) -> &mut f32 {
        &mut self.rate
    }
}

/// The sums of temporal coherence: for each weight that of its errors and of their absolute values.
pub struct Coherence(Memory);

impl Coherence {
    /// Bytes of memory for so many weights.
    pub fn bytes(weights: u64) -> u64 {
        8 * weights
    }

    /// All sums zero.
    pub fn new(weights: u64) -> Result<Coherence, MemoryError> {
        Ok(Coherence(Memory::zeroed(Coherence::bytes(weights))?))
    }

    /// The coherence of a weight, 1 without errors yet; then counts an error.
    #[inline]
    pub(crate) fn add(&self, index: u32, error: f32) -> f32 {
        let sums = &self.0.long_words()[index as usize];
        let both = sums.load(Ordering::Relaxed);
        let (signed, absolute) = (f32::from_bits(both as u32), f32::from_bits((both >> 32) as u32));
        let coherence = if absolute == 0.0 { 1.0 } else { signed.abs() / absolute };
        let (signed, absolute) = (signed + error, absolute + error.abs());
        let both = u64::from(absolute.to_bits()) << 32 | u64::from(signed.to_bits());
        sums.store(both, Ordering::Relaxed);
        coherence
    }

    /// The memory of the sums.
    pub fn memory(&self) -> &Memory {
        &self.0
    }

    /// The memory: two sums per weight, that of the signed errors in the low half.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.0
    }
}

/// Temporal coherence learning (Beal & Smith 1999): a weight whose errors cancel out moves slowly,
/// one whose errors agree moves at the full rate.
pub struct Tc<'a> {
    /// The total learning rate; each of the m active weights gets 1/m of it, times its coherence
    /// |sum of errors| / sum of |errors|, which is 1 for a weight without errors yet.
    pub rate: f32,
    /// The sums of each weight.
    pub coherence: &'a Coherence,
}

impl Update for Tc<'_> {
    #[inline]
    fn prefetch(&self, indices: &[u32]) {
        prefetch_all(self.coherence.0.long_words(), indices);
    }

    #[inline]
    fn apply(&self, weights: &[AtomicU32], indices: &[u32], error: f32) {
        let share = self.rate * error / indices.len() as f32;
        for &index in indices {
            let coherence = self.coherence.add(index, error);
            let word = &weights[index as usize];
            store(word, load(word) + share * coherence);
        }
    }

    fn rate_mut(&mut self) -> &mut f32 {
        &mut self.rate
    }
}
