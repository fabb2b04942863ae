//! The program from the outside, as a person or a script uses it. One binary, linked once.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod analyze;
mod cluster;
#[cfg(unix)]
mod command_fuzz;
mod command_line;
mod docs;
mod eval;
mod exchange;
mod harness;
mod keys;
mod numbers;
#[cfg(unix)]
mod outputs;
mod play;
#[cfg(unix)]
mod pty;
mod record;
mod runs;
#[cfg(unix)]
mod safety;
mod serve;
#[cfg(unix)]
mod shared_files;
mod solve;
#[cfg(unix)]
mod terminal;
mod train;
mod weights;
