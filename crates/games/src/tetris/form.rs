//! `Form`: a piece as it falls, in each of its orientations.

use super::Drop;
use super::board::MOST_COLUMNS;
use crate::RulesError;
use crate::pieces::Piece;
use crate::shape::Shape;

/// The most cells that a Tetris piece may span in either direction.
pub const MOST_CELLS: usize = 5;

/// One orientation of a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orientation {
    /// How many columns it covers.
    pub width: usize,
    /// How many rows it covers.
    pub height: usize,
    /// The cells of each column, bit 0 in the piece's lowest row.
    pub columns: [u32; MOST_CELLS],
    /// The lowest cell of each column, above the piece's lowest row.
    pub bottoms: [usize; MOST_CELLS],
    /// The same, drawn.
    pub shape: Shape,
}

impl Orientation {
    fn new(shape: &Shape) -> Orientation {
        let mut columns = [0u32; MOST_CELLS];
        for &(row, column) in shape.cells() {
            columns[column] |= 1 << (shape.height() - 1 - row);
        }
        // A column without a cell never comes to rest on anything.
        let bottom = |cells: u32| {
            if cells == 0 { usize::MAX } else { cells.trailing_zeros() as usize }
        };
        let bottoms = columns.map(bottom);
        let (width, height) = (shape.width(), shape.height());
        Orientation { width, height, columns, bottoms, shape: shape.clone() }
    }
}

/// One orientation of a piece over one column of the well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// What the move is called.
    pub mv: Drop,
    /// How many rows the piece covers.
    pub height: usize,
    /// How many columns the piece covers.
    pub width: usize,
    /// The lowest cell of each covered column, above the piece's lowest row.
    pub bottoms: [usize; MOST_CELLS],
    /// The cells of the piece in every column of the well, its lowest row on the floor: a drop is
    /// this shifted up and added to the board, all columns at once.
    pub cells: [u32; MOST_COLUMNS],
}

impl Placement {
    fn new(orientation: &Orientation, mv: Drop) -> Placement {
        let Orientation { width, height, bottoms, columns, .. } = *orientation;
        let mut cells = [0; MOST_COLUMNS];
        let left = usize::from(mv.column);
        cells[left..left + width].copy_from_slice(&columns[..width]);
        Placement { mv, height, width, bottoms, cells }
    }
}

/// A piece with its orientations, and where it can be dropped in a well of a given width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The distinct quarter turns of the drawn piece, clockwise, the drawn one first.
    pub orientations: Vec<Orientation>,
    /// Every orientation over every column inside the walls, orientation first.
    pub placements: Vec<Placement>,
    /// The height of the tallest orientation.
    pub tallest: usize,
    /// For each orientation, where its placements begin and how many there are.
    ranges: Vec<(usize, usize)>,
}

impl Form {
    /// The form of a piece in a well, or why the piece cannot be dropped there.
    pub(super) fn new(piece: &Piece, well: usize) -> Result<Form, RulesError> {
        let shape = &piece.shape;
        if shape.width().max(shape.height()) > MOST_CELLS {
            let met = format!("piece {piece} of {}x{} cells", shape.width(), shape.height());
            return Err(RulesError::new(met, format!("at most {MOST_CELLS}x{MOST_CELLS}")));
        }
        let mut shapes = vec![shape.clone()];
        for _ in 0..3 {
            let turned = shapes[shapes.len() - 1].turned();
            if shapes.contains(&turned) {
                break;
            }
            shapes.push(turned);
        }
        let orientations: Vec<Orientation> = shapes.iter().map(Orientation::new).collect();
        let (mut placements, mut ranges) = (Vec::new(), Vec::new());
        for (number, orientation) in orientations.iter().enumerate() {
            let columns = (well + 1).saturating_sub(orientation.width);
            ranges.push((placements.len(), columns));
            for column in 0..columns {
                let mv = Drop { orientation: number as u8, column: column as u8 };
                placements.push(Placement::new(orientation, mv));
            }
        }
        if placements.is_empty() {
            let narrowest = shape.width().min(shape.height());
            let met = format!("piece {piece}, {narrowest} columns wide at least");
            return Err(RulesError::new(met, format!("a piece that fits {well} columns")));
        }
        let tallest = orientations.iter().map(|orientation| orientation.height).max();
        Ok(Form { orientations, placements, tallest: tallest.unwrap_or(0), ranges })
    }

    /// The placement that a move names, if it lies inside the walls.
    #[inline]
    pub fn placement(&self, mv: Drop) -> Option<&Placement> {
        let &(first, columns) = self.ranges.get(usize::from(mv.orientation))?;
        let column = usize::from(mv.column);
        (column < columns).then(|| &self.placements[first + column])
    }
}
