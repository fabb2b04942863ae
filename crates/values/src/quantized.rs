//! `QuantizedNetwork`: an n-tuple network with 16-bit weights, for play in half the memory.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI16, Ordering};

use afterstate_core::policy::Choice;
use afterstate_games::{Cells, Tuples};

use crate::memory::{Memory, MemoryError};
use crate::merged::merged_weights;
use crate::network::ranges;
use crate::weights::prefetch_all;
use crate::{Network, Values};

/// The largest 16-bit weight.
const MAX_WEIGHT: f64 = i16::MAX as f64;

/// An n-tuple network whose weights are 16-bit integers with one scale for each tuple in each
/// stage: the value of an afterstate is the sum over the tuples of the scale times the sum of the
/// active weights.
pub struct QuantizedNetwork<G: Cells> {
    tuples: Tuples,
    compiled: G::Compiled,
    /// How many active weights each tuple has.
    symmetries: usize,
    scales: Vec<f32>,
    pub(crate) memory: Memory,
    merged: OnceLock<Vec<i32>>,
}

/// The loss of precision by 16-bit weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantizationLoss {
    /// An upper bound of the change of any afterstate's value: the sum over all active features of
    /// the largest change of a weight of their tuple, and the rounding of 32-bit sums. Typical
    /// changes are far smaller. None of a neural network, whose layers multiply every bound.
    pub max_error: Option<f32>,
    /// The root mean square change of a weight, over all weights that were not zero.
    pub rms: f64,
    /// Bytes of the 32-bit weights.
    pub bytes_before: u64,
    /// Bytes of the 16-bit weights and the scales.
    pub bytes_after: u64,
}

/// Why a network cannot be quantized.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QuantizedError {
    /// There is no memory for it.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A weight is infinite or NaN.
    #[error("weight {index} of tuple {tuple} is {weight}: weights must be finite")]
    NotFinite {
        /// The index of the tuple.
        tuple: usize,
        /// The index of the weight in its tuple.
        index: usize,
        /// The weight.
        weight: f32,
    },
}

