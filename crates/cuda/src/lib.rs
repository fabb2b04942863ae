//! Games on NVIDIA GPUs, thousands at once: n-tuple networks of 2048 learn and play, and populations
//! of weights of features play Tetris.
//!
//! The kernels (`kernels/`) are C++ that a host compiler accepts, too: tests run the same code
//! without a GPU. On a GPU they are compiled at run time for the tuples of a network or for a well, and the
//! driver and its compiler are loaded at run time, so that building needs no CUDA.

mod device;
mod energy;
mod evaluate;
mod expectimax;
mod layout;
mod population;
mod source;
mod tetris;
mod trainer;

pub use device::{CudaError, Device};
pub use evaluate::{Evaluation, Player, SoFar};
pub use expectimax::{Expectimax, UnsupportedSearch};
pub use layout::{
    Finished, Game, PLAYING_BYTES, Params, Plays, TetrisGame, TetrisJob, TetrisPlays, TetrisResult,
    key,
};
pub use population::{Candidates, Population};
pub use source::{CAROUSEL, Network, Program, Unsupported};
pub use tetris::{LinearTetris, UnsupportedTetris};
pub use trainer::{Launch, Needs, Played, Trainer};
