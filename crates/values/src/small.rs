//! `QuantizedNetwork`: an n-tuple network with 16-bit weights, for play in half the memory.

use std::sync::atomic::{AtomicI16, Ordering};

use afterstate_games::{Cells, Tuples};

use crate::memory::{Memory, MemoryError};
use crate::network::ranges;
use crate::weights::prefetch_all;
use crate::{Network, Values};

/// The largest 16-bit weight.
const LARGEST: f64 = i16::MAX as f64;

/// An n-tuple network whose weights are 16-bit numbers with one scale for each tuple in each stage:
/// an afterstate is worth the sum over the tuples of scale times the sum of what the tuple looks up.
pub struct QuantizedNetwork<G: Cells> {
    tuples: Tuples,
    compiled: G::Compiled,
    /// How often each tuple is looked up.
    symmetries: usize,
    scales: Vec<f32>,
    memory: Memory,
}

/// What 16-bit weights cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantizationLoss {
    /// No afterstate's value changes by more: a bound, not a measurement. It adds up the largest
    /// change of a weight of each tuple for each of its active_features, and what adding 32-bit floats
    /// may round off. Typical changes are far smaller.
    pub largest_error: f32,
    /// The root of the mean square change of a weight, over all weights that were not zero.
    pub rms: f64,
    /// Bytes of the 32-bit weights.
    pub bytes_before: u64,
    /// Bytes of the 16-bit weights and the scales.
    pub bytes_after: u64,
}

/// Why a network has no 16-bit twin.
#[derive(Debug, thiserror::Error)]
pub enum QuantizeError {
    /// There is no memory for it.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A weight is infinite or no number.
    #[error("tuple {tuple}: met {weight} as weight {number}, expected finite numbers")]
    NotFinite {
        /// The number of the tuple.
        tuple: usize,
        /// The number of the weight in its tuple.
        number: usize,
        /// The weight.
        weight: f32,
    },
}

impl<G: Cells> QuantizedNetwork<G> {
    /// Bytes of memory that the weights of some tuples take.
    pub fn bytes(tuples: &Tuples) -> u64 {
        2 * tuples.weights()
    }

    /// A network with the weights that some memory holds, as many as the tuples have, and as many
    /// scales as there are tuples in all stages.
    pub(crate) fn from_memory(
        game: &G,
        tuples: Tuples,
        scales: Vec<f32>,
        memory: Memory,
    ) -> QuantizedNetwork<G> {
        QuantizedNetwork::from_parts(game.compile(&tuples), tuples, scales, memory)
    }

    fn from_parts(
        compiled: G::Compiled,
        tuples: Tuples,
        scales: Vec<f32>,
        memory: Memory,
    ) -> QuantizedNetwork<G> {
        debug_assert_eq!(memory.len() as u64, QuantizedNetwork::<G>::bytes(&tuples));
        debug_assert_eq!(scales.len(), tuples.cells().len() * (tuples.stages().len() + 1));
        let symmetries = tuples.active_features() / tuples.cells().len();
        QuantizedNetwork { tuples, compiled, symmetries, scales, memory }
    }

    /// The weights of a network, each rounded to the nearest of 65,535 steps between plus and
    /// minus the largest weight of its tuple.
    pub fn from_network(
        network: &Network<G>,
    ) -> Result<(QuantizedNetwork<G>, QuantizationLoss), QuantizeError> {
        let tuples = network.tuples().clone();
        let memory = Memory::zeroed(QuantizedNetwork::<G>::bytes(&tuples))?;
        let mut parts = Vec::new();
        for (tuple, range) in ranges(&tuples).enumerate() {
            let from = |number: usize| network.promoted((range.start + number) as u32);
            let rounded = Rounded::new(from, &memory.short_words()[range.clone()]);
            let tuple = tuple % tuples.cells().len();
            parts.push(rounded.map_err(|(number, weight)| QuantizeError::NotFinite {
                tuple,
                number,
                weight,
            })?);
        }
        let loss = QuantizationLoss::new(&tuples, &parts);
        let scales = parts.iter().map(|part| part.scale).collect();
        let compiled = network.compiled().clone();
        Ok((QuantizedNetwork::from_parts(compiled, tuples, scales, memory), loss))
    }

    /// The tuples.
    pub fn tuples(&self) -> &Tuples {
        &self.tuples
    }

    /// The scale of each tuple, stage after stage.
    pub fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// The memory that holds the weights.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The memory that holds the weights, for plain bytes of them.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
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

