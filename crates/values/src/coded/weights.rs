//! `Weights`: the weights of a network with their uses, which are coded for a given error.

use std::sync::atomic::Ordering;

use afterstate_core::threads;
use afterstate_games::{Cells, IndexPermutation};

use super::tuple::{BLOCK, LEVELS, Levels, encode, shift};
use super::{CodingLoss, Uses, locked, parts};
use crate::network::ranges;
use crate::quantized::QuantizedError;
use crate::{AnyNetwork, Memory};

/// A weight that no game has used may be used by the next one: it counts as this many uses.
const UNSEEN: f64 = 0.25;

/// Weights below this many steps are dropped: they would take more bits than they are worth.
const KEPT: f64 = 0.75;

/// The largest 16-bit weight.
const MAX_WEIGHT: u32 = i16::MAX as u32;

/// Weights, their uses, and the scale of each tuple, stage after stage: the largest magnitude is the
/// largest 16-bit weight.
pub(super) struct Weights<'a, G: Cells> {
    network: &'a AnyNetwork<G>,
    uses: &'a Uses,
    pub(super) scales: Vec<f32>,
}

/// What coding a tuple has kept, in sums.
#[derive(Default)]
struct Sums {
    weights: u64,
    kept: u64,
    kept_uses: f64,
    uses: f64,
    squares: f64,
    errors: f64,
    min_step: Option<f32>,
    max_step: f32,
}

impl<'a, G: Cells> Weights<'a, G> {
    pub(super) fn new(
        network: &'a AnyNetwork<G>,
        uses: &'a Uses,
    ) -> Result<Weights<'a, G>, QuantizedError> {
        let mut scales = Vec::new();
        let tuples = network.tuples();
        for (part, range) in ranges(tuples).enumerate() {
            let mut largest = 0.0f32;
            for index in range.clone() {
                let weight = network.weight(part, index);
                if !weight.is_finite() {
                    let (tuple, index) = (part % tuples.cells().len(), index - range.start);
                    return Err(QuantizedError::NotFinite { tuple, index, weight });
                }
                largest = largest.max(weight.abs());
            }
            scales.push(largest / MAX_WEIGHT as f32);
        }
        Ok(Weights { network, uses, scales })
    }

    /// Codes every tuple so that each weight adds about this error: its uses times its squared error.
    /// The memory gets the 16-bit weights.
    pub(super) fn code(
        &self,
        error: f64,
        memory: &mut Memory,
        threads: usize,
    ) -> Result<(Vec<Vec<u8>>, CodingLoss), QuantizedError> {
        let (ranges, parts): (Vec<_>, _) =
            (ranges(self.network.tuples()).collect(), parts(self.network.tuples(), memory));
        let coded = threads::map(threads, parts.len(), |part| {
            let (permutation, to) = &mut *locked(&parts[part]);
            let mut levels = Levels::new(to.len() / 2)?;
            let begin = ranges[part].start;
            let sums = self.quantize(part, begin, error, *permutation, to, levels.blocks());
            Ok((encode(*permutation, to, &mut levels), sums))
        });
        let coded = coded.into_iter().collect::<Result<Vec<_>, QuantizedError>>()?;
        let loss = Sums::loss(&coded);
        Ok((coded.into_iter().map(|(bytes, _)| bytes).collect(), loss))
    }

    /// Quantizes the weights of one tuple that begin at an index of the network.
    fn quantize(
        &self,
        part: usize,
        begin: usize,
        error: f64,
        permutation: IndexPermutation,
        to: &mut [u8],
        levels: &mut [[u8; BLOCK]],
    ) -> Sums {
        let (to, mut sums) = (to.as_chunks_mut::<2>().0, Sums::default());
        let (counts, scale) = (self.uses.counts(), f64::from(self.scales[part]));
        for index in 0..to.len() {
            let place = permutation.place(index as u32) as usize;
            let weight = f64::from(self.network.weight(part, begin + place));
            let level = &mut levels[index / BLOCK][index % BLOCK];
            (*level, to[place]) = (0, [0, 0]);
            // Most weights of a large network are never updated, and stay zero.
            if weight == 0.0 || scale == 0.0 {
                continue;
            }
            let uses = f64::from(counts[begin + place].load(Ordering::Relaxed));
            let rounded;
            (*level, rounded) = round(weight / scale, error / (scale * scale) / (uses + UNSEEN));
            to[place] = rounded.to_le_bytes();
            sums.add(weight, weight - scale * f64::from(rounded), uses);
            if *level > 0 {
                sums.keep(uses, (scale * f64::from(1 << shift(*level))) as f32);
            }
        }
        sums
    }
}

/// The level of a weight and the weight as a multiple of the step of that level, for a mean squared
/// error: rounding to a step has a twelfth of its square.
fn round(weight: f64, error: f64) -> (u8, i16) {
    let steps_down = ((12.0 * error).log2() / 4.0).round().max(0.0);
    if steps_down >= f64::from(LEVELS) {
        return (0, 0);
    }
    let level = (LEVELS - steps_down as u32) as u8;
    let steps = weight.abs() / f64::from(1 << shift(level));
    if steps < KEPT {
        return (0, 0);
    }
    let magnitude = (steps.round() as u32).min(MAX_WEIGHT >> shift(level)) << shift(level);
    (level, if weight < 0.0 { -(magnitude as i16) } else { magnitude as i16 })
}

impl Sums {
    fn add(&mut self, weight: f64, error: f64, uses: f64) {
        self.weights += 1;
        self.uses += uses;
        self.squares += uses * weight * weight;
        self.errors += uses * error * error;
    }

    fn keep(&mut self, uses: f64, step: f32) {
        self.kept += 1;
        self.kept_uses += uses;
        self.min_step = Some(self.min_step.map_or(step, |smallest| smallest.min(step)));
        self.max_step = self.max_step.max(step);
    }

    /// The loss of all tuples, which come with their bytes.
    fn loss(coded: &[(Vec<u8>, Sums)]) -> CodingLoss {
        let parts = || coded.iter().map(|(_, sums)| sums);
        let sum = |of: fn(&Sums) -> f64| parts().map(of).sum::<f64>();
        let uses = sum(|part| part.uses).max(1.0);
        CodingLoss {
            weights: parts().map(|part| part.weights).sum(),
            kept: parts().map(|part| part.kept).sum(),
            use_share: sum(|part| part.kept_uses) / uses,
            min_step: parts().filter_map(|part| part.min_step).reduce(f32::min).unwrap_or(0.0),
            max_step: parts().map(|part| part.max_step).fold(0.0, f32::max),
            rms_weight: (sum(|part| part.squares) / uses).sqrt(),
            rms_error: (sum(|part| part.errors) / uses).sqrt(),
            ..CodingLoss::default()
        }
    }
}
