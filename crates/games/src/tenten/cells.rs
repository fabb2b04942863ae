//! 1010! for n-tuple networks: every cell of the board, full or empty, a row of a tuple at a time.

use afterstate_core::cells::Spread;
use afterstate_core::{Cells, Symmetry, Tuples};

use super::rules::SIDES;
use super::{After, Hand, State, TenTen};
use crate::dihedral;

/// Rows of the largest board, and some that are always empty: a number below it needs no check.
const ROWS: usize = 16;

/// Cells side by side in a row of the board, moved to their digits by two shifts and a mask.
#[derive(Clone, Copy, Debug)]
struct Run {
    row: u8,
    column: u8,
    mask: u32,
    digit: u8,
}

/// The tuples of a network: for each its offset and its runs.
#[derive(Clone, Debug)]
pub struct RowTuples {
    /// Where the weights of each tuple begin, and how they lie.
    placed: Vec<(u32, Spread)>,
    /// How many of `runs` belong to each tuple, one after the other.
    counts: Vec<usize>,
    runs: Vec<Run>,
}

impl RowTuples {
    fn new(game: &TenTen, tuples: &Tuples) -> RowTuples {
        let (mut counts, mut runs) = (Vec::new(), Vec::<Run>::new());
        for tuple in tuples.cells() {
            let before = runs.len();
            let mut last = None;
            for (digit, &cell) in tuple.iter().enumerate() {
                let (row, column) = ((cell / game.width()) as u8, (cell % game.width()) as u8);
                match runs[before..].last_mut() {
                    // The cells of a tuple ascend.
                    Some(run) if run.row == row && last == Some(cell) => {
                        run.mask = run.mask << 1 | 1;
                    }
                    _ => runs.push(Run { row, column, mask: 1, digit: digit as u8 }),
                }
                last = Some(cell + 1);
            }
            counts.push(runs.len() - before);
        }
        let offsets = tuples.offsets().into_iter().map(|offset| offset as u32);
        RowTuples { placed: offsets.zip(tuples.spreads()).collect(), counts, runs }
    }
}

impl TenTen {
    /// The rows of the board as symmetry `k` shows it to a tuple: the bit of cell `p` is the cell
    /// that stands where symmetry `k` puts `p`.
    #[inline]
    fn turned_rows(&self, k: usize, after: &After) -> [u16; ROWS] {
        let mut bits = self.turned_board(self.inverse(k), after.board).bits();
        let mut rows = [0; ROWS];
        for row in rows.iter_mut().take(self.height()) {
            *row = (bits & self.grid.top_row) as u16;
            bits >>= self.width();
        }
        rows
    }
}

const _: () = assert!(*SIDES.end() <= ROWS, "a row of the board for every row of a tuple");

impl Cells for TenTen {
    type Compiled = RowTuples;

    fn cell_count(&self) -> usize {
        self.cells()
    }

    fn cell_columns(&self) -> usize {
        self.width()
    }

    /// How many cells are full.
    fn progress(&self, after: &After) -> u64 {
        u64::from(after.board.count())
    }

    fn cell_bits(&self) -> u32 {
        1
    }

    fn cell(&self, after: &After, cell: usize) -> u32 {
        u32::from(after.board.get(cell))
    }

    fn turn_cell(&self, k: usize, cell: usize) -> usize {
        let place = (cell / self.width(), cell % self.width());
        let (row, column) =
            dihedral::place(self.turn_number(k), self.width(), self.height(), place);
        row * self.width() + column
    }

    fn board_of(&self, state: &State) -> After {
        After { board: state.board, hand: Hand::EMPTY }
    }

    fn compile(&self, tuples: &Tuples) -> RowTuples {
        RowTuples::new(self, tuples)
    }

    #[inline]
    fn lookups(&self, compiled: &RowTuples, after: &After, out: &mut [u32]) {
        let symmetries = self.symmetries();
        for k in 0..symmetries {
            let rows = self.turned_rows(k, after);
            let mut runs = compiled.runs.iter();
            let of_symmetry = out.iter_mut().skip(k).step_by(symmetries);
            let tuples = compiled.counts.iter().zip(&compiled.placed);
            for ((&count, &(offset, spread)), number) in tuples.zip(of_symmetry) {
                let mut digits = 0;
                for run in runs.by_ref().take(count) {
                    let row = u32::from(rows[usize::from(run.row) % ROWS]);
                    digits |= (row >> run.column & run.mask) << run.digit;
                }
                *number = offset + spread.place(digits);
            }
        }
    }
}
