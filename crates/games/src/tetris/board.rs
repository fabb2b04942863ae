//! `Board`: the well as a bitmap a column.

/// The widest well.
pub const MOST_COLUMNS: usize = 16;

/// The cells of the well: bit `r` of column `c` is row `r`, counted from the floor. Columns beyond
/// the width of the well are empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Board {
    pub(super) columns: [u32; MOST_COLUMNS],
}

impl Board {
    /// The bitmaps of all columns.
    #[inline]
    pub fn columns(&self) -> &[u32; MOST_COLUMNS] {
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

    /// How high the cells of a column reach.
    #[inline]
    pub fn height_of(&self, column: usize) -> usize {
        reach(self.columns[column])
    }

    /// How high the highest column reaches.
    #[inline]
    pub fn height(&self) -> usize {
        reach(self.columns.iter().fold(0, |all, column| all | column))
    }
}

/// One above the highest bit that is set.
#[inline]
pub(super) fn reach(column: u32) -> usize {
    (u32::BITS - column.leading_zeros()) as usize
}
