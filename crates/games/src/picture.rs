//! `Picture`: states and moves as data for drawing, shared by page, terminal and animations.

use afterstate_core::Text;
use afterstate_core::policy::Choice;
use serde::Serialize;

use crate::shape::Shape;
use crate::twenty48::Slide;

/// The value of a filled cell whose piece is unknown.
pub const UNKNOWN: u8 = u8::MAX;

/// The kind of game, which decides how it is drawn and controlled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Numbered tiles slide.
    Tiles,
    /// A piece falls into a well.
    Well,
    /// Pieces of a hand are placed anywhere on a board.
    Blocks,
}

/// The drawing of a state. Cells are numbered row by row from the top left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Scene {
    /// The kind of game.
    pub kind: Kind,
    /// Columns of cells.
    pub width: usize,
    /// Rows of cells.
    pub height: usize,
    /// One value per cell: 0 if empty, the exponent of a tile's power of two, otherwise 1 plus the
    /// number of the piece that filled the cell, or [`UNKNOWN`].
    pub cells: Vec<u8>,
    /// The pieces of the hand, of which the move places one; equal pieces have equal numbers.
    pub hand: Vec<Figure>,
    /// The piece after the hand, if it is known.
    pub next: Option<Figure>,
}

/// A piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Figure {
    /// Its name.
    pub name: String,
    /// Its number in the piece set.
    pub number: u8,
    /// Its shape in each orientation in which it can be placed.
    pub turns: Vec<Shape>,
}

/// The drawing of a move: the slide direction, or the placed piece with the cells that it fills and
/// clears.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mark {
    /// The direction, in games with sliding tiles.
    pub slide: Option<Slide>,
    /// The position in the hand of the placed piece, the first of equal ones.
    pub piece: Option<usize>,
    /// The number of its orientation.
    pub turn: usize,
    /// The row of the top left corner of its bounding box; negative above the top of a well.
    pub row: i32,
    /// The column of that corner.
    pub column: usize,
    /// The cells that the piece fills.
    pub covers: Vec<usize>,
    /// The cells that are then cleared because their line is full.
    pub clears: Vec<usize>,
}

/// The movement of the content of one cell during a move, for animation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Motion {
    /// The cell before.
    pub from: usize,
    /// The cell after; tiles that merge have the same one.
    pub to: usize,
}

/// A game that can be drawn.
pub trait Picture: Text {
    /// The drawing of a state.
    fn scene(&self, state: &Self::State) -> Scene;

    /// Every piece of the rules, for an editor of positions; none in games without pieces.
    fn pieces(&self) -> Vec<Figure> {
        Vec::new()
    }

    /// The drawing of a legal move.
    fn mark(&self, state: &Self::State, choice: &Choice<Self>) -> Mark;

    /// The movement of every filled cell of the board, the piece of a legal move included. Cleared
    /// cells have no motion.
    fn motion(&self, state: &Self::State, choice: &Choice<Self>) -> Vec<Motion>;
}
