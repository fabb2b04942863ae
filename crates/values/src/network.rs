//! `Network`: an n-tuple network, whose value of an afterstate is the sum of its active weights.

use std::ops::Range;
use std::sync::atomic::AtomicU32;

use afterstate_core::policy::Choice;
use afterstate_games::{Cells, Tuples};

use crate::memory::{Memory, MemoryError};
use crate::outcomes::outcome_values;
use crate::values::TrainableValues;
use crate::weights::{self, load, store};
use crate::{Scratch, Values};

/// An n-tuple network with weights that many threads may read and change.
///
/// ```
/// use afterstate_core::{Episode, Rng};
/// use afterstate_games::{Tuples, twenty48::Twenty48};
/// use afterstate_values::{Network, NetworkPolicy};
///
/// let game = Twenty48::standard();
/// let tuples = Tuples::new(&game, &[vec![0, 1, 2, 3], vec![0, 1, 4, 5]])?;
/// let network = Network::new(&game, tuples, 0.0)?;
/// // Without training every board has the same value, and the network plays for points.
/// let mut policy = NetworkPolicy::new(&network);
/// let episode = Episode::play(&game, &mut policy, &mut Rng::stream(1, 0));
/// assert!(episode.score > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Network<G: Cells> {
    tuples: Tuples,
    compiled: G::Compiled,
    memory: Memory,
}

impl<G: Cells> Network<G> {
    /// Bytes of the weights of some tuples.
    pub fn bytes(tuples: &Tuples) -> u64 {
        4 * tuples.weights()
    }

    /// A network whose weights are all equal: every afterstate has the value `initial`.
    pub fn new(game: &G, tuples: Tuples, initial: f32) -> Result<Network<G>, MemoryError> {
        let memory = Memory::zeroed(Network::<G>::bytes(&tuples))?;
        let network = Network::from_memory(game, tuples, memory);
        if initial != 0.0 {
            // Later stages start from the weights of the stage before: see `promoted`.
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

    /// The memory that holds the weights, for access to its bytes.
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

    /// Whether each stage of a game has weights of its own.
    #[inline]
    pub fn is_staged(&self) -> bool {
        !self.tuples.stages().is_empty()
    }

    /// Whether boards use the weights of their stage, or all of them those of the first. Later stages
    /// are promoted from it, so that a network whose later stages were never learned has the same
    /// values either way.
    pub fn use_stages(&mut self, used: bool) {
        self.tuples.use_stages(used);
    }

    /// Weight promotion: a weight of a later stage that was never updated, whose bits are all zero,
    /// has the value of the same weight of the stage before.
    pub(crate) fn promoted(&self, index: u32) -> f32 {
        self.promoted_by(self.tuples.stage_weights(), index)
    }

    /// The same with the number of weights of a stage, which takes longer to find than a weight.
    #[inline]
    fn promoted_by(&self, stage: u64, index: u32) -> f32 {
        let (weights, stage) = (self.weights(), stage as usize);
        let mut index = index as usize;
        while load(&weights[index]).to_bits() == 0 && index >= stage {
            index -= stage;
        }
        load(&weights[index])
    }
}

/// The range of the weights of each tuple, stage after stage.
pub(crate) fn ranges(tuples: &Tuples) -> impl Iterator<Item = Range<usize>> {
    let stages = 0..=tuples.stages().len() as u64;
    let (offsets, stage_weights) = (tuples.offsets(), tuples.stage_weights());
    let begins = stages.flat_map(move |stage| {
        offsets.clone().into_iter().map(move |offset| stage * stage_weights + offset)
    });
    let ends = begins.clone().skip(1).chain([tuples.weights()]);
    begins.zip(ends).map(|(begin, end)| begin as usize..end as usize)
}

impl<G: Cells> Values<G> for Network<G> {
    #[inline]
    fn active_features(&self) -> usize {
        self.tuples.active_features()
    }

    #[inline]
    fn indices(&self, game: &G, after: &G::After, out: &mut [u32]) {
        game.indices(&self.compiled, after, out);
        self.tuples.add_stage(|| game.progress(after), out);
    }

    #[inline(always)]
    fn indices_of_moves(&self, game: &G, moves: &[Choice<G>], out: &mut Vec<u32>) {
        self.tuples.indices_of_moves(game, &self.compiled, moves, out);
    }

    #[inline]
    fn prefetch(&self, indices: &[u32]) {
        weights::prefetch_all(self.weights(), indices);
    }

    #[inline]
    fn sum(&self, indices: &[u32]) -> f32 {
        self.sum_and_prefetch(indices, &[])
    }

    #[inline(always)]
    fn sum_and_prefetch(&self, indices: &[u32], later: &[u32]) -> f32 {
        if self.is_staged() {
            weights::prefetch_all(self.weights(), later);
            let stage = self.tuples.stage_weights();
            return indices.iter().map(|&index| self.promoted_by(stage, index)).sum();
        }
        weights::sum_and_prefetch(self.weights(), indices, later)
    }

    fn outcome_values(
        &self,
        game: &G,
        afters: &[G::After],
        scratch: &mut Scratch,
        values: &mut Vec<f32>,
    ) {
        outcome_values(self, game, afters, scratch, values);
    }
}

impl<G: Cells> TrainableValues<G> for Network<G> {
    #[inline]
    fn weights(&self) -> &[AtomicU32] {
        self.weights()
    }

    #[inline]
    fn promote(&self, indices: &[u32]) {
        if self.is_staged() {
            let stage = self.tuples.stage_weights();
            for &index in indices {
                store(&self.weights()[index as usize], self.promoted_by(stage, index));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use afterstate_games::TuplesError;
    use afterstate_games::twenty48::Twenty48;

    use super::*;
    use crate::QuantizedNetwork;

    #[test]
    fn the_memory_of_a_network_is_known_beforehand() {
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
        let error = Tuples::new(&game, &[(0..8).collect(), vec![1]]).unwrap_err();
        assert!(matches!(error, TuplesError::TooMany { weights: 4_294_967_312, .. }), "{error}");
    }
}
