//! `Trainer`: a network that learns on a GPU.

use cudarc::driver::{
    CudaFunction, CudaSlice, DevicePtr, DevicePtrMut, DeviceRepr, LaunchConfig, PushKernelArg,
};

use crate::device::{CudaError, Device};
use crate::layout::{Game, Params, Starts};
use crate::memory::{DeviceNetwork, Played, RESULTS, Sizes};
use crate::source::{BLOCK, Network, Program};

// SAFETY: plain numbers, laid out as the kernels have them.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for Params {}

/// The settings of one launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Launch {
    /// Whether rates adapt (TC).
    pub coherent: bool,
    /// The learning rate of a value.
    pub rate: f32,
    /// The decay of the trace, and its length.
    pub lambda: f32,
    /// How many afterstates an error changes.
    pub trace: usize,
    /// Weights of tuples with fewer tiles are those that almost every board has.
    pub min_tiles: u32,
    /// They change at one move in so many, a power of two; 0 for never.
    pub crowded_every: u32,
    /// The sums of coherence change at one move in so many, a power of two.
    pub coherence_every: u32,
    /// Where games start.
    pub starts: Starts,
    /// Whether later stages learn weights of their own.
    pub staged: bool,
    /// The moves of each game.
    pub steps: u32,
}

/// A network of 2048 that learns on a GPU.
pub struct Trainer {
    /// Its weights and games.
    pub network: DeviceNetwork,
    td: Option<CudaFunction>,
    tc: Option<CudaFunction>,
    rows: CudaSlice<u32>,
    /// The first states of each game, if games restart.
    history: Option<CudaSlice<u8>>,
    active_features: usize,
}

/// What a network needs of a trainer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Whether some phase has fixed rates (TD).
    pub td: bool,
    /// Whether some phase has adaptive rates (TC).
    pub tc: bool,
    /// The longest trace.
    pub trace: usize,
    /// Whether games restart in some phase.
    pub restart: bool,
    /// The games at once, or as many as suit the device.
    pub games: Option<u32>,
    /// Whether the mean of the weights is wanted.
    pub average: bool,
}

/// Warps on each multiprocessor: more fill the caches with more boards than they hold.
const WARPS: u32 = 8;

/// The random bits of which one move in so many has none, for a power of two; all bits for 0, which
/// one move in 2^32 has.
fn mask_of(every: u32) -> u32 {
    every.wrapping_sub(1)
}

impl Trainer {
    /// Compiles the kernels and allocates the memory; the weights are zero.
    pub fn new(
        device: &Device,
        network: &Network,
        needs: Needs,
        seed: u64,
    ) -> Result<Trainer, CudaError> {
        let games = needs.games.unwrap_or(WARPS * device.processors()).max(1);
        let state_bytes = if needs.restart { Starts::HISTORY * Starts::STATE_BYTES } else { 0 };
        let history = games as usize * state_bytes;
        let sizes = Sizes {
            weights: network.weight_bytes(),
            coherent: needs.tc,
            average: needs.average,
            games: (games, Game::bytes(needs.trace)),
            others: (history + size_of_val(&network.rows[..])) as u64,
        };
        let memory = DeviceNetwork::new(device, &sizes, seed)?;
        let compile = |coherent| {
            let program = Program::Train { coherent, trace: needs.trace };
            device.compile(&program.source(network), program.name())
        };
        Ok(Trainer {
            td: needs.td.then(|| compile(false)).transpose()?,
            tc: needs.tc.then(|| compile(true)).transpose()?,
            rows: device.stream.clone_htod(&network.rows)?,
            history: needs.restart.then(|| device.stream.alloc_zeros(history)).transpose()?,
            active_features: network.tuples.active_features(),
            network: memory,
        })
    }

    /// The nibbles of the newest afterstate of the first game, for comparisons.
    pub fn first_afterstate(&self) -> Result<u64, CudaError> {
        let bytes = self.network.games()?;
        let words = bytes.as_chunks::<8>().0;
        Ok(words.get(Game::AFTERSTATE).map_or(0, |&word| u64::from_le_bytes(word)))
    }

    /// Plays and learns.
    pub fn launch(&mut self, launch: &Launch) -> Result<Played, CudaError> {
        let network = &mut self.network;
        let stream = network.device.stream.clone();
        let function = if launch.coherent { &self.tc } else { &self.td };
        let Some(function) = function else {
            return Err(CudaError::Driver("the kernel of this phase was not compiled".to_owned()));
        };
        network.begin()?;
        let coherence =
            network.coherence.as_mut().map_or(0, |slice| slice.device_ptr_mut(&stream).0);
        let history = self.history.as_mut().map_or(0, |slice| slice.device_ptr_mut(&stream).0);
        if launch.starts == Starts::Restart && history == 0 {
            return Err(CudaError::Driver("there is no memory for restarts".to_owned()));
        }
        let params = Params {
            weights: network.weights.device_ptr_mut(&stream).0,
            coherence,
            rows: self.rows.device_ptr(&stream).0,
            games: network.games.device_ptr_mut(&stream).0,
            history,
            results: network.results.device_ptr_mut(&stream).0,
            counters: network.counters.device_ptr_mut(&stream).0,
            key: network.key,
            capacity: RESULTS as u64,
            game_count: network.game_count,
            steps: launch.steps,
            min_tiles: launch.min_tiles,
            starts: launch.starts as u32,
            trace: launch.trace as u32,
            rate: launch.rate / self.active_features as f32,
            lambda: launch.lambda,
            skipped: mask_of(launch.coherence_every),
            crowded: mask_of(launch.crowded_every),
            history_length: Starts::HISTORY as u32,
            staged: u32::from(launch.staged),
        };
        let shape = LaunchConfig {
            grid_dim: ((network.game_count * 32).div_ceil(BLOCK), 1, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the kernel takes one `Params`, whose addresses are those of allocations that
        // live as long as `self` and are as large as the kernel expects.
        #[allow(unsafe_code)]
        unsafe {
            stream.launch_builder(function).arg(&params).launch(shape)?;
        }
        let ([_, _, moves], games) = network.end()?;
        Ok(Played { games, moves })
    }
}
