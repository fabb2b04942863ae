//! `DeviceNetwork`: the weights of a network that learns on a GPU, and the games that it learns from.

use cudarc::driver::{CudaSlice, DeviceRepr};

use crate::average::Average;
use crate::device::{CudaError, Device};
use crate::layout::{Finished, key};

// SAFETY: plain numbers, laid out as the kernels have them.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for Finished {}

/// Room for the results of a launch.
pub(crate) const RESULTS: usize = 1 << 20;

/// What a network needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// The bytes of the weights.
    pub(crate) weights: u64,
    /// Whether rates adapt (TC).
    pub(crate) coherent: bool,
    /// Whether the mean of the weights is wanted.
    pub(crate) average: bool,
    /// The number of games, and the bytes of each.
    pub(crate) games: (u32, usize),
    /// All else.
    pub(crate) others: u64,
}

/// A network on a GPU with the games that it learns from.
pub struct DeviceNetwork {
    pub(crate) device: Device,
    pub(crate) weights: CudaSlice<u8>,
    pub(crate) coherence: Option<CudaSlice<u8>>,
    average: Option<Average>,
    pub(crate) games: CudaSlice<u8>,
    pub(crate) results: CudaSlice<Finished>,
    pub(crate) counters: CudaSlice<u64>,
    pub(crate) game_count: u32,
    pub(crate) key: u64,
    next_game: u64,
}

/// What a launch played.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// The games that ended.
    pub games: Vec<Finished>,
    /// All moves.
    pub moves: u64,
}

impl DeviceNetwork {
    /// Checks that the memory is free and allocates it; the weights are zero.
    pub(crate) fn new(
        device: &Device,
        sizes: &Sizes,
        seed: u64,
    ) -> Result<DeviceNetwork, CudaError> {
        let Sizes { weights, coherent, average, games: (game_count, game_bytes), others } = *sizes;
        let tables = 1 + 2 * u64::from(coherent) + u64::from(average);
        let games = game_bytes * game_count as usize;
        let results = size_of::<Finished>() * RESULTS;
        device.ensure_memory(tables * weights + (games + results) as u64 + others)?;
        let stream = &device.stream;
        let coherence = coherent.then(|| stream.alloc_zeros(2 * weights as usize));
        Ok(DeviceNetwork {
            weights: stream.alloc_zeros(weights as usize)?,
            coherence: coherence.transpose()?,
            average: average.then(|| Average::new(device, weights)).transpose()?,
            games: stream.alloc_zeros(games)?,
            // SAFETY: only what the kernel has written is read.
            #[allow(unsafe_code)]
            results: unsafe { stream.alloc(RESULTS)? },
            counters: stream.alloc_zeros(3)?,
            game_count,
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

    /// Sets the sums of coherence to zero.
    pub fn forget_coherence(&mut self) -> Result<(), CudaError> {
        match &mut self.coherence {
            Some(slice) => Ok(self.device.stream.memset_zeros(slice)?),
            None => Ok(()),
        }
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

    /// Resumes games; their number must be that of this network.
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

    /// Sets the counters before a launch.
    pub(crate) fn begin(&mut self) -> Result<(), CudaError> {
        Ok(self.device.stream.memcpy_htod(&[self.next_game, 0, 0], &mut self.counters)?)
    }

    /// Waits for a launch and reads its counters and the games that ended.
    pub(crate) fn end(&mut self) -> Result<([u64; 3], Vec<Finished>), CudaError> {
        let stream = &self.device.stream;
        let counters = stream.clone_dtoh(&self.counters)?;
        let [next_game, results, moves] = counters[..] else {
            return Err(CudaError::Driver("the counters were not read".to_owned()));
        };
        self.next_game = next_game;
        let games = stream.clone_dtoh(&self.results.slice(..RESULTS.min(results as usize)))?;
        Ok(([next_game, results, moves], games))
    }
}
