//! `Rng`: the random number generator, with one fixed stream per (seed, episode).

use std::convert::Infallible;

use rand_core::{Rng as _, SeedableRng, TryRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

/// xoshiro256++ with fixed sampling methods: a seed gives the same games in every version of the
/// program and of the `rand` crates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// The stream of one episode of a seed. Streams do not depend on the order in which threads
    /// play the episodes.
    pub fn stream(seed: u64, episode: u64) -> Rng {
        let key = SplitMix64::seed_from_u64(seed).next_u64();
        let mut words = SplitMix64::seed_from_u64(key ^ episode);
        let mut state = [0u8; 32];
        for word in state.chunks_exact_mut(8) {
            word.copy_from_slice(&words.next_u64().to_le_bytes());
        }
        Rng(Xoshiro256PlusPlus::from_seed(state))
    }

    /// Its state, for checkpoints.
    pub fn to_bytes(&self) -> [u8; 32] {
        self.0.state()
    }

    /// The generator with a state of [`Rng::to_bytes`].
    pub fn from_bytes(bytes: [u8; 32]) -> Rng {
        Rng(Xoshiro256PlusPlus::from_seed(bytes))
    }

    /// The next 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform number below `n` (to within n / 2^64). `n` must not be 0.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        debug_assert!(n > 0, "there is no number below 0");
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// A uniform number in [0, 1) with 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

impl TryRng for Rng {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every recorded result depends on these values, so they must not change.
    #[test]
    fn value_stability() {
        let mut rng = Rng::stream(1, 0);
        assert_eq!(
            [rng.bits(), rng.bits()],
            [8_089_978_747_140_965_633, 5_687_923_198_772_495_674]
        );
        let mut rng = Rng::stream(1, 1);
        assert_eq!(
            (0..8).map(|_| rng.below(100)).collect::<Vec<_>>(),
            [55, 26, 5, 30, 50, 60, 26, 44]
        );
        assert_eq!(Rng::stream(u64::MAX, u64::MAX).unit(), 0.373_021_353_182_515_17);
    }

    #[test]
    fn a_saved_generator_goes_on() {
        let mut rng = Rng::stream(1, 2);
        rng.bits();
        let mut resumed = Rng::from_bytes(rng.to_bytes());
        assert_eq!([resumed.bits(), resumed.bits()], [rng.bits(), rng.bits()]);
    }

    #[test]
    fn below_is_uniform_and_in_range() {
        let mut rng = Rng::stream(3, 0);
        let mut seen = [0u32; 7];
        for _ in 0..70_000 {
            seen[rng.below(7)] += 1;
        }
        let chi2: f64 = seen.iter().map(|&n| (f64::from(n) - 1e4).powi(2) / 1e4).sum();
        assert!(chi2 < 30.0, "six degrees of freedom, chi-squared {chi2}");
    }
}
