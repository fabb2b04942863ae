//! The laboratory: plays many games on many threads and says honestly what came out.

pub mod advice;
pub mod agent;
pub mod bench;
pub mod chart;
pub mod controllers;
pub mod drawing;
pub mod embedded;
pub mod evaluate;
pub mod exchange;
pub mod film;
pub mod fingerprint;
pub mod numbers;
pub mod patterns;
pub mod random_play;
pub mod recipe;
pub mod recipes;
pub mod run;
pub mod sitting;
pub mod solve;
pub mod statistics;
pub mod tensorboard;

pub use agent::Agent;
pub use evaluate::{Evaluation, Plan, evaluate, evaluate_search};
pub use statistics::Summary;

/// The README's Rust examples, compiled and run as tests.
#[doc = include_str!("../../../README.md")]
#[cfg(doctest)]
pub struct Readme;
