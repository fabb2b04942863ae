//! Stochastic single-player games over afterstates, and what holds for all of them.
//!
//! ```text
//! state --move--> afterstate --chance--> state
//! ```
//!
//! A [`Game`] is a rules value that passes moves and chance outcomes to closures. [`Symmetry`],
//! [`Index`] and [`Text`] are further traits of a game, [`Puzzle`] combines them, and [`laws`] is
//! the suite of properties that every rules value satisfies.

pub mod cluster;
pub mod device;
pub mod episode;
pub mod features;
pub mod game;
pub mod index;
pub mod laws;
pub mod numbers;
pub mod perft;
pub mod plain_error;
pub mod policy;
pub mod processor;
pub mod random;
pub mod symmetry;
pub mod text;
pub mod threads;

pub use device::Device;
pub use episode::{Ending, Episode, EpisodeLimit};
pub use features::Features;
pub use game::{Game, Illegal, Step};
pub use index::Index;
pub use policy::{Greedy, Policy, RandomPolicy};
pub use random::Rng;
pub use symmetry::Symmetry;
pub use text::{Text, TextError};

/// A game with all traits that programs and learners need.
pub trait Puzzle: Game + Symmetry + Index + Text {}

impl<G: Game + Symmetry + Index + Text> Puzzle for G {}

/// The examples of the README, compiled and run as tests.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct Readme;
