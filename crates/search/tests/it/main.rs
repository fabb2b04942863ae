//! Tests of searches of all games, in one program.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod hands;
mod horizon;
mod likely;
mod random;
mod reference;
mod searcher;
