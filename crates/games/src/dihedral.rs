//! The dihedral symmetries of a board, numbered the same way for every game.
//!
//! Symmetry `k` transposes the board if bit 2 is set, then flips it top to bottom if bit 1 is set,
//! then left to right if bit 0 is set. Only square boards have transpositions.

/// The number of symmetries of a board of that size.
pub(crate) fn symmetries(width: usize, height: usize) -> usize {
    if width == height { 8 } else { 4 }
}

/// The inverse of symmetry `k`.
pub(crate) fn inverse(k: usize) -> usize {
    match k {
        // A flip after a transposition equals the other flip before it.
        5 => 6,
        6 => 5,
        k => k,
    }
}

/// The image of the cell (row, column) of a board under symmetry `k`.
pub(crate) fn place(k: usize, width: usize, height: usize, cell: (usize, usize)) -> (usize, usize) {
    let (mut row, mut column) = if k & 4 != 0 { (cell.1, cell.0) } else { cell };
    if k & 1 != 0 {
        column = width - 1 - column;
    }
    if k & 2 != 0 {
        row = height - 1 - row;
    }
    (row, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_undo() {
        for (width, height) in [(4, 4), (4, 3)] {
            for k in 0..symmetries(width, height) {
                for cell in (0..height).flat_map(|r| (0..width).map(move |c| (r, c))) {
                    let there = place(k, width, height, cell);
                    assert_eq!(place(inverse(k), width, height, there), cell, "symmetry {k}");
                }
            }
        }
    }
}
