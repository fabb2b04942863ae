//! Play of whole games on a GPU, greedily or by search.

use std::ops::Range;
use std::time::Duration;

use cudarc::driver::{
    CudaFunction, CudaSlice, DevicePtr, DevicePtrMut, DeviceRepr, LaunchConfig, PushKernelArg,
};

use crate::device::{CudaError, Device};
use crate::expectimax::{Expectimax, LARGEST_TEAM, TEAMS};
use crate::layout::{Finished, PLAYING_BYTES, Plays, key};
use crate::source::{BLOCK, Network, Program};

// SAFETY: plain numbers, laid out as the kernel has them.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for Plays {}

/// Warps on each multiprocessor: nothing is written, so more games hide more latency.
const WARPS: u32 = LARGEST_TEAM * TEAMS / 32;

/// The warps of a team that searches, the fewest first: more of them where fewer games are left.
const TEAM: [u32; 3] = [4, 8, LARGEST_TEAM / 32];

/// How long a launch lasts: long against its overhead, short for who waits for progress.
const LAUNCH: Duration = Duration::from_millis(200);

/// The most moves of each game in a launch, should the clock of a device stand still.
const STEPS: u32 = 1 << 16;

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

/// What an evaluation has played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoFar {
    /// Games that are over.
    pub games: u64,
    /// The moves of all games.
    pub moves: u64,
}

/// A network whose games are played on a GPU.
pub struct Player {
    device: Device,
    function: CudaFunction,
    search: Expectimax,
    weights: CudaSlice<f32>,
    rows: CudaSlice<u32>,
    games: CudaSlice<u8>,
    table: CudaSlice<u64>,
    counters: CudaSlice<u64>,
    /// Of the evaluation that was started.
    started: Option<(Evaluation, CudaSlice<Finished>)>,
    so_far: SoFar,
}

impl Player {
    /// Compiles the kernel and copies the weights.
    pub fn new(
        device: &Device,
        network: &Network,
        weights: &[f32],
        search: Expectimax,
    ) -> Result<Player, CudaError> {
        let games = PLAYING_BYTES * at_once(device, search) as usize;
        let table = 2 * search.table_entries();
        let bytes = size_of_val(weights) + games + 8 * table + 4 * network.rows.len();
        device.ensure_memory(bytes as u64)?;
        let (program, stream) = (Program::Evaluate(search), &device.stream);
        Ok(Player {
            function: device.compile(&program.source(network), program.name())?,
            search,
            weights: stream.clone_htod(weights)?,
            rows: stream.clone_htod(&network.rows)?,
            games: stream.alloc_zeros(games)?,
            table: stream.alloc_zeros(table)?,
            counters: stream.alloc_zeros(3)?,
            started: None,
            so_far: SoFar::default(),
            device: device.clone(),
        })
    }

    /// Begins the games of an evaluation; games that are not over are dropped.
    pub fn start(&mut self, evaluation: &Evaluation) -> Result<(), CudaError> {
        let count = (evaluation.games.end - evaluation.games.start) as usize;
        self.started = None;
        self.so_far = SoFar::default();
        self.device.ensure_memory((size_of::<Finished>() * count) as u64)?;
        let stream = &self.device.stream;
        stream.memset_zeros(&mut self.games)?;
        stream.memset_zeros(&mut self.counters)?;
        // SAFETY: only what the kernel has written is read.
        #[allow(unsafe_code)]
        let results = unsafe { stream.alloc(count.max(1))? };
        self.started = Some((evaluation.clone(), results));
        Ok(())
    }

    /// The number of games that are not over.
    pub fn left(&self) -> u64 {
        let all = self.started.as_ref().map_or(0, |(evaluation, _)| count_of(evaluation));
        all - self.so_far.games.min(all)
    }

    /// Plays on for a fraction of a second: what has been played so far.
    pub fn launch(&mut self) -> Result<SoFar, CudaError> {
        let left = self.left();
        let Some((evaluation, results)) = self.started.as_mut().filter(|_| left > 0) else {
            return Ok(self.so_far);
        };
        let stream = self.device.stream.clone();
        let count = count_of(evaluation);
        let game_count = u64::from(at_once(&self.device, self.search)).min(count) as u32;
        let plays = Plays {
            weights: self.weights.device_ptr(&stream).0,
            rows: self.rows.device_ptr(&stream).0,
            games: self.games.device_ptr_mut(&stream).0,
            results: results.device_ptr_mut(&stream).0,
            table: self.table.device_ptr_mut(&stream).0,
            table_mask: self.search.table_entries() as u64 - 1,
            counters: self.counters.device_ptr_mut(&stream).0,
            key: key(evaluation.seed),
            first: evaluation.games.start,
            count,
            max_moves: evaluation.max_moves.unwrap_or(u64::MAX).min(u64::from(u32::MAX)),
            nanoseconds: LAUNCH.as_nanos() as u64,
            game_count,
            steps: STEPS,
        };
        let (blocks, threads) = if self.search.is_greedy() {
            ((game_count * 32).div_ceil(BLOCK), BLOCK)
        } else {
            let warps = u64::from(WARPS * self.device.processors());
            let fits = |team: &&u32| left.min(u64::from(game_count)) * u64::from(**team) <= warps;
            (game_count, 32 * TEAM.iter().rev().find(fits).unwrap_or(&TEAM[0]))
        };
        let shape = LaunchConfig {
            grid_dim: (blocks, 1, 1),
            block_dim: (threads, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the kernel takes one `Plays`, whose addresses are those of allocations that live
        // as long as `self` and are as large as it expects.
        #[allow(unsafe_code)]
        unsafe {
            stream.launch_builder(&self.function).arg(&plays).launch(shape)?;
        }
        let counters = stream.clone_dtoh(&self.counters)?;
        let [_, games, moves] = counters[..] else {
            return Err(CudaError::Driver("the counters were not read".to_owned()));
        };
        self.so_far = SoFar { games, moves };
        Ok(self.so_far)
    }

    /// Plays games to their end; their results are in the order of their numbers. `observe` is told
    /// what has been played so far, a few times a second.
    pub fn play(
        &mut self,
        evaluation: &Evaluation,
        observe: &mut dyn FnMut(SoFar),
    ) -> Result<Vec<Finished>, CudaError> {
        self.start(evaluation)?;
        while self.left() > 0 {
            observe(self.launch()?);
        }
        match self.started.take() {
            Some((_, results)) if !evaluation.games.is_empty() => {
                Ok(self.device.stream.clone_dtoh(&results)?)
            }
            _ => Ok(Vec::new()),
        }
    }
}

/// How many games are played at once.
fn at_once(device: &Device, search: Expectimax) -> u32 {
    let warps = if search.is_greedy() { 1 } else { TEAM[0] };
    WARPS / warps * device.processors()
}

fn count_of(evaluation: &Evaluation) -> u64 {
    evaluation.games.end.saturating_sub(evaluation.games.start)
}
