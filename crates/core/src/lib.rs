//! The one loop that every puzzle of this project shares, and what can be said about it in general.
//!
//! ```text
//! state --move--> afterstate --chance--> state
//! ```
//!
//! A [`Game`] is a rules value that pushes moves and chance outcomes into closures; [`Symmetry`],
//! [`Index`] and [`Text`] are what else a game can tell about itself, [`Puzzle`] is all of them
//! together, and [`laws`] is the suite of checks that every rules value has to pass.

pub mod episode;
pub mod features;
pub mod game;
pub mod index;
pub mod laws;
pub mod perft;
pub mod policy;
pub mod random;
pub mod symmetry;
pub mod text;

pub use episode::{Ending, Episode};
pub use features::Features;
pub use game::{Game, Illegal, Step};
pub use index::Index;
pub use policy::{Greedy, Policy, RandomPolicy};
pub use random::Rng;
pub use symmetry::Symmetry;
pub use text::{Text, TextError};

/// A game with everything that a program built around it needs.
pub trait Puzzle: Game + Symmetry + Index + Text {}

impl<G: Game + Symmetry + Index + Text> Puzzle for G {}
