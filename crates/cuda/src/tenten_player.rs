//! `TenTenPlayer`: greedy play of whole games of 1010! on a GPU.

use std::ops::Range;

use cudarc::driver::{
    CudaFunction, CudaSlice, DevicePtr, DevicePtrMut, DeviceRepr, LaunchConfig, PushKernelArg,
};

use crate::device::{CudaError, Device};
use crate::evaluate::Evaluation;
use crate::layout::{Finished, TenTenPlays, key};
use crate::source::BLOCK;
use crate::tenten::TenTenNetwork;

// SAFETY: plain numbers, laid out as the kernel has them.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for TenTenPlays {}

/// The name of the kernel.
const NAME: &str = "evaluate";

/// Warps on each multiprocessor: nothing is written, so more games hide more latency.
const WARPS: u32 = 32;

/// Games of one launch, so that a launch ends within seconds.
const LAUNCH: u64 = 1 << 15;

/// A network whose games are played on a GPU.
pub struct TenTenPlayer {
    device: Device,
    function: CudaFunction,
    weights: CudaSlice<f32>,
    tables: CudaSlice<u32>,
    results: CudaSlice<u32>,
    counters: CudaSlice<u64>,
}

impl TenTenPlayer {
    /// Compiles the kernel and copies the weights.
    pub fn new(
        device: &Device,
        network: &TenTenNetwork,
        weights: &[f32],
    ) -> Result<TenTenPlayer, CudaError> {
        let tables = &network.tables[..];
        let results = 4 * LAUNCH as usize;
        let bytes = size_of_val(weights) + 4 * results + size_of_val(tables);
        device.ensure_memory(bytes as u64)?;
        let stream = &device.stream;
        Ok(TenTenPlayer {
            function: device.compile(&network.evaluation_source(), NAME)?,
            weights: stream.clone_htod(weights)?,
            tables: stream.clone_htod(tables)?,
            results: stream.alloc_zeros(results)?,
            counters: stream.alloc_zeros(1)?,
            device: device.clone(),
        })
    }

    /// Plays games; their results are in the order of their numbers.
    pub fn play(&mut self, evaluation: &Evaluation) -> Result<Vec<Finished>, CudaError> {
        let Range { start, end } = evaluation.games;
        let mut all = Vec::new();
        for first in (start..end).step_by(LAUNCH as usize) {
            all.extend(self.launch(evaluation, first, LAUNCH.min(end - first))?);
        }
        Ok(all)
    }

    fn launch(
        &mut self,
        evaluation: &Evaluation,
        first: u64,
        count: u64,
    ) -> Result<Vec<Finished>, CudaError> {
        let stream = self.device.stream.clone();
        stream.memset_zeros(&mut self.counters)?;
        let plays = TenTenPlays {
            weights: self.weights.device_ptr(&stream).0,
            tables: self.tables.device_ptr(&stream).0,
            results: self.results.device_ptr_mut(&stream).0,
            counters: self.counters.device_ptr_mut(&stream).0,
            key: key(evaluation.seed),
            first,
            count,
            max_moves: evaluation.max_moves.unwrap_or(u64::MAX).min(u64::from(u32::MAX)),
        };
        let warps = u64::from(WARPS * self.device.processors()).min(count) as u32;
        let shape = LaunchConfig {
            grid_dim: ((warps * 32).div_ceil(BLOCK), 1, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the kernel takes one `TenTenPlays`, whose addresses are those of allocations that live
        // as long as `self` and are as large as it expects.
        #[allow(unsafe_code)]
        unsafe {
            stream.launch_builder(&self.function).arg(&plays).launch(shape)?;
        }
        let words = stream.clone_dtoh(&self.results.slice(..4 * count as usize))?;
        let finished =
            |&[score, moves, largest, fresh]: &[u32; 4]| Finished { score, moves, largest, fresh };
        Ok(words.as_chunks::<4>().0.iter().map(finished).collect())
    }
}
