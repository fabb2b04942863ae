//! `Network`: an n-tuple network, whose value of an afterstate is a sum of looked-up weights.

use std::sync::atomic::AtomicU32;

use afterstate_core::{Cells, Tuples};

use crate::memory::{Memory, MemoryError, load, store};

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
        let network = Network { compiled: game.compile(&tuples), tuples, memory };
        if initial != 0.0 {
            let each = initial / network.lookups() as f32;
            network.weights().iter().for_each(|word| store(word, each));
        }
        Ok(network)
    }

    /// The tuples.
    pub fn tuples(&self) -> &Tuples {
        &self.tuples
    }

    /// The memory that holds the weights.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// All weights.
    #[inline]
    pub fn weights(&self) -> &[AtomicU32] {
        self.memory.words()
    }

    /// How many weights one afterstate looks up.
    #[inline]
    pub fn lookups(&self) -> usize {
        self.tuples.lookups()
    }

    /// The numbers of the weights of an afterstate.
    #[inline]
    pub fn look_up(&self, game: &G, after: &G::After, out: &mut [u32]) {
        game.lookups(&self.compiled, after, out);
    }

    /// The sum of some weights.
    #[inline]
    pub fn sum(&self, numbers: &[u32]) -> f32 {
        let weights = self.weights();
        // Eight sums side by side: one addition would wait for the one before it.
        let mut sums = [0.0; 8];
        let mut chunks = numbers.chunks_exact(sums.len());
        for chunk in &mut chunks {
            for (sum, &number) in sums.iter_mut().zip(chunk) {
                *sum += load(&weights[number as usize]);
            }
        }
        for (sum, &number) in sums.iter_mut().zip(chunks.remainder()) {
            *sum += load(&weights[number as usize]);
        }
        let [a, b, c, d, e, f, g, h] = sums;
        ((a + b) + (c + d)) + ((e + f) + (g + h))
    }

    /// What an afterstate is worth.
    pub fn value(&self, game: &G, after: &G::After) -> f32 {
        let mut numbers = vec![0; self.lookups()];
        self.look_up(game, after, &mut numbers);
        self.sum(&numbers)
    }
}
