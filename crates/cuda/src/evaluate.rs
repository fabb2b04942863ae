//! Greedy play of whole games on a GPU.

use std::ops::Range;

use cudarc::driver::{DevicePtr, DevicePtrMut, DeviceRepr, LaunchConfig, PushKernelArg};

use crate::device::{CudaError, Device};
use crate::layout::{Finished, Plays, key};
use crate::source::{BLOCK, Network, Program};

// SAFETY: plain numbers, laid out as the kernel has them.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for Plays {}

/// Warps on each multiprocessor: nothing is written, so more games hide more latency.
const WARPS: u32 = 32;

/// Games of one launch, so that a launch ends within seconds.
const LAUNCH: u64 = 1 << 15;

/// The games of an evaluation: those that the processor plays with the same seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// Game number i draws from the stream (seed, i).
    pub seed: u64,
    /// Their numbers.
    pub games: Range<u64>,
    /// Games are truncated after so many moves.
    pub max_moves: Option<u64>,
}

/// Plays games by the weights of a network.
pub fn evaluate(
    device: &Device,
    network: &Network,
    weights: &[f32],
    evaluation: &Evaluation,
) -> Result<Vec<Finished>, CudaError> {
    let Evaluation { seed, games, max_moves } = evaluation.clone();
    let stream = &device.stream;
    let room = LAUNCH.min(games.end - games.start) as usize;
    let bytes = size_of_val(weights) + size_of::<Finished>() * room + 4 * network.rows.len();
    device.ensure_memory(bytes as u64)?;
    let function = device.compile(Program::Evaluate, network)?;
    let weights = stream.clone_htod(weights)?;
    let rows = stream.clone_htod(&network.rows)?;
    let mut results = stream.alloc_zeros::<u32>(4 * room)?;
    let mut counters = stream.alloc_zeros::<u64>(1)?;
    let mut all = Vec::new();
    let mut first = games.start;
    while first < games.end {
        let count = LAUNCH.min(games.end - first);
        stream.memset_zeros(&mut counters)?;
        let plays = Plays {
            weights: weights.device_ptr(stream).0,
            rows: rows.device_ptr(stream).0,
            results: results.device_ptr_mut(stream).0,
            counters: counters.device_ptr_mut(stream).0,
            key: key(seed),
            first,
            count,
            max_moves: max_moves.unwrap_or(u64::MAX).min(u64::from(u32::MAX)),
        };
        let warps = u64::from(WARPS * device.processors()).min(count) as u32;
        let shape = LaunchConfig {
            grid_dim: ((warps * 32).div_ceil(BLOCK), 1, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the kernel takes one `Plays`, whose addresses are those of the allocations
        // above, which are as large as it expects.
        #[allow(unsafe_code)]
        unsafe {
            stream.launch_builder(&function).arg(&plays).launch(shape)?;
        }
        let words = stream.clone_dtoh(&results.slice(..4 * count as usize))?;
        let finished = |word: &[u32; 4]| {
            let [score, moves, largest, fresh] = *word;
            Finished { score, moves, largest, fresh }
        };
        all.extend(words.as_chunks::<4>().0.iter().map(finished));
        first += count;
    }
    Ok(all)
}