impl<G: Cells> QuantizedNetwork<G> {
    /// Bytes of the weights of some tuples.
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
        QuantizedNetwork { tuples, compiled, symmetries, scales, memory, merged: OnceLock::new() }
    }

    /// Rounds each weight of a network to the nearest of 65,535 steps between minus and plus the
    /// largest magnitude in its tuple.
    pub fn from_network(
        network: &Network<G>,
    ) -> Result<(QuantizedNetwork<G>, QuantizationLoss), QuantizedError> {
        let tuples = network.tuples().clone();
        let memory = Memory::zeroed(QuantizedNetwork::<G>::bytes(&tuples))?;
        let mut parts = Vec::new();
        for (tuple, range) in ranges(&tuples).enumerate() {
            let from = |index: usize| network.promoted((range.start + index) as u32);
            let rounded = Rounded::new(from, &memory.short_words()[range.clone()]);
            let tuple = tuple % tuples.cells().len();
            parts.push(rounded.map_err(|(index, weight)| QuantizedError::NotFinite {
                tuple,
                index,
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

    /// All weights as 32-bit numbers. A zero is negative: in a network of 32 bits the positive one
    /// means that a later stage has the weight of the stage before.
    pub fn weights(&self) -> Vec<f32> {
        let words = self.memory.short_words();
        let of_tuple = |(range, &scale): (Range<usize>, &f32)| {
            let weight = move |word: &AtomicI16| match word.load(Ordering::Relaxed) {
                0 => -0.0,
                number => scale * f32::from(number),
            };
            words[range].iter().map(weight)
        };
        ranges(&self.tuples).zip(&self.scales).flat_map(of_tuple).collect()
    }

    /// The weight with an index, of the tuple with that number, stage after stage.
    pub(crate) fn weight(&self, part: usize, index: usize) -> f32 {
        self.scales[part] * f32::from(self.memory.short_words()[index].load(Ordering::Relaxed))
    }

    pub(crate) fn compiled(&self) -> &G::Compiled {
        &self.compiled
    }

    /// The weights before they are scaled, with those of features that read the same cells added.
    pub(crate) fn merged_weights(&self, game: &G) -> &[i32] {
        self.merged.get_or_init(|| merged_weights(game, &self.tuples, self.memory.short_words()))
    }

    /// The value of an afterstate of a stage by the sum of the weights of each tuple.
    #[inline]
    pub(crate) fn value_of_sums(&self, stage: usize, sums: &[i32]) -> f32 {
        let tuples = self.tuples.cells().len();
        let scales = &self.scales[stage * tuples..][..tuples];
        sums.iter().zip(scales).map(|(&sum, scale)| scale * sum as f32).sum()
    }

    /// The memory that holds the weights, for access to its bytes.
    pub fn memory_mut(&mut self) -> &mut Memory {
        self.merged = OnceLock::new();
        &mut self.memory
    }

    /// The share of one tuple in a value, by the indices of its active weights.
    pub(crate) fn sum_of(&self, tuple: usize, indices: &[u32]) -> f32 {
        let weights = self.memory.short_words();
        let weight = |&index: &u32| i32::from(weights[index as usize].load(Ordering::Relaxed));
        let first = indices.first().map_or(0, |&index| u64::from(index));
        let stage = (first / self.tuples.stage_weights()) as usize;
        let scale = self.scales[stage * self.tuples.cells().len() + tuple];
        scale * indices.iter().map(weight).sum::<i32>() as f32
    }
}

/// The rounding of one tuple.
struct Rounded {
    scale: f32,
    /// The largest magnitude of a weight.
    max_weight: f64,
    /// The largest change of a weight.
    max_error: f64,
    /// The sum of the squared changes.
    squares: f64,
    /// How many weights were not zero.
    used: u64,
}

impl Rounded {
    /// Writes rounded weights, or returns the first one that is not finite.
    fn new(from: impl Fn(usize) -> f32, to: &[AtomicI16]) -> Result<Rounded, (usize, f32)> {
        let mut max_weight = 0.0f32;
        for index in 0..to.len() {
            let weight = from(index);
            if !weight.is_finite() {
                return Err((index, weight));
            }
            max_weight = max_weight.max(weight.abs());
        }
        let max_weight = f64::from(max_weight);
        let scale = (max_weight / MAX_WEIGHT) as f32;
        let mut rounded = Rounded { scale, max_weight, max_error: 0.0, squares: 0.0, used: 0 };
        let scale = f64::from(scale);
        for (index, word) in to.iter().enumerate() {
            let weight = f64::from(from(index));
            // Most weights of a large network are never updated, and stay zero.
            if weight == 0.0 {
                continue;
            }
            // The scale of tiny weights may underflow to zero.
            let step = if scale > 0.0 { (weight / scale).round() } else { 0.0 };
            let step = step.clamp(-MAX_WEIGHT, MAX_WEIGHT);
            word.store(step as i16, Ordering::Relaxed);
            let error = (weight - step * scale).abs();
            rounded.max_error = rounded.max_error.max(error);
            rounded.squares += error * error;
            rounded.used += 1;
        }
        Ok(rounded)
    }
}

impl QuantizationLoss {
    fn new(tuples: &Tuples, parts: &[Rounded]) -> QuantizationLoss {
        let symmetries = (tuples.active_features() / tuples.cells().len()) as f64;
        // An afterstate belongs to one stage.
        let largest = |of: &dyn Fn(&Rounded) -> f64| {
            let stages = parts.chunks(tuples.cells().len());
            stages.map(|stage| stage.iter().map(of).sum::<f64>()).fold(0.0, f64::max) * symmetries
        };
        let errors = largest(&|part| part.max_error);
        let sizes = largest(&|part| part.max_weight + part.max_error);
        // Either sum has at most as many additions as active features, each of which rounds by at
        // most EPSILON / 2 times the magnitudes added.
        let rounding = tuples.active_features() as f64 * f64::from(f32::EPSILON) * sizes;
        let used = parts.iter().map(|part| part.used).sum::<u64>().max(1) as f64;
        QuantizationLoss {
            max_error: Some(((errors + rounding) as f32).next_up()),
            rms: (parts.iter().map(|part| part.squares).sum::<f64>() / used).sqrt(),
            bytes_before: 4 * tuples.weights(),
            bytes_after: 2 * tuples.weights() + 4 * parts.len() as u64,
        }
    }
}

impl<G: Cells> Values<G> for QuantizedNetwork<G> {
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
        prefetch_all(self.memory.short_words(), indices);
    }

    #[inline]
    fn sum(&self, indices: &[u32]) -> f32 {
        self.sum_and_prefetch(indices, &[])
    }

    #[inline(always)]
    fn sum_and_prefetch(&self, indices: &[u32], later: &[u32]) -> f32 {
        let weights = self.memory.short_words();
        let weight = |&index: &u32| i32::from(weights[index as usize].load(Ordering::Relaxed));
        let scales = match indices.first() {
            Some(&index) if !self.tuples.stages().is_empty() => {
                let stage = u64::from(index) / self.tuples.stage_weights();
                &self.scales[stage as usize * self.tuples.cells().len()..]
            }
            _ => &self.scales[..],
        };
        let mut later = later.chunks(self.symmetries);
        let tuples = indices.chunks_exact(self.symmetries).zip(scales);
        let share = |(own, scale): (&[u32], &f32)| {
            prefetch_all(weights, later.next().unwrap_or(&[]));
            scale * own.iter().map(weight).sum::<i32>() as f32
        };
        let sum = tuples.map(share).sum();
        later.for_each(|rest| prefetch_all(weights, rest));
        sum
    }

    fn quantized(&self) -> Option<&QuantizedNetwork<G>> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use afterstate_games::spec::{GameSpec, Spec, Visitor};
    use afterstate_games::twenty48::Twenty48;

    use super::*;
    use crate::test_networks::{random_afterstates, random_network};
    use crate::weights::{load, store};

    /// The same weights for the first stage, others for a later one, and a last stage that was
    /// never updated.
    fn staged<G: Spec>(game: &G, network: &Network<G>) -> Network<G> {
        let tuples = network.tuples().clone().with_stages(vec![5, 1 << 20]).unwrap();
        let staged = Network::new(game, tuples, 0.0).unwrap();
        for (index, word) in network.weights().iter().enumerate() {
            store(&staged.weights()[index], load(word));
            let later = if index % 3 == 0 { 0.0 } else { 100.0 * load(word) };
            store(&staged.weights()[network.weights().len() + index], later);
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
                let (quantized, loss) = QuantizedNetwork::from_network(&network).unwrap();
                assert!(loss.rms > 0.0 && loss.rms < f64::from(loss.max_error.unwrap()));
                let mut largest = 0.0f32;
                for after in random_afterstates(game, 2_000, seed) {
                    let (full, rounded) =
                        (network.value(game, &after), quantized.value(game, &after));
                    largest = largest.max((full - rounded).abs());
                }
                assert!(largest > 0.0, "the weights are of very different sizes");
                assert!(largest <= loss.max_error.unwrap(), "{largest} is beyond {loss:?}");
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

    fn quantized_weights(weights: &[f32]) -> Vec<f32> {
        let (quantized, _) = QuantizedNetwork::from_network(&single(weights)).unwrap();
        let words = quantized.memory.short_words().iter().take(weights.len());
        words.map(|word| quantized.scales[0] * f32::from(word.load(Ordering::Relaxed))).collect()
    }

    #[test]
    fn weights_become_the_nearest_step() {
        assert_eq!(quantized_weights(&[0.0, -0.0]), [0.0, 0.0]);
        let max = 32767.0;
        assert_eq!(quantized_weights(&[max, -max, 1.4, -1.6, 0.4]), [max, -max, 1.0, -2.0, 0.0]);
        assert_eq!(quantized_weights(&[1.5e38, 1.0]), [1.5e38, 0.0]);
        // The scale underflows.
        assert_eq!(quantized_weights(&[1e-45, -1e-44]), [0.0, 0.0]);
    }

    #[test]
    fn a_network_of_zeros_loses_nothing() {
        let (quantized, loss) = QuantizedNetwork::from_network(&single(&[])).unwrap();
        assert_eq!(quantized.scales(), [0.0, 0.0]);
        assert_eq!((loss.rms, loss.bytes_before, loss.bytes_after), (0.0, 128, 72));
        assert!(loss.max_error.unwrap() < 1e-44);
        assert_eq!(quantized.value(&Twenty48::standard(), &Default::default()).to_bits(), 0);
    }

    #[test]
    fn weights_that_are_not_finite_are_refused() {
        let mut weights = [0.0; 20];
        weights[18] = f32::NAN;
        let error = QuantizedNetwork::from_network(&single(&weights)).err().unwrap().to_string();
        assert_eq!(error, "weight 2 of tuple 1 is NaN: weights must be finite");
    }
}
