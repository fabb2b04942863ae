//! `Form`: the orientations of a piece and its placements in a well.

use super::Placement;
use super::board::MAX_COLUMNS;
use crate::RulesError;
use crate::pieces::Piece;
use crate::shape::Shape;

/// The largest width and height of a Tetris piece.
pub const MAX_CELLS: usize = 5;

/// One orientation of a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orientation {
    /// The number of columns that it covers.
    pub width: usize,
    /// The number of rows that it covers.
    pub height: usize,
    /// The cells of each column, bit 0 in the piece's lowest row.
    pub columns: [u32; MAX_CELLS],
    /// The row of the lowest cell of each column, counted from the piece's lowest row.
    pub bottoms: [usize; MAX_CELLS],
    /// The cells as a shape.
    pub shape: Shape,
}

impl Orientation {
    fn new(shape: &Shape) -> Orientation {
        let mut columns = [0u32; MAX_CELLS];
        for &(row, column) in shape.cells() {
            columns[column] |= 1 << (shape.height() - 1 - row);
        }
        // A column without a cell never rests on anything.
        let bottom = |cells: u32| {
            if cells == 0 { usize::MAX } else { cells.trailing_zeros() as usize }
        };
        let bottoms = columns.map(bottom);
        let (width, height) = (shape.width(), shape.height());
        Orientation { width, height, columns, bottoms, shape: shape.clone() }
    }
}

/// The precomputed cells of one placement: one orientation over one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The move: one orientation of a piece over one column of the well.
    pub mv: Placement,
    /// The number of rows that the piece covers.
    pub height: usize,
    /// The number of columns that the piece covers.
    pub width: usize,
    /// The row of the lowest cell of each covered column, counted from the piece's lowest row.
    pub bottoms: [usize; MAX_CELLS],
    /// The cells of the piece in every column of the well, its lowest row on the floor. A drop
    /// shifts all columns up by the resting row and ORs them into the board.
    pub cells: [u32; MAX_COLUMNS],
}

impl Stamp {
    fn new(orientation: &Orientation, mv: Placement) -> Stamp {
        let Orientation { width, height, bottoms, columns, .. } = *orientation;
        let mut cells = [0; MAX_COLUMNS];
        let left = usize::from(mv.column);
        cells[left..left + width].copy_from_slice(&columns[..width]);
        Stamp { mv, height, width, bottoms, cells }
    }
}

/// The orientations of a piece and all its placements in a well of one width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The distinct clockwise rotations of the drawn piece, the drawn one first.
    pub orientations: Vec<Orientation>,
    /// All placements within the walls, ordered by orientation, then column.
    pub stamps: Vec<Stamp>,
    /// The height of the tallest orientation.
    pub tallest: usize,
    /// The first stamp and the number of stamps of each orientation.
    ranges: Vec<(usize, usize)>,
}

impl Form {
    /// The form of a piece in a well of some columns, or why it does not fit.
    pub(super) fn new(piece: &Piece, well: usize) -> Result<Form, RulesError> {
        let shape = &piece.shape;
        if shape.width().max(shape.height()) > MAX_CELLS {
            let (width, height) = (shape.width(), shape.height());
            let max = format!("{MAX_CELLS}x{MAX_CELLS}");
            let message =
                format!("piece {piece} has size {width}x{height}: Tetris supports up to {max}");
            return Err(RulesError::new(message));
        }
        let mut shapes = vec![shape.clone()];
        for _ in 0..3 {
            let rotated = shapes[shapes.len() - 1].rotated();
            if shapes.contains(&rotated) {
                break;
            }
            shapes.push(rotated);
        }
        let orientations: Vec<Orientation> = shapes.iter().map(Orientation::new).collect();
        let (mut stamps, mut ranges) = (Vec::new(), Vec::new());
        for (number, orientation) in orientations.iter().enumerate() {
            let columns = (well + 1).saturating_sub(orientation.width);
            ranges.push((stamps.len(), columns));
            for column in 0..columns {
                let mv = Placement { orientation: number as u8, column: column as u8 };
                stamps.push(Stamp::new(orientation, mv));
            }
        }
        if stamps.is_empty() {
            let narrowest = shape.width().min(shape.height());
            let message =
                format!("piece {piece} needs {narrowest} columns: the well has only {well}");
            return Err(RulesError::new(message));
        }
        let tallest = orientations.iter().map(|orientation| orientation.height).max();
        Ok(Form { orientations, stamps, tallest: tallest.unwrap_or(0), ranges })
    }

    /// The stamp of a move; `None` if it is not within the walls.
    #[inline]
    pub fn stamp(&self, mv: Placement) -> Option<&Stamp> {
        let &(first, columns) = self.ranges.get(usize::from(mv.orientation))?;
        let column = usize::from(mv.column);
        (column < columns).then(|| &self.stamps[first + column])
    }
}
