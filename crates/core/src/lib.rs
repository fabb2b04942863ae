//! The one loop that every puzzle of this project shares, and what can be said about it in general.
//!
//! ```text
//! state --move--> afterstate --chance--> state
//! ```
//!
//! A [`Game`] is a rules value that pushes moves and chance outcomes into closures; [`Symmetry`],
//! [`Index`], [`Text`] and [`Cells`] are what else a game can tell about itself, [`Puzzle`] is all of them
//! together, and [`laws`] is the suite of checks that every rules value has to pass.

pub mod cells;
pub mod entries;
pub mod episode;
pub mod features;
pub mod game;
pub mod greedy;
pub mod index;
pub mod laws;
pub mod layout;
pub mod payoff;
pub mod perft;
pub mod policy;
pub mod random;
pub mod symmetry;
pub mod tabled;
pub mod text;

pub use cells::{Cells, IndexPermutation, ReferenceTuples, Tuples, TuplesError};
pub use entries::{Points, RewardFunction, StateActionAggregation, StateAggregation};
pub use episode::{Ending, Episode};
pub use features::Features;
pub use game::{Game, Illegal, Step};
pub use greedy::GreedyRule;
pub use index::Index;
pub use layout::{Real, TransitionModel, TransitionModels};
pub use payoff::RewardMixture;
pub use policy::{Greedy, Policy, RandomPolicy};
pub use random::Rng;
pub use symmetry::Symmetry;
pub use tabled::{Aggregation, AggregationSpec, Combine};
pub use text::{Text, TextError};

/// A game with everything that a program built around it needs.
pub trait Puzzle: Game + Symmetry + Index + Text + Cells {}

impl<G: Game + Symmetry + Index + Text + Cells> Puzzle for G {}
