//! Feature lookup of 2048: all symmetries of a tuple at once, by shifts over the images of a board.

use crate::cells::indices_of_moves;
use crate::{Cells, IndexPermutation, Replies, Tuples};
use afterstate_core::Symmetry;
use afterstate_core::policy::Choice;

use super::board::{STRIDE, transpose};
use super::outcomes::OutcomeTuples;
use super::{Board, Twenty48};
use crate::dihedral;
use crate::outcomes::{OutcomeIndices, Unchanged};

#[cfg(all(target_arch = "x86_64", not(portable)))]
use super::wide::WideTuples;

/// The largest number of values of a cell: larger tiles have the feature of 32,768.
const MAX_VALUES: u32 = 16;

/// Adjacent cells of a board that one shift and one mask move to their digits.
#[derive(Clone, Copy, Debug)]
struct Run {
    shift: u32,
    mask: u64,
}

/// The tuples of a network: the offset, permutation and runs of each.
#[derive(Clone, Debug)]
pub struct NibbleTuples {
    offsets: Vec<u32>,
    permutations: Vec<IndexPermutation>,
    /// The number of runs of each tuple; `runs` lists them tuple by tuple.
    counts: Vec<usize>,
    runs: Vec<Run>,
    /// The number of values of a digit of an index, and the largest value that the game has.
    values: u64,
    largest: u8,
    vectors: Vectors,
    outcomes: OutcomeTuples,
}

/// The instruction set of the lookup; all give the same indices.
#[derive(Clone, Debug)]
enum Vectors {
    /// The baseline of the target.
    Baseline,
    /// The same code, compiled for AVX2.
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    Avx2,
    /// AVX-512, one lane per symmetry.
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    Avx512(WideTuples),
}

impl Vectors {
    fn best(game: &Twenty48, tuples: &Tuples) -> Vectors {
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        {
            if let Some(wide) = WideTuples::new(game, tuples) {
                return Vectors::Avx512(wide);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
                return Vectors::Avx2;
            }
        }
        let _ = (game, tuples);
        Vectors::Baseline
    }
}

impl NibbleTuples {
    fn new(game: &Twenty48, tuples: &Tuples) -> NibbleTuples {
        let (mut counts, mut runs) = (Vec::new(), Vec::new());
        for tuple in tuples.cells() {
            let before = runs.len();
            // Cells are ascending, so every cell shifts down to its digit.
            for (digit, &cell) in tuple.iter().enumerate() {
                let nibble = STRIDE * (cell / game.width()) + cell % game.width();
                let (shift, mask) = (4 * (nibble - digit) as u32, 15 << (4 * digit));
                match runs[before..].last_mut() {
                    Some(Run { shift: same, mask: digits }) if *same == shift => *digits |= mask,
                    _ => runs.push(Run { shift, mask }),
                }
            }
            counts.push(runs.len() - before);
        }
        let offsets = tuples.offsets().iter().map(|&offset| offset as u32).collect();
        let permutations = tuples.permutations();
        let (values, largest) = (u64::from(tuples.values()), game.cell_values() as u8 - 1);
        let vectors = Vectors::best(game, tuples);
        let outcomes = OutcomeTuples::new(game, tuples);
        NibbleTuples { offsets, permutations, counts, runs, values, largest, vectors, outcomes }
    }

    /// The feature indices by the images of a board. The loop over the images is vectorised by the
    /// compiler.
    #[inline(always)]
    fn indices<const SYMMETRIES: usize>(&self, boards: &[u64; SYMMETRIES], out: &mut [u32]) {
        let (out, _) = out.as_chunks_mut::<SYMMETRIES>();
        let mut runs = self.runs.iter();
        let layout = self.offsets.iter().zip(&self.permutations);
        for ((&count, (&offset, permutation)), out) in self.counts.iter().zip(layout).zip(out) {
            let mut indices = [0; SYMMETRIES];
            for run in runs.by_ref().take(count) {
                for (index, board) in indices.iter_mut().zip(boards) {
                    *index |= board >> run.shift & run.mask;
                }
            }
            if self.values < u64::from(MAX_VALUES) {
                indices = indices.map(|nibbles| from_digits(nibbles, self.values));
            }
            *out = indices.map(|index| permutation.place(index as u32) + offset);
        }
    }
}

/// The number with these nibbles as digits to another base: combines neighbouring digits, then
/// pairs, fours and eights.
#[inline(always)]
fn from_digits(nibbles: u64, base: u64) -> u64 {
    let (two, four) = (base * base, base * base * base * base);
    let pairs = (nibbles & 0x0f0f_0f0f_0f0f_0f0f) + base * (nibbles >> 4 & 0x0f0f_0f0f_0f0f_0f0f);
    let fours = (pairs & 0x00ff_00ff_00ff_00ff) + two * (pairs >> 8 & 0x00ff_00ff_00ff_00ff);
    let eights = (fours & 0x0000_ffff_0000_ffff) + four * (fours >> 16 & 0x0000_ffff_0000_ffff);
    (eights & 0xffff_ffff) + four * four * (eights >> 32)
}

