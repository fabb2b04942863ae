//! `Form`: a piece as it falls, in each of its orientations.

use super::Placement;
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

/// The cells of a placement, made ready to be stamped onto the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The move: one orientation of a piece over one column of the well.
    pub mv: Placement,
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

impl Stamp {
    fn new(orientation: &Orientation, mv: Placement) -> Stamp {
        let Orientation { width, height, bottoms, columns, .. } = *orientation;
        let mut cells = [0; MOST_COLUMNS];
        let left = usize::from(mv.column);
        cells[left..left + width].copy_from_slice(&columns[..width]);
        Stamp { mv, height, width, bottoms, cells }
    }
}

/// A piece with its orientations, and where it can be dropped in a well of a given width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The distinct quarter turns of the drawn piece, clockwise, the drawn one first.
    pub orientations: Vec<Orientation>,
    /// Every orientation over every column inside the walls, orientation first.
    pub stamps: Vec<Stamp>,
    /// The height of the tallest orientation.
    pub tallest: usize,
    /// For each orientation, where its stamps begin and how many there are.
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
            let met = format!("piece {piece}, {narrowest} columns wide at least");
            return Err(RulesError::new(met, format!("a piece that fits {well} columns")));
        }
        let tallest = orientations.iter().map(|orientation| orientation.height).max();
        Ok(Form { orientations, stamps, tallest: tallest.unwrap_or(0), ranges })
    }

    /// The stamp that a move names, if it lies inside the walls.
    #[inline]
    pub fn stamp(&self, mv: Placement) -> Option<&Stamp> {
        let &(first, columns) = self.ranges.get(usize::from(mv.orientation))?;
        let column = usize::from(mv.column);
        (column < columns).then(|| &self.stamps[first + column])
    }
}
