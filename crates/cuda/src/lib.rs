//! N-tuple networks of 2048 on NVIDIA GPUs: training and greedy play, a thousand games at once.
//!
//! The kernels (`kernels/`) are C++ that a host compiler accepts, too: tests run the same code
//! without a GPU. On a GPU they are compiled at run time for the tuples of a network, and the
//! driver and its compiler are loaded at run time, so that building needs no CUDA.

mod device;
mod evaluate;
mod layout;
mod source;
mod trainer;

pub use device::{CudaError, Device};
pub use evaluate::{Evaluation, Player};
pub use layout::{Finished, Game, Params, Plays, key};
pub use source::{CAROUSEL, Network, Program, Unsupported};
pub use trainer::{Launch, Needs, Played, Trainer};
