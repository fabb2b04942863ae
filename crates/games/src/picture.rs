//! `Picture`: states and moves as somebody draws them, the same for page, terminal and film.

use afterstate_core::Text;
use afterstate_core::policy::Choice;
use serde::Serialize;

/// What a filled cell holds of which nobody remembers the piece.
pub const UNKNOWN: u8 = u8::MAX;

/// How a game is drawn and played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Numbered tiles slide.
    Tiles,
    /// A piece falls into a well.
    Well,
    /// Pieces of a hand are put anywhere.
    Blocks,
}

/// What is seen of a state. Cells are numbered row by row from the top, from the left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Scene {
    /// How it is drawn.
    pub kind: Kind,
    /// Columns of cells.
    pub width: usize,
    /// Rows of cells.
    pub height: usize,
    /// 0 for an empty cell. A tile is its power of two; another filled cell is 1 plus the number of
    /// the piece that filled it, or [`UNKNOWN`].
    pub cells: Vec<u8>,
    /// The pieces of which one is placed now; equal ones have the same number.
    pub hand: Vec<Figure>,
    /// The piece that comes after them, where it is known.
    pub next: Option<Figure>,
}

/// A piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Figure {
    /// Its name.
    pub name: String,
    /// Its number in the set.
    pub number: u8,
    /// Its shape in every orientation that it may be placed in.
    pub turns: Vec<Outline>,
}

/// A shape in the smallest box that holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outline {
    /// Columns of the box.
    pub width: usize,
    /// Rows of the box.
    pub height: usize,
    /// Row (from the top) and column of each cell.
    pub cells: Vec<(usize, usize)>,
}

impl From<&crate::shape::Shape> for Outline {
    fn from(shape: &crate::shape::Shape) -> Outline {
        Outline { width: shape.width(), height: shape.height(), cells: shape.cells().to_vec() }
    }
}

/// Where tiles slide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// To the first row.
    Up,
    /// To the last column.
    Right,
    /// To the last row.
    Down,
    /// To the first column.
    Left,
}

/// What somebody who draws needs to know of a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mark {
    /// Where the tiles slide, where they do.
    pub slide: Option<Direction>,
    /// Which piece of the hand is placed, the first of equal ones.
    pub piece: Option<usize>,
    /// Which of its orientations.
    pub turn: usize,
    /// The row of the top left corner of its box; below 0 where it stands above the top.
    pub row: i32,
    /// The column of that corner.
    pub column: usize,
    /// The cells that it fills.
    pub covers: Vec<usize>,
    /// The cells that become empty then, because a line is full.
    pub clears: Vec<usize>,
}

/// Where something goes that stands in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Motion {
    /// The cell before.
    pub from: usize,
    /// The cell after; tiles that merge come to the same.
    pub to: usize,
}

/// A game that can be drawn.
pub trait Picture: Text {
    /// What is seen of a state.
    fn scene(&self, state: &Self::State) -> Scene;

    /// What is to be drawn of a legal move.
    fn mark(&self, state: &Self::State, choice: &Choice<Self>) -> Mark;

    /// Where everything goes that stands on the board with the piece of a legal move; what goes
    /// nowhere is not told.
    fn motion(&self, state: &Self::State, choice: &Choice<Self>) -> Vec<Motion>;
}
