//! Games on NVIDIA GPUs, thousands at once: n-tuple networks of 2048 and 1010! learn and play,
//! neural networks learn, and populations of weights of features play Tetris.
//!
//! The kernels (`kernels/`) are C++ that a host compiler accepts, too: tests run the same code
//! without a GPU. On a GPU they are compiled at run time for the tuples of a network or for a well, and the
//! driver and its compiler are loaded at run time, so that building needs no CUDA.

mod average;
mod batch_trainer;
mod device;
mod energy;
mod evaluate;
mod expectimax;
mod layout;
mod memory;
pub mod neural;
mod population;
mod source;
mod tenten;
mod tenten_player;
mod tetris;
mod trainer;

pub use average::Average;
pub use batch_trainer::{BatchLaunch, BatchNeeds, BatchTrainer};
pub use device::{CudaError, Device};
pub use evaluate::{Evaluation, Player, SoFar};
pub use expectimax::{Expectimax, UnsupportedSearch};
pub use layout::{
    AverageParams, BatchParams, Finished, Game, PLAYING_BYTES, Params, Plays, Starts, TenTenGame,
    TenTenPlays, TetrisGame, TetrisJob, TetrisPlays, TetrisResult, key,
};
pub use memory::{DeviceNetwork, Played};
pub use population::{Candidates, Population};
pub use source::{CAROUSEL, Network, Program, Unsupported};
pub use tenten::{TenTenNetwork, UnsupportedTenTen};
pub use tenten_player::TenTenPlayer;
pub use tetris::{LinearTetris, UnsupportedTetris};
pub use trainer::{Launch, Needs, Trainer};
