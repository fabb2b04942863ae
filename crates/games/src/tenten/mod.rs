//! 1010!: pieces are placed on a board; full rows and columns clear; the game ends when no piece
//! fits.
//!
//! One piece at a time, or a hand of up to three placed in any order. Pieces do not rotate.
//!
//! ```
//! use afterstate_core::{Game, Text};
//! use afterstate_games::tenten::{Scoring, TenTen, sets};
//! let pieces = sets::named("7").unwrap();
//! let rules = TenTen::new(4, 4, pieces, 1, Scoring::Real).unwrap();
//! let state = rules.parse_state("1x2\n##..\n....\n..#.\n..##\n").unwrap();
//! let mv = rules.parse_move(&state, "1x2@c1").unwrap();
//! let step = rules.play(&state, mv).unwrap();
//! assert_eq!(step.reward, 12.0); // two cells, and ten for the row
//! assert_eq!(rules.after_text(&step.after), "-\n....\n....\n..#.\n..##\n");
//! ```

mod board;
mod cells;
mod changes;
pub mod features;
mod fit;
mod game;
mod hand;
mod index;
mod picture;
#[cfg(test)]
mod reference;
mod rules;
mod select;
pub mod sets;
mod spec;
mod symmetry;
#[cfg(test)]
mod tests;
mod text;
mod transition_model;

pub use board::Board;
pub use hand::Hand;
pub use rules::{After, MAX_HAND, Placement, SIDES, Scoring, State, TenTen};
pub use transition_model::BitTransitionModel;
