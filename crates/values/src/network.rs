//! `Network`: an n-tuple network, whose value of an afterstate is a sum of looked-up weights.

use std::ops::Range;
use std::sync::atomic::AtomicU32;

use afterstate_games::{Cells, Tuples};

use crate::Values;
use crate::memory::{Memory, MemoryError};
use crate::weights::{self, load, store};

/// An n-tuple network with weights that many threads may read and change.
pub struct Network<G: Cells> {
    tuples: Tuples,
    compiled: G::Compiled,
    memory: Memory,
}

impl<G: Cells> Network<G> {
    /// Bytes of memory that the weights of some tuples take.
    pub fn bytes(tuples: &Tuples) -> u64 {
        4 * tuples.weights()
    }

    /// A network whose every weight is the same: an afterstate is worth `initial` in all.
    pub fn new(game: &G, tuples: Tuples, initial: f32) -> Result<Network<G>, MemoryError> {
        let memory = Memory::zeroed(Network::<G>::bytes(&tuples))?;
        let network = Network::from_memory(game, tuples, memory);
        if initial != 0.0 {
            // Later stages begin with what the stage before has learned by then.
            let each = initial / network.active_features() as f32;
            let first = &network.weights()[..network.tuples.stage_weights() as usize];
            first.iter().for_each(|word| store(word, each));
        }
        Ok(network)
    }

    /// A network with the weights that some memory holds, as many as the tuples have.
    pub(crate) fn from_memory(game: &G, tuples: Tuples, memory: Memory) -> Network<G> {
        debug_assert_eq!(memory.len() as u64, Network::<G>::bytes(&tuples));
        Network { compiled: game.compile(&tuples), tuples, memory }
    }

    /// The tuples.
    pub fn tuples(&self) -> &Tuples {
        &self.tuples
    }

    /// The memory that holds the weights.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The memory that holds the weights, for plain bytes of them.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    pub(crate) fn compiled(&self) -> &G::Compiled {
        &self.compiled
    }

    /// All weights.
    #[inline]
    pub fn weights(&self) -> &[AtomicU32] {
        self.memory.words()
    }

    /// How many weights one afterstate looks up.
    #[inline]
    pub fn active_features(&self) -> usize {
        self.tuples.active_features()
    }

    /// The numbers of the weights of an afterstate.
    #[inline]
    pub fn indices(&self, game: &G, after: &G::After, out: &mut [u32]) {
        game.indices(&self.compiled, after, out);
        self.tuples.add_stage(|| game.progress(after), out);
    }

    /// Whether there is a set of weights for every stage of a game.
    #[inline]
    pub fn is_staged(&self) -> bool {
        !self.tuples.stages().is_empty()
    }

    /// A weight of a later stage that was never used, whose bits are all zero, counts as what the
    /// stage before has there.
    pub(crate) fn promoted(&self, number: u32) -> f32 {
        let (weights, stage) = (self.weights(), self.tuples.stage_weights() as usize);
        let mut number = number as usize;
        while load(&weights[number]).to_bits() == 0 && number >= stage {
            number -= stage;
        }
        load(&weights[number])
    }

    /// Gives weights of a later stage that are used for the first time what the stage before has
    /// there, so that they can be changed.
    pub fn promote(&self, numbers: &[u32]) {
        if self.is_staged() {
            for &number in numbers {
                store(&self.weights()[number as usize], self.promoted(number));
            }
        }
    }

    /// The sum of some weights.
    #[inline]
    pub fn sum(&self, numbers: &[u32]) -> f32 {
        self.sum_and_prefetch(numbers, &[])
    }

    /// The same, and says by the way that other weights will be read soon.
    #[inline]
    pub fn sum_and_prefetch(&self, numbers: &[u32], later: &[u32]) -> f32 {
        if self.is_staged() {
            weights::prefetch_all(self.weights(), later);
            return numbers.iter().map(|&number| self.promoted(number)).sum();
        }
        weights::sum_and_prefetch(self.weights(), numbers, later)
    }

    /// What an afterstate is worth.
    pub fn value(&self, game: &G, after: &G::After) -> f32 {
        Values::value(self, game, after)
    }
}

/// The numbers of the weights of each tuple, stage after stage.
pub(crate) fn ranges(tuples: &Tuples) -> impl Iterator<Item = Range<usize>> {
    let begins = tuples.offsets();
    let ends: Vec<u64> = begins[1..].iter().copied().chain([tuples.stage_weights()]).collect();
    let stage = tuples.stage_weights();
    let stages = 0..=tuples.stages().len() as u64;
    stages.flat_map(move |number| {
        let shift = number * stage;
        let own: Vec<_> = begins
            .iter()
            .zip(&ends)
            .map(|(b, e)| (b + shift) as usize..(e + shift) as usize)
            .collect();
        own
    })
}

impl<G: Cells> Values<G> for Network<G> {
    #[inline]
    fn active_features(&self) -> usize {
        self.active_features()
    }

    #[inline]
    fn indices(&self, game: &G, after: &G::After, out: &mut [u32]) {
        self.indices(game, after, out);
    }

    #[inline]
    fn prefetch_all(&self, numbers: &[u32]) {
        weights::prefetch_all(self.weights(), numbers);
    }

    #[inline]
    fn sum(&self, numbers: &[u32]) -> f32 {
        self.sum(numbers)
    }
}

#[cfg(test)]
mod tests {
    use afterstate_games::twenty48::Twenty48;

    use super::*;
    use crate::QuantizedNetwork;

    #[test]
    fn memory_is_known_before_it_is_taken() {
        let game = Twenty48::standard();
        let bytes = |tuples: &[Vec<usize>]| {
            let tuples = Tuples::new(&game, tuples).unwrap();
            let last = ranges(&tuples).last().unwrap();
            assert_eq!(last.end as u64, tuples.weights());
            (Network::<Twenty48>::bytes(&tuples), QuantizedNetwork::<Twenty48>::bytes(&tuples))
        };
        // The four 6-tuples of Szubert & Jaśkowski take 256 MiB, one 8-tuple takes 16 GiB.
        assert_eq!(bytes(&vec![(0..6).collect(); 4]), (256 << 20, 128 << 20));
        assert_eq!(bytes(&[(0..8).collect()]), (16 << 30, 8 << 30));
        assert_eq!(bytes(&[vec![], vec![3]]), (68, 34));
        let error = Tuples::new(&game, &[(0..8).collect(), vec![1]]).unwrap_err().to_string();
        assert_eq!(error, "met tuples with 4294967312 weights, expected at most 4294967296");
    }
}
