//! 2048: slide, merge, and chance adds a tile.

mod board;
#[cfg(test)]
mod plain;
mod rows;
mod rules;
mod spec;
mod symmetry;
#[cfg(test)]
mod tests;
mod text;

pub use board::Board;
pub use rules::{Slide, Twenty48};
