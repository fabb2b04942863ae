//! Runs, rectangles and connected parts of a board, by shifts over all of its cells at once.

use crate::tenten::board::Grid;

/// Sums over the longest runs of set bits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Runs {
    /// Cells in all of them.
    pub(super) cells: u32,
    /// The squares of their lengths: the length of its run, added up over every cell.
    pub(super) squares: u32,
    /// Cells of the longest.
    pub(super) longest: u32,
}

impl Runs {
    /// The length of the run that a cell lies in, on average over all cells in runs; nothing where
    /// there is none.
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

    /// Each cell's right neighbour, in the cell's place; nothing beyond the edge.
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

    /// How many rows have only set cells.
    pub(super) fn whole_rows(&self, cells: u128) -> u32 {
        let rows =
            (0..self.height).filter(|row| (cells >> (row * self.width)) & self.top == self.top);
        rows.count() as u32
    }

    /// How many columns have only set cells.
    pub(super) fn whole_columns(&self, cells: u128) -> u32 {
        let columns = (0..self.width).filter(|column| (cells >> column) & self.left == self.left);
        columns.count() as u32
    }

    /// The area of the largest square and of the largest rectangle of set cells.
    pub(super) fn largest(&self, cells: u128) -> (u32, u32) {
        let (mut square, mut rectangle) = (0, 0);
        // The corners of all rectangles of a width and height, one row more at a time.
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

    /// How many boxes of a size have only set cells.
    pub(super) fn boxes(&self, cells: u128, width: usize, height: usize) -> u32 {
        let wide = (1..width).fold(cells, |wide, _| cells & self.right_of(wide));
        let high = (1..height).fold(wide, |high, _| wide & self.below(high));
        high.count_ones()
    }

    /// How many connected parts there are, and the cells of the largest; cells that share a side
    /// are connected.
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

    /// The sides between a set cell and one that is not; the edge of the board counts as set.
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

/// Every run loses its last cell at each step, so that those left tell its length: a run of
/// n adds n + (n - 1) + ... + 1 to their sum, of which n^2 is twice, less n.
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