impl Twenty48 {
    /// The images of a board as tuples read them: nibble `p` of image `k` is the tile in the image
    /// of cell `p` under symmetry `k`.
    #[inline(always)]
    fn images(&self, tiles: u64) -> [u64; 8] {
        let narrow = 4 * (STRIDE - self.width()) as u32;
        let low = 4 * STRIDE as u32 * (STRIDE - self.height()) as u32;
        let mirrored = |x: u64| mirror(x) >> narrow;
        let flipped = |x: u64| flip(x) >> low;
        let (across, down) = (mirrored(tiles), flipped(tiles));
        let both = flipped(across);
        // Symmetry `k` maps cells, so the board is mapped by its inverse: the flip precedes the
        // transposition.
        let flips = [tiles, across, down, both];
        let transposed = flips.map(transpose);
        let [a, b, c, d] = flips;
        let [e, f, g, h] = transposed;
        [a, b, c, d, e, f, g, h]
    }
}

/// Flips all sixteen nibbles left to right.
#[inline(always)]
fn mirror(x: u64) -> u64 {
    let x = (x & 0x00ff_00ff_00ff_00ff) << 8 | (x >> 8) & 0x00ff_00ff_00ff_00ff;
    (x & 0x0f0f_0f0f_0f0f_0f0f) << 4 | (x >> 4) & 0x0f0f_0f0f_0f0f_0f0f
}

/// Flips all sixteen nibbles top to bottom.
#[inline(always)]
fn flip(x: u64) -> u64 {
    let x = x.rotate_left(32);
    (x & 0x0000_ffff_0000_ffff) << 16 | (x >> 16) & 0x0000_ffff_0000_ffff
}

impl Cells for Twenty48 {
    type Compiled = NibbleTuples;

    fn cell_count(&self) -> usize {
        self.width() * self.height()
    }

    fn cell_columns(&self) -> usize {
        self.width()
    }

    /// The sum of all tiles.
    fn progress(&self, after: &Board) -> u64 {
        after.sum()
    }

    /// An empty cell and every reachable tile: with n cells the largest is 2^(n + 1).
    fn cell_values(&self) -> u32 {
        (self.cell_count() as u32 + 2).min(MAX_VALUES)
    }

    fn cell(&self, after: &Board, cell: usize) -> u32 {
        u32::from(after.power(cell / self.width(), cell % self.width())).min(self.cell_values() - 1)
    }

    fn apply_symmetry_to_cell(&self, k: usize, cell: usize) -> usize {
        let place = (cell / self.width(), cell % self.width());
        let (row, column) = dihedral::place(k, self.width(), self.height(), place);
        row * self.width() + column
    }

    fn board_of(&self, state: &Board) -> Board {
        *state
    }

    fn compile(&self, tuples: &Tuples) -> NibbleTuples {
        NibbleTuples::new(self, tuples)
    }

    #[inline]
    fn indices(&self, compiled: &NibbleTuples, after: &Board, out: &mut [u32]) {
        match &compiled.vectors {
            #[cfg(all(target_arch = "x86_64", not(portable)))]
            Vectors::Avx512(wide) => wide.indices(after.capped(compiled.largest), out),
            #[cfg(all(target_arch = "x86_64", not(portable)))]
            // SAFETY: `Vectors::best` has detected these CPU features.
            #[allow(unsafe_code)]
            Vectors::Avx2 => unsafe { self.indices_avx2(compiled, *after, out) },
            Vectors::Baseline => self.indices_baseline(compiled, *after, out),
        }
    }

    #[inline]
    fn add_replies(&self, after: &Board, list: &mut Replies<Board>) {
        if self.add_packed_replies(after, list).is_none() {
            list.add(self, after);
        }
    }

    #[inline(always)]
    fn add_outcomes<'c>(
        &self,
        compiled: &'c NibbleTuples,
        after: &Board,
        list: &mut OutcomeIndices,
        prefetch: impl Fn(&[u32]),
    ) -> Option<&'c Unchanged> {
        let begin = list.afters.len();
        list.afters.resize(begin + compiled.outcomes.features(), 0);
        self.indices(compiled, after, &mut list.afters[begin..]);
        prefetch(&list.afters[begin..]);
        let tiles = after.capped(compiled.largest);
        Some(compiled.outcomes.add(self, after, tiles, list, prefetch))
    }

    #[inline(always)]
    fn indices_of_moves(
        &self,
        compiled: &NibbleTuples,
        moves: &[Choice<Self>],
        active_features: usize,
        out: &mut Vec<u32>,
    ) {
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        if let Vectors::Avx512(wide) = &compiled.vectors
            && wide.indices_of_moves(moves, active_features, out)
        {
            return;
        }
        indices_of_moves(self, compiled, moves, active_features, out);
    }
}

impl Twenty48 {
    /// The smallest image of some tiles as a number.
    #[inline]
    pub(super) fn smallest_image(&self, tiles: u64) -> u64 {
        let boards = self.images(tiles);
        boards[..self.symmetries()].iter().fold(tiles, |min, &board| min.min(board))
    }

