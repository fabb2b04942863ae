//! 2048 for n-tuple networks: all active_features of a tuple at once, by shifts over the turned boards.

use crate::{Cells, IndexPermutation, Tuples};
use afterstate_core::Symmetry;

use super::board::{STRIDE, transpose};
use super::{Board, Twenty48};
use crate::dihedral;

#[cfg(target_arch = "x86_64")]
use super::wide::WideTuples;

/// The nibbles of a network's index end at 15: larger tiles are looked up as 32,768.
const MOST_VALUES: u32 = 16;

/// Cells side by side in the nibbles of a board, moved to their digits by one shift and one mask.
#[derive(Clone, Copy, Debug)]
struct Run {
    shift: u32,
    mask: u64,
}

/// The tuples of a network: for each its offset, its order and its runs.
#[derive(Clone, Debug)]
pub struct NibbleTuples {
    offsets: Vec<u32>,
    permutations: Vec<IndexPermutation>,
    /// How many of `runs` belong to each tuple, one after the other.
    counts: Vec<usize>,
    runs: Vec<Run>,
    /// How many values a digit of an index has, and the largest of them that the game has.
    values: u64,
    largest: u8,
    /// Which of the ways the processor has.
    vectors: Vectors,
}

/// The ways to find the numbers of the weights: all of them find the same.
#[derive(Clone, Debug)]
enum Vectors {
    /// With what every processor has.
    Plain,
    /// The same, compiled for AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// One lane of AVX-512 a symmetry.
    #[cfg(target_arch = "x86_64")]
    Avx512(WideTuples),
}

impl Vectors {
    fn best(game: &Twenty48, tuples: &Tuples) -> Vectors {
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(wide) = WideTuples::new(game, tuples) {
                return Vectors::Avx512(wide);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
                return Vectors::Avx2;
            }
        }
        let _ = (game, tuples);
        Vectors::Plain
    }
}

impl NibbleTuples {
    fn new(game: &Twenty48, tuples: &Tuples) -> NibbleTuples {
        let (mut counts, mut runs) = (Vec::new(), Vec::new());
        for tuple in tuples.cells() {
            let before = runs.len();
            // Cells ascend, so every cell moves down to its digit.
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
        NibbleTuples { offsets, permutations, counts, runs, values, largest, vectors }
    }

    /// The numbers of the weights: every run is moved to its digits on all turned boards at once,
    /// which the compiler does in vector registers.
    #[inline(always)]
    fn numbers<const SYMMETRIES: usize>(&self, boards: &[u64; SYMMETRIES], out: &mut [u32]) {
        let (out, _) = out.as_chunks_mut::<SYMMETRIES>();
        let mut runs = self.runs.iter();
        let placed = self.offsets.iter().zip(&self.permutations);
        for ((&count, (&offset, spread)), out) in self.counts.iter().zip(placed).zip(out) {
            let mut numbers = [0; SYMMETRIES];
            for run in runs.by_ref().take(count) {
                for (number, board) in numbers.iter_mut().zip(boards) {
                    *number |= board >> run.shift & run.mask;
                }
            }
            if self.values < u64::from(MOST_VALUES) {
                numbers = numbers.map(|nibbles| from_digits(nibbles, self.values));
            }
            *out = numbers.map(|number| spread.place(number as u32) + offset);
        }
    }
}

/// The number whose digits are nibbles, to another base than sixteen: neighbours are joined, then
/// pairs, fours and eights of them.
#[inline(always)]
fn from_digits(nibbles: u64, base: u64) -> u64 {
    let (two, four) = (base * base, base * base * base * base);
    let pairs = (nibbles & 0x0f0f_0f0f_0f0f_0f0f) + base * (nibbles >> 4 & 0x0f0f_0f0f_0f0f_0f0f);
    let fours = (pairs & 0x00ff_00ff_00ff_00ff) + two * (pairs >> 8 & 0x00ff_00ff_00ff_00ff);
    let eights = (fours & 0x0000_ffff_0000_ffff) + four * (fours >> 16 & 0x0000_ffff_0000_ffff);
    (eights & 0xffff_ffff) + four * four * (eights >> 32)
}

impl Twenty48 {
    /// The board as each symmetry shows it to a tuple: nibble `p` of board `k` is the tile that
    /// stands where symmetry `k` puts cell `p`.
    #[inline(always)]
    fn turned_boards(&self, tiles: u64) -> [u64; 8] {
        let narrow = 4 * (STRIDE - self.width()) as u32;
        let low = 4 * STRIDE as u32 * (STRIDE - self.height()) as u32;
        let mirrored = |x: u64| mirror(x) >> narrow;
        let flipped = |x: u64| flip(x) >> low;
        let (across, down) = (mirrored(tiles), flipped(tiles));
        let both = flipped(across);
        // Symmetry `k` turns the cells, so the board is turned the other way: where rows and
        // columns are exchanged, the mirror comes first.
        let plain = [tiles, across, down, both];
        let turned = plain.map(transpose);
        [plain[0], plain[1], plain[2], plain[3], turned[0], turned[1], turned[2], turned[3]]
    }
}

/// Left and right exchanged in all sixteen nibbles.
#[inline(always)]
fn mirror(x: u64) -> u64 {
    let x = (x & 0x00ff_00ff_00ff_00ff) << 8 | (x >> 8) & 0x00ff_00ff_00ff_00ff;
    (x & 0x0f0f_0f0f_0f0f_0f0f) << 4 | (x >> 4) & 0x0f0f_0f0f_0f0f_0f0f
}

/// Top and bottom exchanged in all sixteen nibbles.
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

