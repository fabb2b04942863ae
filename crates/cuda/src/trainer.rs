//! `Trainer`: a network that learns on a GPU.

use cudarc::driver::{
    CudaFunction, CudaSlice, DevicePtr, DevicePtrMut, DeviceRepr, LaunchConfig, PushKernelArg,
};

use crate::average::Average;
use crate::device::{CudaError, Device};
use crate::layout::{Finished, Game, Params, key};
use crate::source::{BLOCK, Network, Program};

// SAFETY: plain numbers, laid out as the kernels have them.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for Params {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for Finished {}

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
    /// Whether games also start at later stages.
    pub carousel: bool,
    /// The moves of each game.
    pub steps: u32,
}

/// What a launch played.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// The games that ended.
    pub games: Vec<Finished>,
    /// All moves.
    pub moves: u64,
}

/// A network on a GPU with the games that it learns from.
pub struct Trainer {
    device: Device,
    td: Option<CudaFunction>,
    tc: Option<CudaFunction>,
    weights: CudaSlice<u8>,
    coherence: Option<CudaSlice<u8>>,
    average: Option<Average>,
    rows: CudaSlice<u32>,
    games: CudaSlice<u8>,
    results: CudaSlice<Finished>,
    counters: CudaSlice<u64>,
    game_count: u32,
    active_features: usize,
    key: u64,
    next_game: u64,
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
    /// The games at once, or as many as suit the device.
    pub games: Option<u32>,
    /// Whether the mean of the weights is wanted.
    pub average: bool,
}

/// Warps on each multiprocessor: more fill the caches with more boards than they hold.
const WARPS: u32 = 8;

