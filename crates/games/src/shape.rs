//! `Shape`: the cells of a piece, as drawn by people and as turned by the rules.

use std::fmt;

use afterstate_core::TextError;

/// The largest box that a piece may fill, in each direction.
pub const LARGEST: usize = 10;

/// A set of cells in the smallest box that holds them. Row 0 is the top row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    width: usize,
    height: usize,
    /// (row, column), row by row.
    cells: Vec<(usize, usize)>,
}

impl Shape {
    /// Reads rows of `#` (a cell) and `.` (none), divided by `/`.
    ///
    /// ```
    /// use afterstate_games::shape::Shape;
    /// let t = Shape::parse("###/.#.").unwrap();
    /// assert_eq!((t.width(), t.height(), t.cells().len()), (3, 2, 4));
    /// assert_eq!(t.turned().to_string(), ".#/##/.#");
    /// assert_eq!(Shape::parse("###/.x.").unwrap_err().to_string(),
    ///            "row 2, column 2: met 'x', expected '#' or '.'");
    /// ```
    pub fn parse(text: &str) -> Result<Shape, TextError> {
        Shape::from_rows(&text.split('/').collect::<Vec<_>>())
    }

    /// Reads one text a row.
    pub fn from_rows(rows: &[&str]) -> Result<Shape, TextError> {
        let mut cells = Vec::new();
        for (r, row) in rows.iter().enumerate() {
            for (c, letter) in row.chars().enumerate() {
                if r >= LARGEST || c >= LARGEST {
                    let expected = format!("at most {LARGEST}x{LARGEST} cells");
                    return Err(TextError::new("a larger piece", expected).in_row(r).in_column(c));
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
        Shape::from_cells(cells).ok_or_else(|| TextError::new("no cell", "a piece with a '#'"))
    }

    /// The shape of some cells, moved to the corner of its box; `None` if there is no cell.
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

    /// Columns of the box.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows of the box.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The cells as (row, column), row by row from the top.
    pub fn cells(&self) -> &[(usize, usize)] {
        &self.cells
    }

    /// The shape turned a quarter clockwise.
    pub fn turned(&self) -> Shape {
        self.mapped(|(r, c)| (c, self.height - 1 - r))
    }

    /// The shape with left and right exchanged.
    pub fn mirrored(&self) -> Shape {
        self.mapped(|(r, c)| (r, self.width - 1 - c))
    }

    /// The shape with rows and columns exchanged.
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
    fn four_quarter_turns_and_two_mirrors_are_nothing() {
        let j = Shape::parse("#../###").unwrap();
        assert_eq!(j.turned().to_string(), "##/#./#.");
        assert_eq!(j.turned().turned().turned().turned(), j);
        assert_eq!(j.mirrored().to_string(), "..#/###");
        assert_eq!(j.mirrored().mirrored(), j);
        assert_eq!(j.transposed().to_string(), "##/.#/.#");
    }

    #[test]
    fn empty_margins_do_not_count() {
        assert_eq!(Shape::parse("..../.##./....").unwrap().to_string(), "##");
    }

    #[test]
    fn bad_shapes_are_refused() {
        for (text, said) in [
            ("", "met no cell, expected a piece with a '#'"),
            ("...", "met no cell, expected a piece with a '#'"),
            ("###########", "row 1, column 11: met a larger piece, expected at most 10x10 cells"),
        ] {
            assert_eq!(Shape::parse(text).unwrap_err().to_string(), said);
        }
    }
}
