//! `Board`: the cells in one 128-bit word; `Grid`: full lines of a board size found by shifts.

use std::fmt;

/// Which cells are filled: bit row * width + column, row 0 on top.
///
/// A board does not know its size; the rules do.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Board(u128);

impl Board {
    /// No cell filled.
    pub const EMPTY: Board = Board(0);

    #[inline]
    pub(super) const fn new(bits: u128) -> Board {
        Board(bits)
    }

    /// Whether a cell, numbered row * width + column, is filled.
    #[inline]
    pub const fn get(self, cell: usize) -> bool {
        cell < 128 && self.0 >> cell & 1 == 1
    }

    /// All cells, lowest bit first.
    #[inline]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// How many cells are filled.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({:#x})", self.0)
    }
}

/// Doubling the length at each step, four steps reach every side up to 16.
const STEPS: usize = 4;

/// The size of a board, and what finding its full lines needs.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) top_row: u128,
    pub(super) left_column: u128,
    along: [u32; STEPS],
    down: [u32; STEPS],
}

/// The full lines of a board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines {
    /// The leftmost cells of the full rows.
    pub(super) rows: u128,
    /// The topmost cells of the full columns.
    pub(super) columns: u128,
}

impl Grid {
    pub(super) fn new(width: usize, height: usize) -> Grid {
        Grid {
            width,
            height,
            top_row: (1 << width) - 1,
            left_column: (0..height).fold(0, |column, row| column | 1 << (row * width)),
            along: shifts(width, 1),
            down: shifts(height, width),
        }
    }

    pub(super) fn cells(&self) -> usize {
        self.width * self.height
    }

    #[inline]
    pub(super) fn full_lines(&self, bits: u128) -> Lines {
        Lines {
            rows: folded(bits, self.along) & self.left_column,
            columns: folded(bits, self.down) & self.top_row,
        }
    }

    /// The board without its full lines, and how many lines those were. A cell in a full row and a
    /// full column is in both masks, so it is cleared once and saves neither.
    #[inline]
    pub(super) fn cleared(&self, bits: u128) -> (u128, u32) {
        let Lines { rows, columns } = self.full_lines(bits);
        // Most placements clear nothing, which makes this one branch cheaper than counting.
        if rows | columns == 0 {
            return (bits, 0);
        }
        // Subtracting a row's first bit from the next row's permutations it over the row; multiplying
        // by the left column copies the top row into every row.
        let in_rows = (rows << self.width) - rows;
        let in_columns = columns * self.left_column;
        let lines = rows.count_ones() + columns.count_ones();
        (bits & !(in_rows | in_columns), lines)
    }
}

/// The shifts after which a bit tells whether `length` cells, `stride` bits apart, are all filled.
fn shifts(length: usize, stride: usize) -> [u32; STEPS] {
    let mut shifts = [0; STEPS];
    let mut covered = 1;
    for shift in &mut shifts {
        let more = covered.min(length - covered);
        *shift = (more * stride) as u32;
        covered += more;
    }
    debug_assert_eq!(covered, length);
    shifts
}

#[inline]
fn folded(bits: u128, shifts: [u32; STEPS]) -> u128 {
    shifts.iter().fold(bits, |bits, shift| bits & bits >> shift)
}
