//! 2048, Tetris and 1010!: boards, rules, features and text forms; every variant is a rules value.

pub mod aggregation;
pub mod cells;
mod dihedral;
pub mod error;
#[cfg(test)]
mod goldens;
pub mod laws;
pub mod outcomes;
pub mod picture;
pub mod pieces;
#[cfg(test)]
mod positions;
pub mod replies;
pub mod reward;
pub mod shape;
pub mod spec;
pub mod tenten;
pub mod tetris;
pub mod transition_model;
pub mod tuples;
pub mod twenty48;

pub use aggregation::{
    Aggregation, AggregationSpec, Combine, StateActionAggregation, StateAggregation,
};
pub use cells::{Cells, Change};
pub use error::RulesError;
pub use outcomes::OutcomeIndices;
pub use replies::{Replies, Reply};
pub use reward::{Points, RewardFunction, RewardMixture};
pub use transition_model::{Real, TransitionModel, TransitionModels};
pub use tuples::{IndexPermutation, ReferenceTuples, Tuples, TuplesError};

/// The examples of the README, compiled and run as tests.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct Readme;
