//! Tests of all games through their specs, in one program.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod boards;
mod canonical;
mod conformance;
mod goldens;
mod laws;
mod specs;
