//! Tetris by placements: a piece drops, full rows clear, and chance selects the next piece.

mod board;
mod cells;
pub mod contour;
pub mod features;
mod form;
mod picture;
#[cfg(test)]
mod reference;
mod rules;
mod sets;
mod settle;
mod spec;
mod symmetry;
#[cfg(test)]
mod tests;
mod text;

pub use board::{Board, MAX_COLUMNS};
pub use form::{Form, MAX_CELLS, Orientation, Stamp};
pub use rules::{After, Placement, Setup, State, Tetris};
pub use sets::{SETS, melax_pieces, named, standard_pieces};
pub use settle::Overflow;
