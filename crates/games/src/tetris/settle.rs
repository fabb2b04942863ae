//! Drops: the resting row of a piece, clearing of full rows, and the rule for the top of the well.

use super::board::{Board, MAX_COLUMNS, reach};
use super::form::Stamp;

/// The rule for a piece that rests partly above the top of the well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// The game is lost, even if the piece would have cleared rows: the simplified rule of
    /// Bertsekas, of Thiery & Scherrer and of the CS3243 skeleton.
    #[default]
    Lose,
    /// Full rows clear first; the game is lost if a cell is still above the top.
    ClearFirst,
    /// Never lost: full rows clear, then the lowest rows are pushed out of the well until the
    /// others fit (Melax's endless well).
    Push,
}

/// A board after a drop, with the number of rows cleared and pushed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settled {
    pub(super) board: Board,
    pub(super) cleared: u32,
    pub(super) pushed: u32,
}

/// The two features of a drop that depend on the move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Landing {
    /// Twice the landing height: the sum of the piece's lowest and highest row, counted from 0.
    pub(super) doubled_height: u32,
    /// The eroded cells: rows cleared times cells of the piece among them.
    pub(super) eroded: u32,
}

/// A well: its size and the rule for its top.
#[derive(Clone, Debug)]
pub(super) struct Well {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) overflow: Overflow,
    /// Full columns to the right of the well, so that a row is full if all sixteen columns are.
    walls: [u32; MAX_COLUMNS],
}

impl Well {
    pub(super) fn new(width: usize, height: usize, overflow: Overflow) -> Well {
        let walls = std::array::from_fn(|column| if column < width { 0 } else { u32::MAX });
        Well { width, height, overflow, walls }
    }

    /// The full rows as a bitmap.
    #[inline]
    pub(super) fn full_rows(&self, board: &Board) -> u32 {
        let columns = board.columns.iter().zip(&self.walls);
        columns.fold(u32::MAX, |full, (column, wall)| full & (column | wall))
    }

    /// The reward of a drop.
    #[inline]
    pub(super) fn reward(&self, cleared: u32, pushed: u32) -> f32 {
        match self.overflow {
            Overflow::Lose | Overflow::ClearFirst => cleared as f32,
            Overflow::Push => 0.0 - pushed as f32,
        }
    }

    /// Drops a piece; `None` if that loses the game.
    #[inline(always)]
    pub(super) fn drop(&self, board: &Board, piece: &Stamp) -> Option<Settled> {
        let floor = resting_row(board, piece);
        if floor + piece.height > self.height {
            return self.drop_above_the_top(board, piece, floor);
        }
        let mut board = *board;
        for (column, cells) in board.columns.iter_mut().zip(&piece.cells) {
            *column |= cells << floor;
        }
        let full = self.full_rows(&board);
        if full != 0 {
            for column in &mut board.columns {
                *column = without_rows(*column, full);
            }
        }
        Some(Settled { board, cleared: full.count_ones(), pushed: 0 })
    }

    /// Landing height and eroded cells, by the board before the drop.
    #[inline]
    pub(super) fn landing(&self, board: &Board, piece: &Stamp) -> Landing {
        let floor = resting_row(board, piece);
        let own = |column: usize| u64::from(piece.cells[column]) << floor;
        let full = |all, column| all & (u64::from(board.columns[column]) | own(column));
        let full = (0..self.width).fold(u64::MAX, full);
        let mut cleared_cells = 0;
        if full != 0 {
            cleared_cells = (0..self.width).map(|column| (own(column) & full).count_ones()).sum();
        }
        let doubled_height = (2 * floor + piece.height - 1) as u32;
        Landing { doubled_height, eroded: full.count_ones() * cleared_cells }
    }

    /// Whether a drop of the piece is legal: it does not lose the game.
    #[inline]
    pub(super) fn allows(&self, board: &Board, piece: &Stamp) -> bool {
        match self.overflow {
            Overflow::Lose => resting_row(board, piece) + piece.height <= self.height,
            Overflow::ClearFirst | Overflow::Push => self.drop(board, piece).is_some(),
        }
    }

    /// The same drop with 64-bit columns, for the two rules that allow cells above the top.
    #[cold]
    fn drop_above_the_top(&self, board: &Board, piece: &Stamp, floor: usize) -> Option<Settled> {
        if self.overflow == Overflow::Lose {
            return None;
        }
        let mut columns = board.columns.map(u64::from);
        for (column, &cells) in columns.iter_mut().zip(&piece.cells) {
            *column |= u64::from(cells) << floor;
        }
        let in_well = &columns[..self.width];
        let mut full = in_well.iter().fold(u64::MAX, |full, column| full & column);
        let cleared = full.count_ones();
        while full != 0 {
            let below = (1 << (u64::BITS - 1 - full.leading_zeros())) - 1;
            columns = columns.map(|column| column & below | column >> 1 & !below);
            full &= below;
        }
        let all = columns.iter().fold(0, |all, column| all | column);
        let top = (u64::BITS - all.leading_zeros()) as usize;
        let above = top.saturating_sub(self.height);
        if above > 0 && self.overflow == Overflow::ClearFirst {
            return None;
        }
        let board = Board { columns: columns.map(|column| (column >> above) as u32) };
        Some(Settled { board, cleared, pushed: above as u32 })
    }
}

/// The resting row of a piece: the row of its lowest cell.
#[inline]
pub(super) fn resting_row(board: &Board, piece: &Stamp) -> usize {
    let left = usize::from(piece.mv.column);
    let columns = &board.columns[left..left + piece.width];
    let rests = columns.iter().zip(&piece.bottoms);
    rests.map(|(&cells, bottom)| reach(cells).saturating_sub(*bottom)).max().unwrap_or(0)
}

/// The number of empty cells between a resting piece and the cells below it.
#[inline]
pub(super) fn covered(board: &Board, piece: &Stamp) -> u32 {
    let floor = resting_row(board, piece);
    let left = usize::from(piece.mv.column);
    let columns = &board.columns[left..left + piece.width];
    let gaps = columns.iter().zip(&piece.bottoms);
    // Columns without a cell of the piece are not covered.
    let gaps = gaps.filter(|(_, bottom)| **bottom != usize::MAX);
    gaps.map(|(&cells, bottom)| (floor + bottom - reach(cells)) as u32).sum()
}

/// Removes some rows of a column; the cells above them move down.
#[inline]
pub(super) fn without_rows(mut column: u32, mut rows: u32) -> u32 {
    // From the top down, so that the remaining rows keep their positions.
    while rows != 0 {
        let below = (1 << (u32::BITS - 1 - rows.leading_zeros())) - 1;
        column = column & below | column >> 1 & !below;
        rows &= below;
    }
    column
}
