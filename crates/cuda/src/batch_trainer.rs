//! `BatchTrainer`: a network of 1010! that learns on a GPU, one move of many games per batch.

use afterstate_games::reward::Objective;
use cudarc::driver::{
    CudaFunction, CudaSlice, DevicePtr, DevicePtrMut, DeviceRepr, LaunchConfig, PushKernelArg,
};

use crate::device::{CudaError, Device};
use crate::layout::BatchParams;
use crate::memory::{DeviceNetwork, Played, RESULTS, Sizes};
use crate::source::BLOCK;
use crate::tenten::TenTenNetwork;

// SAFETY: plain numbers, laid out as the kernels have them.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for BatchParams {}

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

/// A network of 1010! that learns on a GPU.
pub struct BatchTrainer {
    /// Its weights and games.
    pub network: DeviceNetwork,
    td: Option<Kernels>,
    tc: Option<Kernels>,
    errors: CudaSlice<u64>,
    stamps: CudaSlice<u32>,
    tables: CudaSlice<u32>,
    active_features: usize,
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
        let weights = network.weight_bytes();
        let sizes = Sizes {
            weights,
            coherent: needs.tc,
            average: needs.average,
            games: (needs.games.max(1), network.game_bytes),
            // A stamp has four bytes, as a weight; a sum of errors and its number have eight.
            others: weights + 8 * network.errors + size_of_val(&network.tables[..]) as u64,
        };
        let memory = DeviceNetwork::new(device, &sizes, seed)?;
        let compile = |coherent| {
            let source = network.training_source(coherent);
            let [play, learn] = device.compile_all(&source, ["play_batch", "learn_batch"])?;
            Ok::<_, CudaError>(Kernels { play, learn })
        };
        let stream = &device.stream;
        Ok(BatchTrainer {
            td: needs.td.then(|| compile(false)).transpose()?,
            tc: needs.tc.then(|| compile(true)).transpose()?,
            errors: stream.alloc_zeros(network.errors as usize)?,
            stamps: stream.alloc_zeros(weights as usize / 4)?,
            tables: stream.clone_htod(&network.tables)?,
            active_features: network.tuples.active_features(),
            batch: 0,
            network: memory,
        })
    }

    /// Plays and learns batches.
    pub fn launch(&mut self, launch: &BatchLaunch) -> Result<Played, CudaError> {
        let network = &mut self.network;
        let stream = network.device.stream.clone();
        let kernels = if launch.coherent { &self.tc } else { &self.td };
        let Some(kernels) = kernels else {
            return Err(CudaError::Driver("the kernel of this phase was not compiled".to_owned()));
        };
        network.begin()?;
        let (survives, survival, discount) = match launch.objective {
            Objective::Points => (0, 0.0, 1.0),
            Objective::Survival { points, discount } => (1, points, discount),
        };
        let coherence =
            network.coherence.as_mut().map_or(0, |slice| slice.device_ptr_mut(&stream).0);
        let first = network.next_game();
        let mut params = BatchParams {
            weights: network.weights.device_ptr_mut(&stream).0,
            coherence,
            errors: self.errors.device_ptr_mut(&stream).0,
            stamps: self.stamps.device_ptr_mut(&stream).0,
            tables: self.tables.device_ptr(&stream).0,
            games: network.games.device_ptr_mut(&stream).0,
            results: network.results.device_ptr_mut(&stream).0,
            counters: network.counters.device_ptr_mut(&stream).0,
            key: network.key,
            first,
            capacity: RESULTS as u64,
            game_count: network.game_count,
            number: 0,
            rate: launch.rate / self.active_features as f32,
            discount,
            survival,
            survives,
        };
        let shape = LaunchConfig {
            grid_dim: ((network.game_count * 32).div_ceil(BLOCK), 1, 1),
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
        let ([_, ended, _], games) = network.end()?;
        // In each batch a game makes a move or has ended.
        let all = u64::from(launch.batches) * u64::from(network.game_count);
        Ok(Played { games, moves: all.saturating_sub(ended) })
    }
}