/// Room for the results of a launch.
pub(crate) const RESULTS: usize = 1 << 20;

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
        let game_count = needs.games.unwrap_or(WARPS * device.processors()).max(1);
        let games = Game::bytes(needs.trace) * game_count as usize;
        let weights = network.weight_bytes();
        let coherence = if needs.tc { 2 * weights } else { 0 };
        let average = if needs.average { weights } else { 0 };
        let results = size_of::<Finished>() * RESULTS;
        let rows = 4 * network.rows.len();
        device.ensure_memory(weights + coherence + average + (games + results + rows) as u64)?;
        let compile = |coherent| {
            let program = Program::Train { coherent, trace: needs.trace };
            device.compile(&program.source(network), program.name())
        };
        let td = needs.td.then(|| compile(false)).transpose()?;
        let tc = needs.tc.then(|| compile(true)).transpose()?;
        let stream = &device.stream;
        Ok(Trainer {
            td,
            tc,
            weights: stream.alloc_zeros(weights as usize)?,
            coherence: needs.tc.then(|| stream.alloc_zeros(coherence as usize)).transpose()?,
            average: needs.average.then(|| Average::new(device, weights)).transpose()?,
            rows: stream.clone_htod(&network.rows)?,
            games: stream.alloc_zeros(games)?,
            // SAFETY: only what the kernel has written is read.
            #[allow(unsafe_code)]
            results: unsafe { stream.alloc(RESULTS)? },
            counters: stream.alloc_zeros(3)?,
            game_count,
            active_features: network.tuples.active_features(),
            key: key(seed),
            next_game: 0,
            device: device.clone(),
        })
    }

    /// The number of games at once.
    pub fn game_count(&self) -> u32 {
        self.game_count
    }

    /// Sets the weights, the sums of coherence and the number of the next game; all games begin
    /// anew.
    pub fn upload(
        &mut self,
        weights: &[u8],
        coherence: Option<&[u8]>,
        next_game: u64,
    ) -> Result<(), CudaError> {
        let stream = &self.device.stream;
        stream.memcpy_htod(weights, &mut self.weights)?;
        if let (Some(bytes), Some(slice)) = (coherence, &mut self.coherence) {
            stream.memcpy_htod(bytes, slice)?;
        }
        stream.memset_zeros(&mut self.games)?;
        self.next_game = next_game;
        Ok(stream.synchronize()?)
    }

    /// Copies the weights and the sums of coherence to the host.
    pub fn download(
        &self,
        weights: &mut [u8],
        coherence: Option<&mut [u8]>,
    ) -> Result<(), CudaError> {
        let stream = &self.device.stream;
        stream.memcpy_dtoh(&self.weights, weights)?;
        if let (Some(bytes), Some(slice)) = (coherence, &self.coherence) {
            stream.memcpy_dtoh(slice, bytes)?;
        }
        Ok(stream.synchronize()?)
    }

    /// The mean of the weights, if it was asked for.
    pub fn average(&mut self) -> Option<&mut Average> {
        self.average.as_mut()
    }

    /// Adds a sample of the weights to their mean: the sample of this number, from 1.
    pub fn add_sample(&mut self, number: u64) -> Result<(), CudaError> {
        let Some(average) = &mut self.average else { return Ok(()) };
        average.add(&self.weights, number)
    }

    /// The games in progress, to be written to a checkpoint.
    pub fn games(&self) -> Result<Vec<u8>, CudaError> {
        Ok(self.device.stream.clone_dtoh(&self.games)?)
    }

    /// The nibbles of the newest afterstate of the first game, for comparisons.
    pub fn first_afterstate(&self) -> Result<u64, CudaError> {
        let bytes = self.games()?;
        let words = bytes.as_chunks::<8>().0;
        Ok(words.get(Game::AFTERSTATE).map_or(0, |&word| u64::from_le_bytes(word)))
    }

    /// Resumes games; their number must be that of this trainer.
    pub fn resume_games(&mut self, games: &[u8], next_game: u64) -> Result<(), CudaError> {
        if games.len() == self.games.len() {
            self.device.stream.memcpy_htod(games, &mut self.games)?;
            self.next_game = next_game;
        }
        Ok(())
    }

    /// The number of the next game.
    pub fn next_game(&self) -> u64 {
        self.next_game
    }

    /// Plays and learns.
    pub fn launch(&mut self, launch: &Launch) -> Result<Played, CudaError> {
        let stream = self.device.stream.clone();
        let function = if launch.coherent { &self.tc } else { &self.td };
        let Some(function) = function else {
            return Err(CudaError::Driver("the kernel of this phase was not compiled".to_owned()));
        };
        stream.memcpy_htod(&[self.next_game, 0, 0], &mut self.counters)?;
        let coherence = self.coherence.as_mut().map_or(0, |slice| slice.device_ptr_mut(&stream).0);
        let params = Params {
            weights: self.weights.device_ptr_mut(&stream).0,
            coherence,
            rows: self.rows.device_ptr(&stream).0,
            games: self.games.device_ptr_mut(&stream).0,
            results: self.results.device_ptr_mut(&stream).0,
            counters: self.counters.device_ptr_mut(&stream).0,
            key: self.key,
            capacity: RESULTS as u64,
            game_count: self.game_count,
            steps: launch.steps,
            min_tiles: launch.min_tiles,
            carousel: u32::from(launch.carousel),
            trace: launch.trace as u32,
            rate: launch.rate / self.active_features as f32,
            lambda: launch.lambda,
            skipped: mask_of(launch.coherence_every),
            crowded: mask_of(launch.crowded_every),
            padding: 0,
        };
        let blocks = (self.game_count * 32).div_ceil(BLOCK);
        let shape = LaunchConfig {
            grid_dim: (blocks, 1, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the kernel takes one `Params`, whose addresses are those of allocations that
        // live as long as `self` and are as large as the kernel expects.
        #[allow(unsafe_code)]
        unsafe {
            stream.launch_builder(function).arg(&params).launch(shape)?;
        }
        let counters = stream.clone_dtoh(&self.counters)?;
        let [next_game, results, moves] = counters[..] else {
            return Err(CudaError::Driver("the counters were not read".to_owned()));
        };
        self.next_game = next_game;
        let results = RESULTS.min(results as usize);
        let games = stream.clone_dtoh(&self.results.slice(..results))?;
        Ok(Played { games, moves })
    }
}
