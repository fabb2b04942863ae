//! How an error changes weights: by one learning rate (TD), or by an adaptive rate per weight (TC).

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

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
        count(&self.0.long_words()[index as usize], error)
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

/// The coherence that two sums have, 1 without errors yet; then counts an error. Both are one word, so
/// that they belong together whatever other threads do.
#[inline(always)]
pub(crate) fn count(sums: &AtomicU64, error: f32) -> f32 {
    let (signed, absolute, counted) = add_to_both(sums.load(Ordering::Relaxed), error);
    sums.store(counted, Ordering::Relaxed);
    if absolute == 0.0 { 1.0 } else { signed.abs() / absolute }
}

/// Two sums, that of the signed errors in the low half, and both after one more error. In vector
/// registers: halves of an integer take longer to come by.
#[cfg(all(target_arch = "x86_64", not(any(portable, miri))))]
#[inline(always)]
fn add_to_both(both: u64, error: f32) -> (f32, f32, u64) {
    use std::arch::x86_64::*;
    // SAFETY: SSE2 is part of the architecture.
    #[allow(unsafe_code)]
    unsafe {
        let sums = _mm_castsi128_ps(_mm_cvtsi64_si128(both as i64));
        let errors = _mm_set_ps(0.0, 0.0, error.abs(), error);
        let counted = _mm_cvtsi128_si64(_mm_castps_si128(_mm_add_ps(sums, errors)));
        let absolute = _mm_cvtss_f32(_mm_shuffle_ps::<1>(sums, sums));
        (_mm_cvtss_f32(sums), absolute, counted as u64)
    }
}

#[cfg(not(all(target_arch = "x86_64", not(any(portable, miri)))))]
#[inline(always)]
fn add_to_both(both: u64, error: f32) -> (f32, f32, u64) {
    add_to_halves(both, error)
}

/// The reference implementation.
#[cfg(any(test, not(all(target_arch = "x86_64", not(any(portable, miri))))))]
fn add_to_halves(both: u64, error: f32) -> (f32, f32, u64) {
    let (signed, absolute) = (f32::from_bits(both as u32), f32::from_bits((both >> 32) as u32));
    let counted = [signed + error, absolute + error.abs()].map(f32::to_bits).map(u64::from);
    (signed, absolute, counted[1] << 32 | counted[0])
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

#[cfg(test)]
mod tests {
    use afterstate_core::Rng;

    use super::*;

    /// All bit patterns but those of numbers that are none, whose bits may differ.
    #[test]
    fn sums_in_vectors_are_those_of_the_reference() {
        let mut rng = Rng::stream(1, 0);
        let mut number = || f32::from_bits(rng.bits() as u32);
        let mut compared = 0;
        while compared < 1_000_000 {
            let (signed, absolute, error) = (number(), number().abs(), number());
            if [signed, absolute, error, signed + error].iter().any(|number| number.is_nan()) {
                continue;
            }
            let both = u64::from(absolute.to_bits()) << 32 | u64::from(signed.to_bits());
            let bits = |(a, b, both): (f32, f32, u64)| (a.to_bits(), b.to_bits(), both);
            let found = bits(add_to_both(both, error));
            assert_eq!(found, bits(add_to_halves(both, error)), "{signed} {absolute} {error}");
            compared += 1;
        }
    }
}
