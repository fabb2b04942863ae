//! `Board`: the cells in one 128-bit word; `Grid`: a board size, with detection of full lines.

use std::fmt;

/// The filled cells: bit row * width + column, row 0 on top. The rules hold the size.
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

    /// The number of filled cells.
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

/// Each step doubles the length, so that four steps cover sides up to 16.
const STEPS: usize = 4;

/// The size of a board, with masks and shifts for its full lines.
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

    /// The board without its full lines, and their number. Rows and columns are detected before
    /// either is cleared.
    #[inline]
    pub(super) fn cleared(&self, bits: u128) -> (u128, u32) {
        let Lines { rows, columns } = self.full_lines(bits);
        // Most placements clear nothing, so this branch is predictable.
        if rows | columns == 0 {
            return (bits, 0);
        }
        // Subtracting the first bit of a row from that of the next row sets all bits of the row;
        // multiplying by the left column copies the top row into every row.
        let in_rows = (rows << self.width) - rows;
        let in_columns = columns * self.left_column;
        let lines = rows.count_ones() + columns.count_ones();
        (bits & !(in_rows | in_columns), lines)
    }
}

/// The shifts by which [`folded`] detects `length` filled cells that are `stride` bits apart.
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

/// ANDs a board with its shifts: a bit stays set if all cells of its line are filled.
#[inline]
fn folded(bits: u128, shifts: [u32; STEPS]) -> u128 {
    shifts.iter().fold(bits, |bits, shift| bits & bits >> shift)
}
