//! `BatchTrainer`: a network of 1010! that learns on a GPU, one move of many games per batch.

use cudarc::driver::{
    CudaFunction, CudaSlice, DevicePtr, DevicePtrMut, DeviceRepr, LaunchConfig, PushKernelArg,
};

use crate::average::Average;
use crate::device::{CudaError, Device};
use crate::layout::{BatchParams, Finished, key};
use crate::source::BLOCK;
use crate::tenten::TenTenNetwork;
use crate::trainer::{Played, RESULTS};

// SAFETY: plain numbers, laid out as the kernels have them.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for BatchParams {}

/// What is learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Objective {
    /// The points of a game.
    Points,
    /// Rounds to come, each with so many points, times the discount factor per round.
    Survival {
        /// The points of a round.
        points: f32,
        /// The discount factor.
        discount: f32,
    },
}

/// The settings of one launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchLaunch {
    /// Whether rates adapt (TC).
    pub coherent: bool,
    /// The learning rate of a value.
    pub rate: f32,
    /// What is learned.
    pub objective: Objective,
    /// The number of batches.
    pub batches: u32,
}

/// What a network needs of a trainer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchNeeds {
    /// Whether some phase has fixed rates (TD).
    pub td: bool,
    /// Whether some phase has adaptive rates (TC).
    pub tc: bool,
    /// The games of a batch.
    pub games: u32,
    /// Whether the mean of the weights is wanted.
    pub average: bool,
}

/// The two kernels of a batch.
struct Kernels {
    play: CudaFunction,
    learn: CudaFunction,
}

/// A network on a GPU with the games that it learns from.
pub struct BatchTrainer {
    device: Device,
    td: Option<Kernels>,
    tc: Option<Kernels>,
    weights: CudaSlice<u8>,
    coherence: Option<CudaSlice<u8>>,
    average: Option<Average>,
    errors: CudaSlice<u64>,
    stamps: CudaSlice<u32>,
    tables: CudaSlice<u32>,
    games: CudaSlice<u8>,
    results: CudaSlice<Finished>,
    counters: CudaSlice<u64>,
    game_count: u32,
    active_features: usize,
    key: u64,
    next_game: u64,
    /// The number of the last batch.
    batch: u32,
}

impl BatchTrainer {
    /// Compiles the kernels and allocates the memory; the weights are zero.
    pub fn new(
        device: &Device,
        network: &TenTenNetwork,
        needs: BatchNeeds,
        seed: u64,
    ) -> Result<BatchTrainer, CudaError> {
        let game_count = needs.games.max(1);
        let games = network.game_bytes * game_count as usize;
        let weights = network.weight_bytes();
        let coherence = if needs.tc { 2 * weights } else { 0 };
        let average = if needs.average { weights } else { 0 };
        // Weights and stamps have four bytes each, a sum of errors and its number eight.
        let learned = 2 * weights + coherence + average + 8 * network.errors;
        let results = size_of::<Finished>() * RESULTS;
        let others = games + results + 4 * network.tables.len();
        device.ensure_memory(learned + others as u64)?;
        let compile = |coherent| {
            let source = network.training_source(coherent);
            let [play, learn] = device.compile_all(&source, ["play_batch", "learn_batch"])?;
            Ok::<_, CudaError>(Kernels { play, learn })
        };
        let stream = &device.stream;
        Ok(BatchTrainer {
            td: needs.td.then(|| compile(false)).transpose()?,
            tc: needs.tc.then(|| compile(true)).transpose()?,
            weights: stream.alloc_zeros(weights as usize)?,
            coherence: needs.tc.then(|| stream.alloc_zeros(coherence as usize)).transpose()?,
            average: needs.average.then(|| Average::new(device, weights)).transpose()?,
            errors: stream.alloc_zeros(network.errors as usize)?,
            stamps: stream.alloc_zeros(weights as usize / 4)?,
            tables: stream.clone_htod(&network.tables)?,
            games: stream.alloc_zeros(games)?,
            // SAFETY: only what the kernel has written is read.
            #[allow(unsafe_code)]
            results: unsafe { stream.alloc(RESULTS)? },
            counters: stream.alloc_zeros(3)?,
            game_count,
            active_features: network.tuples.active_features(),
            key: key(seed),
            next_game: 0,
            batch: 0,
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

    /// Plays and learns batches.
    pub fn launch(&mut self, launch: &BatchLaunch) -> Result<Played, CudaError> {
        let stream = self.device.stream.clone();
        let kernels = if launch.coherent { &self.tc } else { &self.td };
        let Some(kernels) = kernels else {
            return Err(CudaError::Driver("the kernel of this phase was not compiled".to_owned()));
        };
        stream.memcpy_htod(&[self.next_game, 0, 0], &mut self.counters)?;
        let (survives, survival, discount) = match launch.objective {
            Objective::Points => (0, 0.0, 1.0),
            Objective::Survival { points, discount } => (1, points, discount),
        };
        let coherence = self.coherence.as_mut().map_or(0, |slice| slice.device_ptr_mut(&stream).0);
        let mut params = BatchParams {
            weights: self.weights.device_ptr_mut(&stream).0,
            coherence,
            errors: self.errors.device_ptr_mut(&stream).0,
            stamps: self.stamps.device_ptr_mut(&stream).0,
            tables: self.tables.device_ptr(&stream).0,
            games: self.games.device_ptr_mut(&stream).0,
            results: self.results.device_ptr_mut(&stream).0,
            counters: self.counters.device_ptr_mut(&stream).0,
            key: self.key,
            capacity: RESULTS as u64,
            game_count: self.game_count,
            number: 0,
            rate: launch.rate / self.active_features as f32,
            discount,
            survival,
            survives,
        };
        let shape = LaunchConfig {
            grid_dim: ((self.game_count * 32).div_ceil(BLOCK), 1, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: 0,
        };
        for _ in 0..launch.batches {
            // A number that no stamp of the last four billion batches has.
            self.batch = self.batch.wrapping_add(1).max(1);
            params.number = self.batch;
            // SAFETY: the kernels take one `BatchParams`, whose addresses are those of allocations
            // that live as long as `self` and are as large as the kernels expect.
            #[allow(unsafe_code)]
            unsafe {
                stream.launch_builder(&kernels.play).arg(&params).launch(shape)?;
                stream.launch_builder(&kernels.learn).arg(&params).launch(shape)?;
            }
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
