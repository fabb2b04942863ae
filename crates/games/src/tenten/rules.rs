//! `TenTen`: the rules as a value: a board size, a piece set, the hand and how points are counted.

use std::ops::RangeInclusive;

use afterstate_core::Step;

use super::board::{Board, Grid};
use super::fit::Fit;
use super::hand::Hand;
use super::symmetry::{Turn, turns};
use crate::RulesError;
use crate::pieces::{Deal, Piece, check_set};
use crate::shape::Shape;

/// The most pieces that are dealt at once.
pub const LARGEST_HAND: usize = 3;

/// How long a side of the board may be.
pub const SIDES: RangeInclusive<usize> = 3..=10;

/// How one placement is paid, by the cells it fills and the lines n that it clears.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// cells + 5 n (n + 1), as in the real game.
    #[default]
    Real,
    /// cells + 10 n^2, which most scores of the 2019 study by Tang fit.
    Square,
}

impl Scoring {
    /// The points of one placement.
    #[inline]
    pub fn points(self, cells: u32, lines: u32) -> f32 {
        let bonus = match self {
            Scoring::Real => 5 * lines * (lines + 1),
            Scoring::Square => 10 * lines * lines,
        };
        (cells + bonus) as f32
    }
}

/// A piece of the hand, placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The number of the piece in its set.
    pub piece: u8,
    /// The cell of the top-left corner of the piece's box, row * width + column.
    pub at: u8,
}

/// A board, and the pieces of which the player places one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The cells; no line is full.
    pub board: Board,
    /// The pieces left, at least one.
    pub hand: Hand,
}

/// A board after a placement, with the pieces that are left of the hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct After {
    /// The cells; no line is full.
    pub board: Board,
    /// The pieces left; if there is none, a new hand is dealt.
    pub hand: Hand,
}

/// The rules of one variant of 1010!.
#[derive(Clone, Debug)]
pub struct TenTen {
    pub(super) grid: Grid,
    pub(super) pieces: Vec<Piece>,
    pub(super) turns: Vec<Turn>,
    fits: Vec<Fit>,
    pub(super) deal: Deal,
    hand: u8,
    scoring: Scoring,
}

impl TenTen {
    /// The rules with a board of `width` columns and `height` rows and a hand of `hand` pieces.
    pub fn new(
        width: usize,
        height: usize,
        pieces: Vec<Piece>,
        hand: u8,
        scoring: Scoring,
    ) -> Result<TenTen, RulesError> {
        check(width, height, &pieces, hand)?;
        let grid = Grid::new(width, height);
        Ok(TenTen {
            turns: turns(&grid, &pieces),
            fits: pieces.iter().map(|p| Fit::new(&p.shape, &grid)).collect(),
            deal: Deal::new(&pieces),
            grid,
            pieces,
            hand,
            scoring,
        })
    }

    /// Columns of the board.
    pub fn width(&self) -> usize {
        self.grid.width
    }

    /// Rows of the board.
    pub fn height(&self) -> usize {
        self.grid.height
    }

    /// Cells of the board.
    pub fn cells(&self) -> usize {
        self.grid.cells()
    }

    /// The piece set; a piece's number is its place in it.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The shape of the piece with a number below the size of the set.
    pub fn shape_of(&self, piece: u8) -> &Shape {
        &self.pieces[usize::from(piece)].shape
    }

    /// How many pieces are dealt at once.
    pub fn hand(&self) -> u8 {
        self.hand
    }

    /// How points are counted.
    pub fn scoring(&self) -> Scoring {
        self.scoring
    }

    /// The board with these cells filled, or `None` if a cell lies outside or a line is full.
    pub fn board(&self, bits: u128) -> Option<Board> {
        let lines = self.grid.full_lines(bits);
        let inside = bits >> self.cells() == 0;
        (inside && lines.rows | lines.columns == 0).then(|| Board::new(bits))
    }

    /// Every cell at which the top-left corner of a piece's box may be placed, as bits.
    #[inline]
    pub fn origins(&self, board: Board, piece: u8) -> u128 {
        self.fits[usize::from(piece)].origins(board.bits())
    }

    /// The board after a placement, and how many lines it cleared. There must be room for it.
    #[inline]
    pub fn place_unchecked(&self, board: Board, mv: Placement) -> (Board, u32) {
        let filled = self.fits[usize::from(mv.piece)].mask << mv.at;
        debug_assert!(board.bits() & filled == 0, "{mv:?} on a filled cell");
        let (bits, lines) = self.grid.cleared(board.bits() | filled);
        (Board::new(bits), lines)
    }

    #[inline]
    pub(super) fn step(&self, state: &State, mv: Placement) -> Step<After> {
        let (board, lines) = self.place_unchecked(state.board, mv);
        let hand = state.hand.without(mv.piece);
        let cells = self.fits[usize::from(mv.piece)].cells;
        Step { after: After { board, hand }, reward: self.scoring.points(cells, lines) }
    }
}

/// What cannot be played is refused here, so that nothing below needs to ask.
fn check(width: usize, height: usize, pieces: &[Piece], hand: u8) -> Result<(), RulesError> {
    if !SIDES.contains(&width) || !SIDES.contains(&height) {
        let met = format!("a board {width} cells wide and {height} high");
        let sides = format!("{} to {}", SIDES.start(), SIDES.end());
        return Err(RulesError::new(met, format!("{sides} wide and {sides} high")));
    }
    if hand == 0 || usize::from(hand) > LARGEST_HAND {
        let met = format!("a hand of {hand} pieces");
        return Err(RulesError::new(met, format!("1 to {LARGEST_HAND}")));
    }
    check_set(pieces)?;
    for piece in pieces {
        let (across, down) = (piece.shape.width(), piece.shape.height());
        if across > width || down > height {
            let met = format!("piece {piece}, {across} wide and {down} high");
            let expected = format!("at most {width} wide and {height} high, as the board is");
            return Err(RulesError::new(met, expected));
        }
    }
    Ok(())
}
