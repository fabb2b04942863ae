//! 2048, Tetris and 1010!: boards, rules and text forms, with every variant as a rules value.

mod dihedral;
pub mod error;
#[cfg(test)]
mod goldens;
pub mod picture;
pub mod pieces;
pub mod shape;
pub mod spec;
pub mod tenten;
pub mod tetris;
pub mod twenty48;

pub use error::RulesError;
