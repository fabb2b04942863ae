//! Room for what comes: three numbers that together play far better than 21 (see `tang.rs`).

use afterstate_core::Features;
use afterstate_core::policy::Choice;

use super::rooms::Cellwise;
use crate::tenten::{Board, State, TenTen};

/// Expected moves of the next piece, perimeter, and survival.
#[derive(Clone, Copy, Debug)]
pub struct Space;

/// How the next piece will fit, whichever it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fits {
    /// How many placements it has, in expectation.
    pub moves: f64,
    /// How likely it is to have any.
    pub survival: f64,
}

impl TenTen {
    /// How the next piece will fit on a board: a single piece, also where a hand is dealt.
    #[inline]
    pub fn fits(&self, board: Board) -> Fits {
        let mut fits = Fits { moves: 0.0, survival: 0.0 };
        for piece in 0..self.pieces().len() as u8 {
            let origins = self.origins(board, piece);
            if origins != 0 {
                let odds = self.deal.odds(piece);
                fits.survival += odds;
                fits.moves += odds * f64::from(origins.count_ones());
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
