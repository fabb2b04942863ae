//! Runs, rectangles and connected parts of a board, by shifts over all of its cells at once.

use crate::tenten::board::Grid;

/// Statistics of the maximal runs of set cells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Runs {
    /// The number of cells in runs.
    pub(super) cells: u32,
    /// The sum of the squared lengths.
    pub(super) squares: u32,
    /// The largest length.
    pub(super) longest: u32,
}

impl Runs {
    /// The mean over all cells of the length of their run; 0 without runs.
    pub(super) fn mean(self) -> f32 {
        if self.cells == 0 { 0.0 } else { self.squares as f32 / self.cells as f32 }
    }
}

/// Shifts and masks over boards of one size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cellwise {
    width: usize,
    height: usize,
    all: u128,
    left: u128,
    right: u128,
    top: u128,
}

impl Cellwise {
    pub(super) fn new(grid: &Grid) -> Cellwise {
        let left = grid.left_column;
        Cellwise {
            width: grid.width,
            height: grid.height,
            all: (1 << grid.cells()) - 1,
            left,
            right: left << (grid.width - 1),
            top: grid.top_row,
        }
    }

    /// The cells that are not set.
    pub(super) fn others(&self, cells: u128) -> u128 {
        self.all & !cells
    }

    /// The right neighbour of each cell, in the position of the cell; 0 beyond the edge.
    fn right_of(&self, cells: u128) -> u128 {
        cells >> 1 & !self.right
    }

    fn left_of(&self, cells: u128) -> u128 {
        cells << 1 & self.all & !self.left
    }

    fn below(&self, cells: u128) -> u128 {
        cells >> self.width
    }

    fn above(&self, cells: u128) -> u128 {
        cells << self.width & self.all
    }

    /// The runs in rows.
    pub(super) fn across(&self, cells: u128) -> Runs {
        runs(cells, |cells| self.right_of(cells))
    }

    /// The runs in columns.
    pub(super) fn down(&self, cells: u128) -> Runs {
        runs(cells, |cells| self.below(cells))
    }

    /// The number of rows with only set cells.
    pub(super) fn whole_rows(&self, cells: u128) -> u32 {
        let rows =
            (0..self.height).filter(|row| (cells >> (row * self.width)) & self.top == self.top);
        rows.count() as u32
    }

    /// The number of columns with only set cells.
    pub(super) fn whole_columns(&self, cells: u128) -> u32 {
        let columns = (0..self.width).filter(|column| (cells >> column) & self.left == self.left);
        columns.count() as u32
    }

    /// The area of the largest square and of the largest rectangle of set cells.
    pub(super) fn largest(&self, cells: u128) -> (u32, u32) {
        let (mut square, mut rectangle) = (0, 0);
        // The corners of all rectangles of a width and height; the height grows by one row.
        let mut wide = cells;
        for width in 1..=self.width as u32 {
            let mut corners = wide;
            let mut height = 0;
            while corners != 0 {
                height += 1;
                rectangle = rectangle.max(width * height);
                if width == height {
                    square = width * width;
                }
                corners = wide & self.below(corners);
            }
            if height == 0 {
                break;
            }
            wide = cells & self.right_of(wide);
        }
        (square, rectangle)
    }

    /// The number of boxes of a size with only set cells.
    pub(super) fn boxes(&self, cells: u128, width: usize, height: usize) -> u32 {
        let wide = (1..width).fold(cells, |wide, _| cells & self.right_of(wide));
        let high = (1..height).fold(wide, |high, _| wide & self.below(high));
        high.count_ones()
    }

    /// The number of connected parts and the size of the largest; cells that share a side are
    /// connected.
    pub(super) fn parts(&self, cells: u128) -> (u32, u32) {
        let (mut left, mut count, mut largest) = (cells, 0, 0);
        while left != 0 {
            let mut part = left & left.wrapping_neg();
            loop {
                let along = self.left_of(part) | self.right_of(part);
                let grown = part | (along | self.above(part) | self.below(part)) & left;
                if grown == part {
                    break;
                }
                part = grown;
            }
            left &= !part;
            count += 1;
            largest = largest.max(part.count_ones());
        }
        (count, largest)
    }

    /// The number of sides between set and unset cells; the edge of the board counts as set.
    pub(super) fn perimeter(&self, cells: u128) -> u32 {
        let blank = self.others(cells);
        let neighbours = [
            self.left_of(cells) | self.left,
            self.right_of(cells) | self.right,
            self.above(cells) | self.top,
            self.below(cells) | self.all & !(self.all >> self.width),
        ];
        neighbours.iter().map(|neighbours| (neighbours & blank).count_ones()).sum()
    }
}

/// Each step removes the last cell of every run. A run of n cells adds n + (n - 1) + ... + 1 to the
/// sum of the remaining cells; twice that less n is n^2.
fn runs(cells: u128, next: impl Fn(u128) -> u128) -> Runs {
    let (mut left, mut longest, mut sum) = (cells, 0, 0);
    while left != 0 {
        longest += 1;
        sum += left.count_ones();
        left = cells & next(left);
        if longest > 128 {
            break;
        }
    }
    let cells = cells.count_ones();
    Runs { cells, squares: 2 * sum - cells, longest }
}
