//! `Shape`: the cells of a piece, with its rotations and reflections.

use std::fmt;

use afterstate_core::TextError;
use serde::Serialize;

/// The largest width and height of a piece.
pub const MAX_SIDE: usize = 10;

/// A set of cells in its bounding box. Row 0 is the top row.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Shape {
    width: usize,
    height: usize,
    /// (row, column), row by row.
    cells: Vec<(usize, usize)>,
}

impl Shape {
    /// Parses rows of `#` (a cell) and `.` (none), separated by `/`.
    ///
    /// ```
    /// use afterstate_games::shape::Shape;
    /// let t = Shape::parse("###/.#.").unwrap();
    /// assert_eq!((t.width(), t.height(), t.cells().len()), (3, 2, 4));
    /// assert_eq!(t.rotated().to_string(), ".#/##/.#");
    /// assert_eq!(Shape::parse("###/.x.").unwrap_err().to_string(),
    ///            "row 2, column 2: found 'x', expected '#' or '.'");
    /// ```
    pub fn parse(text: &str) -> Result<Shape, TextError> {
        Shape::from_rows(&text.split('/').collect::<Vec<_>>())
    }

    /// Parses one text per row.
    pub fn from_rows(rows: &[&str]) -> Result<Shape, TextError> {
        let mut cells = Vec::new();
        for (r, row) in rows.iter().enumerate() {
            for (c, letter) in row.chars().enumerate() {
                if r >= MAX_SIDE || c >= MAX_SIDE {
                    let message = format!("a piece has at most {MAX_SIDE}x{MAX_SIDE} cells");
                    return Err(TextError::sentence(message).in_row(r).in_column(c));
                }
                match letter {
                    '#' => cells.push((r, c)),
                    '.' => {}
                    other => {
                        let error = TextError::new(format!("{other:?}"), "'#' or '.'");
                        return Err(error.in_row(r).in_column(c));
                    }
                }
            }
        }
        Shape::from_cells(cells)
            .ok_or_else(|| TextError::sentence("a piece needs at least one cell '#'"))
    }

    /// The shape of some cells, moved to the corner of its bounding box; `None` without a cell.
    fn from_cells(mut cells: Vec<(usize, usize)>) -> Option<Shape> {
        let top = cells.iter().map(|cell| cell.0).min()?;
        let left = cells.iter().map(|cell| cell.1).min()?;
        for cell in &mut cells {
            *cell = (cell.0 - top, cell.1 - left);
        }
        cells.sort_unstable();
        let height = 1 + cells.iter().map(|cell| cell.0).max()?;
        let width = 1 + cells.iter().map(|cell| cell.1).max()?;
        Some(Shape { width, height, cells })
    }

    /// Columns of the bounding box.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows of the bounding box.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The cells as (row, column), row by row from the top.
    pub fn cells(&self) -> &[(usize, usize)] {
        &self.cells
    }

    /// The shape rotated clockwise by 90 degrees.
    pub fn rotated(&self) -> Shape {
        self.mapped(|(r, c)| (c, self.height - 1 - r))
    }

    /// The shape flipped left to right.
    pub fn mirrored(&self) -> Shape {
        self.mapped(|(r, c)| (r, self.width - 1 - c))
    }

    /// The transposed shape.
    pub fn transposed(&self) -> Shape {
        self.mapped(|(r, c)| (c, r))
    }

    fn mapped(&self, place: impl Fn((usize, usize)) -> (usize, usize)) -> Shape {
        let cells = self.cells.iter().map(|&cell| place(cell)).collect();
        Shape::from_cells(cells).expect("a shape has a cell")
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for r in 0..self.height {
            if r > 0 {
                f.write_str("/")?;
            }
            for c in 0..self.width {
                f.write_str(if self.cells.contains(&(r, c)) { "#" } else { "." })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_rotations_and_two_reflections_are_the_identity() {
        let j = Shape::parse("#../###").unwrap();
        assert_eq!(j.rotated().to_string(), "##/#./#.");
        assert_eq!(j.rotated().rotated().rotated().rotated(), j);
        assert_eq!(j.mirrored().to_string(), "..#/###");
        assert_eq!(j.mirrored().mirrored(), j);
        assert_eq!(j.transposed().to_string(), "##/.#/.#");
    }

    #[test]
    fn empty_margins_are_ignored() {
        assert_eq!(Shape::parse("..../.##./....").unwrap().to_string(), "##");
    }

    #[test]
    fn bad_shapes_are_refused() {
        for (text, said) in [
            ("", "a piece needs at least one cell '#'"),
            ("...", "a piece needs at least one cell '#'"),
            ("###########", "row 1, column 11: a piece has at most 10x10 cells"),
        ] {
            assert_eq!(Shape::parse(text).unwrap_err().to_string(), said);
        }
    }
}
