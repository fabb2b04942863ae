//! Learners: they play, and change the weights of a value function by what they meet.

pub mod td;
pub mod update;

pub use td::{Learner, Played};
pub use update::{Coherence, Tc, Td, Update};
