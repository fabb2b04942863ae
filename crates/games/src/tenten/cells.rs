//! Feature lookup of 1010!: one row of a tuple at a time, in all eight symmetries at once.

use crate::tuples::IndexPermutation;
use crate::{Cells, Change, Tuples};
use afterstate_core::policy::Choice;
use afterstate_core::{Game, Symmetry};

use super::changes::Changes;
use super::rules::SIDES;
use super::{After, Hand, State, TenTen};
use crate::dihedral;

/// The number of rows, padded to a power of two so that a masked index needs no bounds check.
const ROWS: usize = 16;

/// Adjacent cells of a row that two shifts and a mask move to their digits.
#[derive(Clone, Copy, Debug)]
struct Run {
    row: u8,
    column: u8,
    mask: u32,
    digit: u8,
}

/// The tuples of a network: the offset, permutation and runs of each.
#[derive(Clone, Debug)]
pub struct RowTuples {
    /// The offset and permutation of the weights of each tuple.
    layout: Vec<(u32, IndexPermutation)>,
    /// The number of runs of each tuple; `runs` lists them tuple by tuple.
    counts: Vec<usize>,
    runs: Vec<Run>,
    /// The image of the board that each symmetry reads; `None` unless there are eight symmetries.
    images: Option<[usize; EIGHT]>,
    /// What placements change, for networks of the usual sizes.
    changes: Option<Changes>,
    /// Whether the CPU has AVX2.
    #[cfg_attr(
        not(all(target_arch = "x86_64", not(portable))),
        allow(dead_code, reason = "only AVX reads it")
    )]
    wide: bool,
}

/// The number of symmetries of a square.
const EIGHT: usize = 8;

/// A row of the board in each of its eight images.
type Lanes = [u32; EIGHT];