    /// Nothing, and every tile that the board has room for: with n cells the largest is 2^(n + 1).
    fn cell_values(&self) -> u32 {
        (self.cell_count() as u32 + 2).min(MOST_VALUES)
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

    /// Tile downgrading (Guei et al. 2021): where a tile is at least `beyond`, all tiles above the
    /// largest missing one are halved, again and again. Equal tiles stay equal and different ones
    /// different, so the same slides are legal and merge the same cells. Without a missing tile
    /// below the largest there is nothing to make room.
    fn compile(&self, tuples: &Tuples) -> NibbleTuples {
        NibbleTuples::new(self, tuples)
    }

    #[inline]
    fn indices(&self, compiled: &NibbleTuples, after: &Board, out: &mut [u32]) {
        match &compiled.vectors {
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx512(wide) => wide.numbers(after.capped(compiled.largest), out),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Vectors::best` has asked the processor.
            #[allow(unsafe_code)]
            Vectors::Avx2 => unsafe { self.numbers_avx2(compiled, *after, out) },
            Vectors::Plain => self.numbers(compiled, *after, out),
        }
    }
}

impl Twenty48 {
    /// The smallest of all images of some tiles.
    #[inline]
    pub(super) fn smallest_image(&self, tiles: u64) -> u64 {
        let boards = self.turned_boards(tiles);
        boards[..self.symmetries()].iter().fold(tiles, |least, &board| least.min(board))
    }

    #[inline(always)]
    fn numbers(&self, compiled: &NibbleTuples, after: Board, out: &mut [u32]) {
        let boards = self.turned_boards(after.capped(compiled.largest));
        match self.symmetries() {
            8 => compiled.numbers(&boards, out),
            _ => compiled.numbers(&[boards[0], boards[1], boards[2], boards[3]], out),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi2")]
    fn numbers_avx2(&self, compiled: &NibbleTuples, after: Board, out: &mut [u32]) {
        self.numbers(compiled, after, out);
    }
}

#[cfg(test)]
mod tests {
    use crate::ReferenceTuples;
    use afterstate_core::{Game, Rng};

    use super::*;

    /// Tuples of every length up to the longest, on square and other boards.
    fn samples() -> Vec<(Twenty48, Tuples)> {
        let lengths = |size: usize| (0..=size.min(6)).map(move |n| (size - n..size).collect());
        [(4, 4), (3, 3), (4, 2), (2, 4), (3, 4), (2, 2)]
            .into_iter()
            .map(|(width, height)| {
                let game = Twenty48::new(width, height, 0.1).unwrap();
                let mut cells: Vec<Vec<usize>> = lengths(width * height).collect();
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
    fn every_way_finds_the_same_numbers() {
        for (game, tuples) in samples() {
            let best = NibbleTuples::new(&game, &tuples);
            let mut ways = vec![Vectors::Plain];
            #[cfg(target_arch = "x86_64")]
            if !matches!(best.vectors, Vectors::Plain) {
                ways.push(Vectors::Avx2);
            }
            let twin = ReferenceTuples::new(&game, &tuples);
            let mut numbers = vec![0; tuples.active_features()];
            let mut expected = numbers.clone();
            let mut rng = Rng::stream(1, 0);
            for _ in 0..100_000 {
                let mut board = game.start(&mut rng);
                for row in 0..game.height() {
                    for column in 0..game.width() {
                        board = board.with(row, column, rng.below(18) as u8);
                    }
                }
                game.indices(&best, &board, &mut numbers);
                twin.indices(&game, &board, &mut expected);
                assert_eq!(numbers, expected, "{board:?}");
                for way in &ways {
                    let plain = NibbleTuples { vectors: way.clone(), ..best.clone() };
                    game.indices(&plain, &board, &mut expected);
                    assert_eq!(numbers, expected, "{board:?}");
                }
            }
        }
    }
}
