//! `Population`: candidates whose games of Tetris are played on a GPU.

use std::time::{Duration, Instant};

use cudarc::driver::{
    CudaFunction, CudaSlice, DevicePtr, DevicePtrMut, DeviceRepr, LaunchConfig, PushKernelArg,
};

use crate::device::{CudaError, Device};
use crate::layout::{TetrisJob, TetrisPlays, TetrisResult, key};
use crate::source::BLOCK;
use crate::tetris::{BLOCKS, LinearTetris};

// SAFETY: plain numbers, laid out as the kernel has them.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for TetrisPlays {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for TetrisJob {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for TetrisResult {}

/// Warps on each multiprocessor: all of them run at once.
const WARPS: u32 = BLOCKS * BLOCK / 32;

/// How long a launch lasts: long against its overhead, short against a round.
const LAUNCH: Duration = Duration::from_millis(40);

/// Candidates and their games.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<'a> {
    /// The seed of all games.
    pub seed: u64,
    /// The weight of the reward.
    pub reward: f32,
    /// The weights of each candidate, one after the other.
    pub weights: &'a [f32],
    /// The games.
    pub jobs: &'a [TetrisJob],
    /// Games are truncated when they reach this score.
    pub max_score: f64,
    /// Games are truncated after so many moves.
    pub max_moves: Option<u64>,
}

/// Candidates on a GPU, and the games that they play.
pub struct Population {
    device: Device,
    function: CudaFunction,
    tetris: LinearTetris,
    stamps: CudaSlice<u32>,
    games: CudaSlice<u8>,
    counters: CudaSlice<u64>,
    /// The games of the candidates; none at first.
    started: Option<Started>,
    /// The moves of each game in a launch.
    steps: u32,
}

/// Candidates whose games are being played.
struct Started {
    weights: CudaSlice<f32>,
    jobs: CudaSlice<TetrisJob>,
    results: CudaSlice<TetrisResult>,
    /// The number of jobs, of the next one, and of those that are not over.
    count: u32,
    next: u64,
    left: usize,
    key: u64,
    reward: f32,
    max_score: u64,
    max_moves: u64,
}

impl Population {
    /// Compiles the kernel.
    pub fn new(device: &Device, tetris: &LinearTetris) -> Result<Population, CudaError> {
        let games = tetris.game_bytes * (WARPS * device.processors()) as usize;
        device.ensure_memory((games + 4 * tetris.stamps.len()) as u64)?;
        let stream = &device.stream;
        Ok(Population {
            function: device.compile(&tetris.source(), LinearTetris::NAME)?,
            stamps: stream.clone_htod(&tetris.stamps)?,
            games: stream.alloc_zeros(games)?,
            counters: stream.alloc_zeros(3)?,
            started: None,
            steps: 1_000,
            tetris: tetris.clone(),
            device: device.clone(),
        })
    }

    /// Begins the games of some candidates; games that are not over are dropped.
    pub fn start(&mut self, candidates: &Candidates) -> Result<(), CudaError> {
        let &Candidates { seed, reward, weights, jobs, max_score, max_moves } = candidates;
        let count = weights.len() / self.tetris.features();
        if jobs.iter().any(|job| job.candidate as usize >= count) {
            return Err(CudaError::Driver("a game of a candidate without weights".to_owned()));
        }
        self.started = None;
        if jobs.is_empty() {
            return Ok(());
        }
        let bytes = size_of_val(weights) + size_of_val(jobs) + 24 * jobs.len();
        self.device.ensure_memory(bytes as u64)?;
        let stream = &self.device.stream;
        stream.memset_zeros(&mut self.games)?;
        let limit = self.tetris.limit.unwrap_or(u64::MAX);
        self.started = Some(Started {
            weights: stream.clone_htod(weights)?,
            jobs: stream.clone_htod(jobs)?,
            // SAFETY: only what the kernel has written is read.
            #[allow(unsafe_code)]
            results: unsafe { stream.alloc(jobs.len())? },
            count: jobs.len() as u32,
            next: 0,
            left: jobs.len(),
            key: key(seed),
            reward,
            // Scores are whole numbers; a float beyond all of them becomes the largest.
            max_score: max_score.ceil() as u64,
            max_moves: max_moves.unwrap_or(u64::MAX).min(limit),
        });
        Ok(())
    }

    /// The number of games that are not over.
    pub fn left(&self) -> usize {
        self.started.as_ref().map_or(0, |started| started.left)
    }

    /// Plays on for some milliseconds: the games that ended, in any order, and all moves.
    pub fn launch(&mut self) -> Result<(Vec<TetrisResult>, u64), CudaError> {
        let Some(started) = self.started.as_mut().filter(|started| started.left > 0) else {
            return Ok((Vec::new(), 0));
        };
        let clock = Instant::now();
        let stream = self.device.stream.clone();
        stream.memcpy_htod(&[started.next, 0, 0], &mut self.counters)?;
        let game_count = (WARPS * self.device.processors()).min(started.count);
        let plays = TetrisPlays {
            weights: started.weights.device_ptr(&stream).0,
            stamps: self.stamps.device_ptr(&stream).0,
            jobs: started.jobs.device_ptr(&stream).0,
            games: self.games.device_ptr_mut(&stream).0,
            results: started.results.device_ptr_mut(&stream).0,
            counters: self.counters.device_ptr_mut(&stream).0,
            key: started.key,
            max_score: started.max_score,
            max_moves: started.max_moves,
            job_count: started.count,
            game_count,
            steps: self.steps,
            reward: started.reward,
        };
        let shape = LaunchConfig {
            grid_dim: ((game_count * 32).div_ceil(BLOCK), 1, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the kernel takes one `TetrisPlays`, whose addresses are those of allocations
        // that live as long as `self` and are as large as the kernel expects.
        #[allow(unsafe_code)]
        unsafe {
            stream.launch_builder(&self.function).arg(&plays).launch(shape)?;
        }
        let counters = stream.clone_dtoh(&self.counters)?;
        let [next, ended, moves] = counters[..] else {
            return Err(CudaError::Driver("the counters were not read".to_owned()));
        };
        started.next = next.min(u64::from(started.count));
        let ended = started.left.min(ended as usize);
        started.left -= ended;
        let results = if ended == 0 {
            Vec::new()
        } else {
            stream.clone_dtoh(&started.results.slice(..ended))?
        };
        let factor = LAUNCH.as_secs_f64() / clock.elapsed().as_secs_f64();
        // Without a game that used all its moves, nothing is known of a launch with more of them.
        let most = if started.left > 0 { 2.0 } else { 1.0 };
        self.steps = (f64::from(self.steps) * factor.clamp(0.5, most)).clamp(100.0, 1e6) as u32;
        Ok((results, moves))
    }

    /// Plays until all games are over; returns them in any order.
    pub fn play(&mut self) -> Result<Vec<TetrisResult>, CudaError> {
        let mut all = Vec::new();
        while self.left() > 0 {
            all.extend(self.launch()?.0);
        }
        Ok(all)
    }
}
