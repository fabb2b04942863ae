//! Tetris as a game of placements: drop the piece, clear full rows, and chance deals the next.

mod board;
mod cells;
pub mod contour;
pub mod features;
mod form;
mod picture;
#[cfg(test)]
mod plain;
mod rules;
mod sets;
mod settle;
mod spec;
mod symmetry;
#[cfg(test)]
mod tests;
mod text;

pub use board::{Board, MOST_COLUMNS};
pub use form::{Form, MOST_CELLS, Orientation, Stamp};
pub use rules::{After, Placement, Setup, State, Tetris};
pub use sets::{SETS, melax_pieces, named, standard_pieces};
pub use settle::Overflow;