    #[inline(always)]
    fn indices_baseline(&self, compiled: &NibbleTuples, after: Board, out: &mut [u32]) {
        let boards = self.images(after.capped(compiled.largest));
        match self.symmetries() {
            8 => compiled.indices(&boards, out),
            _ => compiled.indices(&[boards[0], boards[1], boards[2], boards[3]], out),
        }
    }

    #[cfg(all(target_arch = "x86_64", not(portable)))]
    #[target_feature(enable = "avx2,bmi2")]
    fn indices_avx2(&self, compiled: &NibbleTuples, after: Board, out: &mut [u32]) {
        self.indices_baseline(compiled, after, out);
    }
}

#[cfg(test)]
mod tests {
    use crate::ReferenceTuples;
    use afterstate_core::{Game, Rng};

    use super::*;

    /// Tuples of every length, on square and rectangular boards.
    fn samples() -> Vec<(Twenty48, Tuples)> {
        let lengths = |size: usize| (0..=size.min(6)).map(move |n| (size - n..size).collect());
        [(4, 4), (3, 3), (4, 2), (2, 4), (3, 4), (4, 3), (2, 3), (2, 2)]
            .into_iter()
            .map(|(width, height)| {
                let game = Twenty48::new(width, height, 0.1).unwrap();
                let mut cells: Vec<Vec<usize>> = lengths(width * height).collect();
                cells.push((0..width * height).step_by(3).collect());
                match width * height {
                    16 => cells.push(vec![0, 1, 2, 4, 5, 6, 9]),
                    9 => cells.extend([(0..8).collect(), (0..9).collect()]),
                    _ => {}
                }
                let tuples = Tuples::new(&game, &cells).unwrap();
                (game, tuples)
            })
            .chain([sixteen_values()])
            .collect()
    }

    fn sixteen_values() -> (Twenty48, Tuples) {
        let game = Twenty48::new(3, 3, 0.1).unwrap();
        let tuples = Tuples::with_values(&game, &[vec![0, 1, 2, 3], vec![1, 2, 4, 5, 7]], 16);
        (game, tuples.unwrap())
    }

    #[test]
    fn every_instruction_set_gives_the_same_indices() {
        for (game, tuples) in samples() {
            let best = NibbleTuples::new(&game, &tuples);
            let mut sets = vec![Vectors::Baseline];
            #[cfg(all(target_arch = "x86_64", not(portable)))]
            if !matches!(best.vectors, Vectors::Baseline) {
                sets.push(Vectors::Avx2);
            }
            let reference = ReferenceTuples::new(&game, &tuples);
            let mut indices = vec![0; tuples.active_features()];
            let mut expected = indices.clone();
            let mut rng = Rng::stream(1, 0);
            for _ in 0..120_000 {
                let mut board = game.start(&mut rng);
                for row in 0..game.height() {
                    for column in 0..game.width() {
                        board = board.with(row, column, rng.below(18) as u8);
                    }
                }
                game.indices(&best, &board, &mut indices);
                reference.indices(&game, &board, &mut expected);
                assert_eq!(indices, expected, "{board:?}");
                for vectors in &sets {
                    let other = NibbleTuples { vectors: vectors.clone(), ..best.clone() };
                    game.indices(&other, &board, &mut expected);
                    assert_eq!(indices, expected, "{board:?}");
                }
            }
        }
    }

    /// Boards with few and with all moves, and with tiles that are too large for the fast lookup.
    #[test]
    fn all_moves_at_once_have_the_indices_of_each() {
        for (game, tuples) in samples().into_iter().chain([even_number_of_tuples()]) {
            let compiled = NibbleTuples::new(&game, &tuples);
            let active_features = tuples.active_features();
            let (mut found, mut expected) = (Vec::new(), vec![0; active_features]);
            let mut rng = Rng::stream(2, 0);
            for number in 0..30_000 {
                let mut board = game.start(&mut rng);
                let largest = [3, 8, 16, 18][number % 4];
                for row in 0..game.height() {
                    for column in 0..game.width() {
                        board = board.with(row, column, rng.below(largest) as u8);
                    }
                }
                let mut moves = Vec::new();
                game.for_each_move(&board, |mv, step| moves.push((mv, step)));
                game.indices_of_moves(&compiled, &moves, active_features, &mut found);
                for (i, (_, step)) in moves.iter().enumerate() {
                    game.indices(&compiled, &step.after, &mut expected);
                    assert_eq!(found[i * active_features..][..active_features], expected);
                }
            }
        }
    }

    fn even_number_of_tuples() -> (Twenty48, Tuples) {
        let game = Twenty48::standard();
        let cells = ["012345", "456789", "012456", "0", "45689a", "0123456"];
        let cells = cells.map(|tuple| {
            tuple.chars().filter_map(|cell| Some(cell.to_digit(16)? as usize)).collect()
        });
        let tuples = Tuples::new(&game, &cells).unwrap();
        (game, tuples)
    }
}
