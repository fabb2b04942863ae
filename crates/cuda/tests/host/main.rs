//! The kernels on the host: the same source, compiled by a C++ compiler, against the processor.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod host;
mod neural;
mod search;
mod tenten;
mod tetris;
mod twenty48;
