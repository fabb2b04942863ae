//! 2048: tiles slide and merge, and chance adds a tile.

mod board;
mod cells;
mod index;
mod outcomes;
mod picture;
#[cfg(test)]
mod reference;
mod replies;
mod rows;
mod rules;
mod spec;
mod symmetry;
#[cfg(test)]
mod tests;
mod text;
#[cfg(all(target_arch = "x86_64", not(portable)))]
mod wide;
#[cfg(all(target_arch = "x86_64", not(portable)))]
mod wide_outcomes;

pub use board::Board;
pub use cells::NibbleTuples;
pub use rules::{Slide, Twenty48};