    /// What one tuple adds, by the weights that it looked up.
    pub(crate) fn sum_of(&self, tuple: usize, numbers: &[u32]) -> f32 {
        let weights = self.memory.short_words();
        let weight = |&number: &u32| i32::from(weights[number as usize].load(Ordering::Relaxed));
        let first = numbers.first().map_or(0, |&number| u64::from(number));
        let stage = (first / self.tuples.stage_weights()) as usize;
        let scale = self.scales[stage * self.tuples.cells().len() + tuple];
        scale * numbers.iter().map(weight).sum::<i32>() as f32
    }

    /// The sum of the weights that an afterstate looked up.
    #[inline]
    pub fn sum(&self, numbers: &[u32]) -> f32 {
        let weights = self.memory.short_words();
        let weight = |&number: &u32| i32::from(weights[number as usize].load(Ordering::Relaxed));
        let scales = match numbers.first() {
            Some(&number) if !self.tuples.stages().is_empty() => {
                let stage = u64::from(number) / self.tuples.stage_weights();
                &self.scales[stage as usize * self.tuples.cells().len()..]
            }
            _ => &self.scales[..],
        };
        let tuples = numbers.chunks_exact(self.symmetries).zip(scales);
        tuples.map(|(own, scale)| scale * own.iter().map(weight).sum::<i32>() as f32).sum()
    }

    /// What an afterstate is worth.
    pub fn value(&self, game: &G, after: &G::After) -> f32 {
        Values::value(self, game, after)
    }
}

/// One tuple with 16-bit weights, and what that changed.
struct Rounded {
    scale: f32,
    /// The largest weight and the largest change of one, both without sign.
    most: f64,
    worst: f64,
    /// The sum of the squares of all changes, and how many weights were not zero.
    squares: f64,
    used: u64,
}

impl Rounded {
    /// Writes rounded weights, or finds the first one that is not finite.
    fn new(from: impl Fn(usize) -> f32, to: &[AtomicI16]) -> Result<Rounded, (usize, f32)> {
        let mut most = 0.0f32;
        for number in 0..to.len() {
            let weight = from(number);
            if !weight.is_finite() {
                return Err((number, weight));
            }
            most = most.max(weight.abs());
        }
        let most = f64::from(most);
        let scale = (most / LARGEST) as f32;
        let mut rounded = Rounded { scale, most, worst: 0.0, squares: 0.0, used: 0 };
        let scale = f64::from(scale);
        for (number, small) in to.iter().enumerate() {
            let weight = f64::from(from(number));
            // Most weights of a large network are never learned, and stay zero.
            if weight == 0.0 {
                continue;
            }
            // The scale of tiny weights may itself have become zero.
            let step = if scale > 0.0 { (weight / scale).round() } else { 0.0 };
            let step = step.clamp(-LARGEST, LARGEST);
            small.store(step as i16, Ordering::Relaxed);
            let error = (weight - step * scale).abs();
            rounded.worst = rounded.worst.max(error);
            rounded.squares += error * error;
            rounded.used += 1;
        }
        Ok(rounded)
    }
}

impl QuantizationLoss {
    fn new(tuples: &Tuples, parts: &[Rounded]) -> QuantizationLoss {
        let symmetries = (tuples.active_features() / tuples.cells().len()) as f64;
        // An afterstate is of one stage.
        let largest = |of: &dyn Fn(&Rounded) -> f64| {
            let stages = parts.chunks(tuples.cells().len());
            stages.map(|stage| stage.iter().map(of).sum::<f64>()).fold(0.0, f64::max) * symmetries
        };
        let errors = largest(&|part| part.worst);
        let sizes = largest(&|part| part.most + part.worst);
        // Either sum has at most as many additions as active_features, and each of them rounds by at most
        // half of EPSILON of the sizes added.
        let rounding = tuples.active_features() as f64 * f64::from(f32::EPSILON) * sizes;
        let used = parts.iter().map(|part| part.used).sum::<u64>().max(1) as f64;
        QuantizationLoss {
            largest_error: ((errors + rounding) as f32).next_up(),
            rms: (parts.iter().map(|part| part.squares).sum::<f64>() / used).sqrt(),
            bytes_before: 4 * tuples.weights(),
            bytes_after: 2 * tuples.weights() + 4 * parts.len() as u64,
        }
    }
}

