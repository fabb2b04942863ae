//! Three features of free space, which play far better than the 21 of `tang.rs`.

use afterstate_core::Features;
use afterstate_core::policy::Choice;

use super::regions::Cellwise;
use crate::tenten::{Board, State, TenTen};

/// Expected number of placements of the next piece, perimeter, and survival probability.
#[derive(Clone, Copy, Debug)]
pub struct Space;

/// The fit of the next piece, in expectation over the piece distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fits {
    /// The expected number of its placements.
    pub moves: f64,
    /// The probability that it has a placement.
    pub survival: f64,
}

impl TenTen {
    /// The fit of the next piece on a board: a single piece, also with a larger hand.
    #[inline]
    pub fn fits(&self, board: Board) -> Fits {
        let mut fits = Fits { moves: 0.0, survival: 0.0 };
        for piece in 0..self.pieces().len() as u8 {
            let origins = self.origins(board, piece);
            if origins != 0 {
                let probability = self.distribution.probability(piece);
                fits.survival += probability;
                fits.moves += probability * f64::from(origins.count_ones());
            }
        }
        fits
    }
}

impl Features<TenTen> for Space {
    fn names(&self) -> Vec<String> {
        ["moves", "perimeter", "survival"].map(str::to_owned).into()
    }

    fn describe(&self, game: &TenTen, _: &State, choice: &Choice<TenTen>, out: &mut [f32]) {
        let board = choice.1.after.board;
        let Fits { moves, survival } = game.fits(board);
        let perimeter = Cellwise::new(&game.grid).perimeter(board.bits());
        out.copy_from_slice(&[moves as f32, perimeter as f32, survival as f32]);
    }
}
