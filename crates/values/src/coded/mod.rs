//! Coded networks: n-tuple networks pruned by use, quantized and entropy-coded to a given size, and
//! played from as 16-bit networks.
//!
//! The error that counts is the sum over all weights of their uses in play times their squared
//! error. It is smallest for a size if every weight adds about as much: a weight that is used four
//! times as often has half the step, and one below about a step is dropped, that is, zero. So a
//! single number, the error per weight, decides about all weights.

mod rans;
#[cfg(test)]
mod tests;
mod tuple;
mod uses;
mod weights;

use std::sync::{Mutex, MutexGuard, PoisonError};

use afterstate_core::threads;
use afterstate_games::{Cells, IndexPermutation, Tuples};

use crate::model::{QuantizeError, QuantizeFileError};
use crate::network::ranges;
use crate::{AgentFileError, AnyNetwork, Memory, QuantizedNetwork};

pub(crate) use tuple::DecodeError;
use tuple::decode;
pub use uses::Uses;
use weights::Weights;

/// How a network is to be coded.
#[derive(Clone, Copy, Debug)]
pub struct CodingSettings {
    /// The largest size of the agent file in bytes.
    pub max_size: u64,
    /// Games to play for counting uses, at least one.
    pub games: u64,
    /// Game number i draws from the stream (seed, i).
    pub seed: u64,
    /// Threads to play and code on; `None` for as many as the machine has cores.
    pub threads: Option<usize>,
}

impl CodingSettings {
    /// The options of `afterstate quantize` that have the same result.
    pub fn options(&self) -> String {
        let CodingSettings { max_size, games, seed, .. } = self;
        let kibibytes = *max_size as f64 / 1024.0;
        let (size, unit) = if kibibytes % 1024.0 == 0.0 {
            (kibibytes / 1024.0, "MiB")
        } else {
            (kibibytes, "KiB")
        };
        format!("--max-size {size}{unit} --games {games} --seed {seed}")
    }
}

/// What is left of a coded network.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CodingLoss {
    /// Moves that were played for counting uses.
    pub moves: u64,
    /// Weights that are not zero.
    pub weights: u64,
    /// Those of them that were kept.
    pub kept: u64,
    /// The uses of the kept weights as a share of all uses of weights that are not zero.
    pub use_share: f64,
    /// The smallest step of a kept weight.
    pub min_step: f32,
    /// The largest step of a kept weight.
    pub max_step: f32,
    /// The root mean square of a weight in play.
    pub rms_weight: f64,
    /// The root mean square error of a weight in play.
    pub rms_error: f64,
    /// Bytes of the weights before.
    pub bytes_before: u64,
    /// Bytes of the agent file.
    pub bytes_after: u64,
}

/// A network with its coded tuples, stage after stage.
pub(crate) struct Coded<G: Cells> {
    pub(crate) network: QuantizedNetwork<G>,
    pub(crate) tuples: Vec<Vec<u8>>,
    pub(crate) loss: CodingLoss,
}

/// Halvings of the range of errors per weight, which ends within a few percent of the size.
const HALVINGS: u32 = 11;

impl<G: Cells> Coded<G> {
    /// The network with the smallest error whose file has at most `max_size` bytes; `size` tells the
    /// size of a file by the lengths of its coded tuples.
    pub(crate) fn new(
        game: &G,
        network: &AnyNetwork<G>,
        uses: &Uses,
        settings: &CodingSettings,
        size: impl Fn(&[Vec<u8>]) -> Result<u64, AgentFileError>,
    ) -> Result<Coded<G>, QuantizeFileError> {
        let source = Weights::new(network, uses)?;
        let threads = settings.threads.unwrap_or_else(threads::cores);
        let mut memory = Memory::zeroed(QuantizedNetwork::<G>::bytes(network.tuples()))?;
        let mut code = |error: f64| source.code(error, &mut memory, threads);
        // The logarithms of errors per weight: one that changes nothing, and one that leaves none.
        let largest = source.scales.iter().fold(0.0f32, |a, &b| a.max(b)).max(f32::MIN_POSITIVE);
        let unit = 2.0 * f64::from(largest).log2();
        let (mut low, mut high) = (unit - 8.0, unit + 80.0);
        let mut found = None;
        let (tuples, loss) = code(low.exp2())?;
        if size(&tuples)? <= settings.max_size {
            found = Some((tuples, loss));
        } else {
            for _ in 0..HALVINGS {
                let middle = f64::midpoint(low, high);
                let (tuples, loss) = code(middle.exp2())?;
                if size(&tuples)? <= settings.max_size {
                    (high, found) = (middle, Some((tuples, loss)));
                } else {
                    low = middle;
                }
            }
            // The memory holds the weights of the last error that was tried.
            if found.is_some() {
                found = Some(code(high.exp2())?);
            }
        }
        let Some((tuples, mut loss)) = found else {
            let (tuples, _) = code(f64::INFINITY)?;
            let needed = size(&tuples)?;
            return Err(QuantizeError::TooSmall { max: settings.max_size, needed }.into());
        };
        loss.moves = uses.moves;
        loss.bytes_before = match network {
            AnyNetwork::Full(_) => 4 * network.tuples().weights(),
            AnyNetwork::Quantized(_) => 2 * network.tuples().weights(),
        };
        loss.bytes_after = size(&tuples)?;
        let (all, scales) = (network.tuples().clone(), source.scales);
        let network = QuantizedNetwork::from_memory(game, all, scales, memory);
        Ok(Coded { network, tuples, loss })
    }
}

/// The permutation of each tuple, stage after stage.
fn permutations(tuples: &Tuples) -> impl Iterator<Item = IndexPermutation> {
    let stages = tuples.stages().len() + 1;
    std::iter::repeat_n(tuples.permutations(), stages).flatten()
}

fn locked<T>(part: &Mutex<T>) -> MutexGuard<'_, T> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The bytes of 16-bit weights of each tuple, stage after stage, with its permutation.
fn parts<'a>(
    tuples: &Tuples,
    memory: &'a mut Memory,
) -> Vec<Mutex<(IndexPermutation, &'a mut [u8])>> {
    let mut rest = memory.bytes_mut();
    let part = |(range, permutation): (std::ops::Range<usize>, IndexPermutation)| {
        let own = rest.split_off_mut(..2 * range.len()).unwrap_or_default();
        Mutex::new((permutation, own))
    };
    ranges(tuples).zip(permutations(tuples)).map(part).collect()
}

/// Decodes the tuples of a network, stage after stage, or tells which one cannot be decoded.
pub(crate) fn decode_all(
    tuples: &Tuples,
    coded: &[Vec<u8>],
) -> Result<Memory, (usize, DecodeError)> {
    let memory = Memory::zeroed(2 * tuples.weights());
    let mut memory = memory.map_err(|error| (0, DecodeError::Memory(error)))?;
    let parts = parts(tuples, &mut memory);
    let decoded = threads::map(threads::cores(), parts.len(), |part| {
        let (permutation, weights) = &mut *locked(&parts[part]);
        decode(&coded[part], *permutation, weights).map_err(|error| (part, error))
    });
    drop(parts);
    decoded.into_iter().collect::<Result<(), _>>().map(|()| memory)
}