impl<G: Cells> Values<G> for QuantizedNetwork<G> {
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
        prefetch_all(self.memory.short_words(), numbers);
    }

    #[inline]
    fn sum(&self, numbers: &[u32]) -> f32 {
        self.sum(numbers)
    }
}

#[cfg(test)]
mod tests {
    use afterstate_games::spec::{GameSpec, Spec, Visitor};
    use afterstate_games::twenty48::Twenty48;

    use super::*;
    use crate::test_networks::{random_afterstates, random_network};
    use crate::weights::{load, store};

    /// The same weights for the beginning of a game, others for a later stage, and a last stage
    /// that was never used.
    fn staged<G: Spec>(game: &G, network: &Network<G>) -> Network<G> {
        let tuples = network.tuples().clone().with_stages(vec![5, 1 << 20]).unwrap();
        let staged = Network::new(game, tuples, 0.0).unwrap();
        for (number, word) in network.weights().iter().enumerate() {
            store(&staged.weights()[number], load(word));
            let later = if number % 3 == 0 { 0.0 } else { 100.0 * load(word) };
            store(&staged.weights()[network.weights().len() + number], later);
        }
        staged
    }

    struct KeepsItsBound;

    impl Visitor for KeepsItsBound {
        type Output = ();

        fn visit<G: Spec>(self, game: &G) {
            for seed in 0..4 {
                let network = random_network(game, &[vec![0], vec![1, 2, 3], vec![2, 5]], seed);
                let network = if seed % 2 == 0 { network } else { staged(game, &network) };
                let (small, loss) = QuantizedNetwork::from_network(&network).unwrap();
                assert!(loss.rms > 0.0 && loss.rms < f64::from(loss.largest_error));
                let mut largest = 0.0f32;
                for after in random_afterstates(game, 2_000, seed) {
                    let (full, small) = (network.value(game, &after), small.value(game, &after));
                    largest = largest.max((full - small).abs());
                }
                assert!(largest > 0.0, "the weights are of very different sizes");
                assert!(largest <= loss.largest_error, "{largest} is beyond {loss:?}");
            }
        }
    }

    #[test]
    fn no_value_changes_by_more_than_the_bound() {
        for spec in ["2048:4x4", "2048:3x2", "1010:5x5", "tetris:6x8"] {
            spec.parse::<GameSpec>().unwrap().with(KeepsItsBound);
        }
    }

    fn single(weights: &[f32]) -> Network<Twenty48> {
        let game = Twenty48::standard();
        let tuples = Tuples::new(&game, &[vec![0], vec![1]]).unwrap();
        let network = Network::new(&game, tuples, 0.0).unwrap();
        for (word, &weight) in network.weights().iter().zip(weights) {
            store(word, weight);
        }
        network
    }

    fn small_weights(weights: &[f32]) -> Vec<f32> {
        let (small, _) = QuantizedNetwork::from_network(&single(weights)).unwrap();
        let words = small.memory.short_words().iter().take(weights.len());
        words.map(|word| small.scales[0] * f32::from(word.load(Ordering::Relaxed))).collect()
    }

    #[test]
    fn weights_become_the_nearest_step() {
        assert_eq!(small_weights(&[0.0, -0.0]), [0.0, 0.0]);
        let most = 32767.0;
        assert_eq!(small_weights(&[most, -most, 1.4, -1.6, 0.4]), [most, -most, 1.0, -2.0, 0.0]);
        assert_eq!(small_weights(&[1.5e38, 1.0]), [1.5e38, 0.0]);
        // Too small for a scale: all that is lost is less than can be said.
        assert_eq!(small_weights(&[1e-45, -1e-44]), [0.0, 0.0]);
    }

    #[test]
    fn a_network_of_zeros_loses_nothing() {
        let (small, loss) = QuantizedNetwork::from_network(&single(&[])).unwrap();
        assert_eq!(small.scales(), [0.0, 0.0]);
        assert_eq!((loss.rms, loss.bytes_before, loss.bytes_after), (0.0, 128, 72));
        assert!(loss.largest_error < 1e-44);
        assert_eq!(small.value(&Twenty48::standard(), &Default::default()).to_bits(), 0);
    }

    #[test]
    fn weights_that_are_no_numbers_are_refused() {
        let mut weights = [0.0; 20];
        weights[18] = f32::NAN;
        let error = QuantizedNetwork::from_network(&single(&weights)).err().unwrap().to_string();
        assert_eq!(error, "tuple 1: met NaN as weight 2, expected finite numbers");
    }
}
