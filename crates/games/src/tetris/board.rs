//! `Board`: the well as one bitmap per column.

/// The largest number of columns of a well.
pub const MAX_COLUMNS: usize = 16;

/// The cells of the well: bit `r` of column `c` is row `r`, counted from the floor. Columns beyond
/// the width of the well are empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Board {
    pub(super) columns: [u32; MAX_COLUMNS],
}

impl Board {
    /// The bitmaps of all columns.
    #[inline]
    pub fn columns(&self) -> &[u32; MAX_COLUMNS] {
        &self.columns
    }

    /// Whether a cell is full; rows count from the floor.
    #[inline]
    pub fn get(&self, row: usize, column: usize) -> bool {
        self.columns[column] >> row & 1 != 0
    }

    /// The board with a cell filled.
    #[must_use]
    pub fn with(mut self, row: usize, column: usize) -> Board {
        self.columns[column] |= 1 << row;
        self
    }

    /// The height of a column.
    #[inline]
    pub fn height_of(&self, column: usize) -> usize {
        reach(self.columns[column])
    }

    /// The height of the highest column.
    #[inline]
    pub fn height(&self) -> usize {
        reach(self.columns.iter().fold(0, |all, column| all | column))
    }
}

/// The height of a column: one above its highest set bit.
#[inline]
pub(super) fn reach(column: u32) -> usize {
    (u32::BITS - column.leading_zeros()) as usize
}
