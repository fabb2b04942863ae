//! `Form`: a piece as it falls, in each of its orientations.

use crate::error::RulesError;
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
            if cells == 0 {
                usize::MAX
            } else {
                cells.trailing_zeros() as usize
            }
        };
        let bottoms = columns.map(bottom);
        let (width, height) = (shape.width(), shape.height());
        Orientation {
            width,
            height,
            columns,
            bottoms,
            shape: shape.clone(),
        }
    }
}

/// A piece with its orientations, and where it can be dropped in a well of a given width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The distinct quarter turns of the drawn piece, clockwise, the drawn one first.
    pub orientations: Vec<Orientation>,
    /// Every (orientation, column) inside the walls, orientation first.
    pub placements: Vec<(u8, u8)>,
    /// The height of the tallest orientation.
    pub tallest: usize,
}

impl Form {
    /// The form of a piece in a well, or why the piece cannot be dropped there.
    pub(super) fn new(piece: &Piece, well: usize) -> Result<Form, RulesError> {
        let shape = &piece.shape;
        if shape.width().max(shape.height()) > MOST_CELLS {
            let met = format!(
                "piece {piece} of {}x{} cells",
                shape.width(),
                shape.height()
            );
            return Err(RulesError::new(
                met,
                format!("at most {MOST_CELLS}x{MOST_CELLS}"),
            ));
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
        let mut placements = Vec::new();
        for (number, orientation) in orientations.iter().enumerate() {
            for column in 0..(well + 1).saturating_sub(orientation.width) {
                placements.push((number as u8, column as u8));
            }
        }
        let tallest = orientations
            .iter()
            .map(|orientation| orientation.height)
            .max();
        if placements.is_empty() {
            let narrowest = shape.width().min(shape.height());
            let met = format!("piece {piece}, {narrowest} columns wide at least");
            return Err(RulesError::new(
                met,
                format!("a piece that fits {well} columns"),
            ));
        }
        Ok(Form {
            orientations,
            placements,
            tallest: tallest.unwrap_or(0),
        })
    }
}
