//! `TenTen`: the rules value: board size, piece set, size of the hand and scoring.

use std::ops::RangeInclusive;

use afterstate_core::Step;

use super::board::{Board, Grid};
use super::fit::Fit;
use super::hand::Hand;
use super::symmetry::{BoardSymmetry, board_symmetries};
use crate::RulesError;
use crate::pieces::{Piece, PieceDistribution, check_set};
use crate::shape::Shape;

/// The largest number of pieces dealt at once.
pub const MAX_HAND: usize = 3;

/// The valid widths and heights of a board.
pub const SIDES: RangeInclusive<usize> = 3..=10;

/// The points of a placement, by the cells that it fills and the number n of lines that it clears.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// cells + 5 n (n + 1), as in the real game.
    #[default]
    Real,
    /// cells + 10 n^2, which fits most scores of the 2019 study by Tang.
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

/// A move: a piece of the hand and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The number of the piece in its set.
    pub piece: u8,
    /// The cell of the top-left corner of the piece's bounding box, row * width + column.
    pub at: u8,
}

/// A board and the hand, of which the player places one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The cells; no line is full.
    pub board: Board,
    /// The pieces to place, at least one.
    pub hand: Hand,
}

/// A board after a placement, with the rest of the hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct After {
    /// The cells; no line is full.
    pub board: Board,
    /// The pieces to place; if empty, chance deals a new hand.
    pub hand: Hand,
}

/// The rules of one variant of 1010!.
///
/// ```
/// use afterstate_core::{Game, Rng};
/// use afterstate_games::tenten::{Scoring, TenTen, sets};
///
/// let pieces = sets::named("19").ok_or("no such set")?;
/// let game = TenTen::new(10, 10, pieces, 3, Scoring::Real)?; // a hand of three
/// let state = game.start(&mut Rng::stream(1, 0));
/// assert!(game.count_moves(&state) > 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TenTen {
    pub(super) grid: Grid,
    pub(super) pieces: Vec<Piece>,
    pub(super) board_symmetries: Vec<BoardSymmetry>,
    fits: Vec<Fit>,
    pub(super) distribution: PieceDistribution,
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
            board_symmetries: board_symmetries(&grid, &pieces),
            fits: pieces.iter().map(|p| Fit::new(&p.shape, &grid)).collect(),
            distribution: PieceDistribution::new(&pieces),
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

    /// The piece set; a piece's number is its position in it.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The shape of the piece with a number below the size of the set.
    pub fn shape_of(&self, piece: u8) -> &Shape {
        &self.pieces[usize::from(piece)].shape
    }

    /// The number of pieces dealt at once.
    pub fn hand(&self) -> u8 {
        self.hand
    }

    /// The scoring rule.
    pub fn scoring(&self) -> Scoring {
        self.scoring
    }

    /// The board with these cells filled; `None` if a cell is outside or a line is full.
    pub fn board(&self, bits: u128) -> Option<Board> {
        let lines = self.grid.full_lines(bits);
        let inside = bits >> self.cells() == 0;
        (inside && lines.rows | lines.columns == 0).then(|| Board::new(bits))
    }

    /// All legal cells of the top-left corner of a piece's bounding box, as bits.
    #[inline]
    pub fn origins(&self, board: Board, piece: u8) -> u128 {
        self.fits[usize::from(piece)].origins(board.bits())
    }

    /// The cells that a placement fills, as bits.
    #[inline]
    pub(super) fn filled(&self, mv: Placement) -> u128 {
        self.fits[usize::from(mv.piece)].mask << mv.at
    }

    /// The board after a placement and the number of lines cleared. The placement must be legal.
    #[inline]
    pub fn place_unchecked(&self, board: Board, mv: Placement) -> (Board, u32) {
        let filled = self.filled(mv);
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

/// Checks the parameters of the rules.
fn check(width: usize, height: usize, pieces: &[Piece], hand: u8) -> Result<(), RulesError> {
    if !SIDES.contains(&width) || !SIDES.contains(&height) {
        let (min, max) = (SIDES.start(), SIDES.end());
        let size = format!("{width}x{height}: 1010! supports {min}x{min} to {max}x{max}");
        return Err(RulesError::new(format!("invalid board size {size}")));
    }
    if hand == 0 || usize::from(hand) > MAX_HAND {
        let message = format!("invalid hand of {hand} pieces: 1010! supports 1 to {MAX_HAND}");
        return Err(RulesError::new(message));
    }
    check_set(pieces)?;
    for piece in pieces {
        let (across, down) = (piece.shape.width(), piece.shape.height());
        if across > width || down > height {
            let size = format!("{across} wide and {down} high");
            let message =
                format!("piece {piece} is {size}: it does not fit a board of {width}x{height}");
            return Err(RulesError::new(message));
        }
    }
    Ok(())
}