impl RowTuples {
    fn new(game: &TenTen, tuples: &Tuples) -> RowTuples {
        let (mut counts, mut runs) = (Vec::new(), Vec::<Run>::new());
        for tuple in tuples.cells() {
            let before = runs.len();
            let mut last = None;
            for (digit, &cell) in tuple.iter().enumerate() {
                let (row, column) = ((cell / game.width()) as u8, (cell % game.width()) as u8);
                match runs[before..].last_mut() {
                    // The cells of a tuple are ascending.
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
        let layout = offsets.zip(tuples.permutations()).collect();
        let all: Vec<usize> =
            (0..game.symmetries()).map(|k| game.dihedral_number(game.inverse(k))).collect();
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        let wide = is_x86_feature_detected!("avx2");
        #[cfg(not(all(target_arch = "x86_64", not(portable))))]
        let wide = false;
        let changes = Changes::new(game, tuples);
        RowTuples { layout, counts, runs, images: all.try_into().ok(), changes, wide }
    }

    /// The feature indices, tuple by tuple. The loop over the images is vectorised by the compiler.
    #[inline(always)]
    fn indices(&self, rows: &[Lanes; ROWS], out: &mut [u32]) {
        let (out, _) = out.as_chunks_mut::<EIGHT>();
        let mut runs = self.runs.iter();
        let tuples = self.counts.iter().zip(&self.layout);
        for ((&count, &(offset, permutation)), out) in tuples.zip(out) {
            let mut digits: Lanes = [0; EIGHT];
            for run in runs.by_ref().take(count) {
                let row = &rows[usize::from(run.row) % ROWS];
                for (digits, row) in digits.iter_mut().zip(row) {
                    *digits |= (row >> run.column & run.mask) << run.digit;
                }
            }
            *out = digits.map(|digits| offset + permutation.place(digits));
        }
    }

    #[cfg(all(target_arch = "x86_64", not(portable)))]
    #[target_feature(enable = "avx2")]
    fn indices_avx2(&self, rows: &[Lanes; ROWS], out: &mut [u32]) {
        self.indices(rows, out);
    }
}

impl TenTen {
    /// The rows of the image of a board as tuples read it: the bit of cell `p` is the cell in the
    /// image of `p` under symmetry `k`.
    #[inline]
    fn image_rows(&self, k: usize, after: &After) -> [u16; ROWS] {
        let mut bits = self.apply_symmetry_to_board(self.inverse(k), after.board).bits();
        let mut rows = [0; ROWS];
        for row in rows.iter_mut().take(self.height()) {
            *row = (bits & self.grid.top_row) as u16;
            bits >>= self.width();
        }
        rows
    }

    /// The rows of all eight images of a square board, as [`TenTen::image_rows`] for each.
    #[inline]
    fn rows_of_images(&self, images: &[usize; EIGHT], after: &After) -> [Lanes; ROWS] {
        let (side, bits) = (self.height(), after.board.bits());
        // The board and its transposition, each also rotated by 180 degrees.
        let mut halves = [[[0; ROWS]; 2]; 2];
        for (bits, halves) in [bits, self.transposed_bits(bits)].into_iter().zip(&mut halves) {
            let rotated = bits.reverse_bits() >> (128 - self.cells());
            for (mut bits, rows) in [bits, rotated].into_iter().zip(halves) {
                for row in rows.iter_mut().take(side) {
                    *row = (bits & self.grid.top_row) as u32;
                    bits >>= self.width();
                }
            }
        }
        let mut lanes = [[0; EIGHT]; ROWS];
        for (lane, &image) in images.iter().enumerate() {
            let (transpose, upside_down, mirror) = (image >> 2 & 1, image >> 1 & 1, image & 1);
            // The rotation is both flips, so one flip is the rotation and the other flip.
            let rows = &halves[transpose][mirror];
            let reversed = upside_down != mirror;
            for row in 0..side {
                let from = if reversed { side - 1 - row } else { row };
                lanes[row % ROWS][lane] = rows[from % ROWS];
            }
        }
        lanes
    }

    /// One symmetry at a time: for rules with fewer than eight, and as reference implementation.
    fn indices_by_symmetry(&self, compiled: &RowTuples, after: &After, out: &mut [u32]) {
        let symmetries = self.symmetries();
        for k in 0..symmetries {
            let rows = self.image_rows(k, after);
            let mut runs = compiled.runs.iter();
            let of_symmetry = out.iter_mut().skip(k).step_by(symmetries);
            let tuples = compiled.counts.iter().zip(&compiled.layout);
            for ((&count, &(offset, permutation)), index) in tuples.zip(of_symmetry) {
                let mut digits = 0;
                for run in runs.by_ref().take(count) {
                    let row = u32::from(rows[usize::from(run.row) % ROWS]);
                    digits |= (row >> run.column & run.mask) << run.digit;
                }
                *index = offset + permutation.place(digits);
            }
        }
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

    /// The number of filled cells.
    fn progress(&self, after: &After) -> u64 {
        u64::from(after.board.count())
    }

    fn cell_values(&self) -> u32 {
        2
    }

    fn cell(&self, after: &After, cell: usize) -> u32 {
        u32::from(after.board.get(cell))
    }

    /// Eight cells at a time: each byte of a product keeps one bit, which becomes 0 or 1.
    fn append_cells(&self, after: &After, out: &mut Vec<u8>) {
        let cells = after.board.bits().to_le_bytes();
        let end = out.len() + self.cells();
        for bits in cells.into_iter().take(self.cells().div_ceil(8)) {
            let kept = (u64::from(bits) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
            let values = ((kept + 0x7F7F_7F7F_7F7F_7F7F) >> 7) & 0x0101_0101_0101_0101;
            out.extend_from_slice(&values.to_le_bytes());
        }
        out.truncate(end);
    }

    fn apply_symmetry_to_cell(&self, k: usize, cell: usize) -> usize {
        let place = (cell / self.width(), cell % self.width());
        let (row, column) =
            dihedral::place(self.dihedral_number(k), self.width(), self.height(), place);
        row * self.width() + column
    }

    fn board_of(&self, state: &State) -> After {
        After { board: state.board, hand: Hand::EMPTY }
    }

    fn compile(&self, tuples: &Tuples) -> RowTuples {
        RowTuples::new(self, tuples)
    }

    #[inline]
    fn indices(&self, compiled: &RowTuples, after: &After, out: &mut [u32]) {
        let Some(images) = &compiled.images else {
            return self.indices_by_symmetry(compiled, after, out);
        };
        let rows = self.rows_of_images(images, after);
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        if compiled.wide {
            // SAFETY: `RowTuples::new` has detected AVX2.
            #[allow(unsafe_code)]
            return unsafe { compiled.indices_avx2(&rows, out) };
        }
        compiled.indices(&rows, out);
    }

    fn has_changes(compiled: &RowTuples) -> bool {
        compiled.changes.is_some()
    }

    #[inline]
    fn changes<'c>(
        &self,
        compiled: &'c RowTuples,
        state: &State,
        &(mv, step): &Choice<TenTen>,
    ) -> Option<&'c [Change]> {
        // A placement that clears lines changes most features.
        let only_fills = step.after.board.bits() == state.board.bits() | self.filled(mv);
        if only_fills { compiled.changes.as_ref()?.of(self.action_number(mv)) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use crate::ReferenceTuples;
    use afterstate_core::Rng;

    use super::*;

    #[test]
    fn every_implementation_gives_the_same_indices() {
        let mut eight = 0;
        for spec in ["10x10", "4x4", "3x3,pieces=3", "5x6,pieces=7", "7x7,pieces=18", "7x9"] {
            let game: TenTen = crate::spec::parse_rules(&format!("1010:{spec}")).unwrap();
            let (width, cells) = (game.width(), game.cells());
            let square = (0..3).flat_map(|row| (0..3).map(move |column| row * width + column));
            let lines: Vec<Vec<usize>> = vec![
                (0..width).collect(),
                (1..cells).step_by(width).collect(),
                square.collect(),
                (0..cells).step_by(cells / 3).collect(),
                (0..cells).filter(|cell| cell % 5 < 2).take(12).collect(),
                (cells - width..cells).collect(),
                vec![cells - 1, 1],
                vec![cells / 2],
                // Large enough for its weights to be permuted.
                (0..cells).step_by(cells.div_ceil(17)).collect(),
            ];
            let tuples = Tuples::new(&game, &lines).unwrap();
            let best = RowTuples::new(&game, &tuples);
            let baseline = RowTuples { wide: false, ..best.clone() };
            eight += usize::from(best.images.is_some());
            let reference = ReferenceTuples::new(&game, &tuples);
            let mut indices = [(); 4].map(|()| vec![0; tuples.active_features()]);
            let mut rng = Rng::stream(1, 0);
            for _ in 0..200_000 {
                let mut bits = 0;
                (0..cells).for_each(|cell| bits |= (rng.below(2) as u128) << cell);
                let board = crate::tenten::Board::new(bits);
                let after = After { board, hand: Hand::EMPTY };
                let [a, b, c, d] = &mut indices;
                game.indices(&best, &after, a);
                game.indices(&baseline, &after, b);
                game.indices_by_symmetry(&best, &after, c);
                reference.indices(&game, &after, d);
                assert!(a == b && a == c && a == d, "{spec}: {board:?}");
            }
        }
        assert!(eight >= 3, "most boards are squares");
    }
}
