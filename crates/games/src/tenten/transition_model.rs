//! The transition model of 1010! on small boards: the bits of a board are its index, and clearing
//! lines has no branch.

use crate::transition_model::Size;
use crate::{Real, RewardMixture, TransitionModel};
use afterstate_core::Index;

use super::board::Board;
use super::rules::{SIDES, TenTen};

/// An upper bound of the lines that a placement clears.
const MAX_LINES: usize = 16;

/// The index bits of the first of the two tables that map a board to its image.
const LOW_BITS: usize = 15;

/// The size of a board, with masks for its full lines. For common sizes a constant, so that the
/// compiler knows every shift.
#[derive(Clone, Copy, Debug)]
struct Grid {
    width: u32,
    height: u32,
    top_row: u32,
    left_column: u32,
}

impl Grid {
    const fn new(width: u32, height: u32) -> Grid {
        let (mut left_column, mut row) = (0, 0);
        while row < height {
            left_column |= 1 << (row * width);
            row += 1;
        }
        Grid { width, height, top_row: (1 << width) - 1, left_column }
    }

    /// The leftmost cells of the full rows and the topmost cells of the full columns.
    #[inline(always)]
    fn full(self, bits: u32) -> (u32, u32) {
        let (rows, columns) = (folded(bits, self.width, 1), folded(bits, self.height, self.width));
        (rows & self.left_column, columns & self.top_row)
    }

    /// The cells of the lines with these first cells.
    #[inline(always)]
    fn lines(self, (rows, columns): (u32, u32)) -> u32 {
        rows.wrapping_mul(self.top_row) | columns.wrapping_mul(self.left_column)
    }

    /// The number of lines with these first cells; one product sums the rows.
    #[inline(always)]
    fn count(self, (rows, columns): (u32, u32)) -> usize {
        // The sum does not carry: a row has at least three bits, enough for seven.
        let rows = if self.height <= 7 {
            let last_row = self.width * (self.height - 1);
            (u64::from(rows) * u64::from(self.left_column)) >> last_row & u64::from(self.top_row)
        } else {
            u64::from(rows.count_ones())
        };
        rows as usize + usize::from(ONES[columns as usize % ONES.len()])
    }
}

/// Population counts of short words, because the baseline instruction set has none.
const ONES: [u8; 1 << *SIDES.end()] = {
    let mut ones = [0; 1 << *SIDES.end()];
    let mut word = 0;
    while word < ones.len() {
        ones[word] = word.count_ones() as u8;
        word += 1;
    }
    ones
};

/// ANDs a board with its shifts: a bit stays set if the `length` cells from it on, `stride` bits
/// apart, are all filled.
#[inline(always)]
fn folded(bits: u32, length: u32, stride: u32) -> u32 {
    let (mut all, mut covered) = (bits, 1);
    // Each step doubles the length, so that four steps cover sides up to 16.
    let mut step = 0;
    while step < 4 {
        let more = if covered < length - covered { covered } else { length - covered };
        all &= all >> (more * stride);
        covered += more;
        step += 1;
    }
    all
}

/// A piece on the board.
#[derive(Clone, Debug)]
struct Fit {
    mask: u32,
    corners: u32,
    cells: Vec<u32>,
    area: f32,
    probability: f64,
}

impl Fit {
    /// All legal top-left corners of the piece's bounding box.
    #[inline(always)]
    fn origins(&self, empty: u32) -> u32 {
        self.cells.iter().fold(self.corners, |origins, cell| origins & empty >> cell)
    }
}

/// The transition model of one rules value, with boards indexed by their bits.
pub struct BitTransitionModel {
    grid: Grid,
    fits: Vec<Fit>,
    /// The points by the number of cleared lines, without those for the piece's cells.
    points: [f32; MAX_LINES + 1],
    boards: Vec<u32>,
    size: Size,
    /// The images of the low and of the high bits of a board under each symmetry.
    symmetry_tables: Vec<[Vec<u32>; 2]>,
}

impl BitTransitionModel {
    /// The model of rules; `None` if their boards have no index.
    pub fn of(game: &TenTen) -> Option<BitTransitionModel> {
        game.index_len().map(|_| BitTransitionModel::new(game))
    }

    fn new(game: &TenTen) -> BitTransitionModel {
        let grid = Grid::new(game.width() as u32, game.height() as u32);
        let cells = game.cells();
        let piece = |number: usize| {
            let shape = game.shape_of(number as u8);
            let bit = |&(row, column): &(usize, usize)| (row * game.width() + column) as u32;
            let cells: Vec<u32> = shape.cells().iter().map(bit).collect();
            Fit {
                mask: cells.iter().fold(0, |mask, cell| mask | 1 << cell),
                corners: game.origins(Board::EMPTY, number as u8) as u32,
                area: cells.len() as f32,
                cells,
                probability: game.distribution.probability(number as u8),
            }
        };
        let symmetry_table = |k: usize, low: usize, bits: usize| {
            let of_bit =
                |cell: usize| game.apply_symmetry_to_board(k, Board::new(1 << (low + cell))).bits();
            let of_bits: Vec<u32> = (0..bits).map(|cell| of_bit(cell) as u32).collect();
            let sum = |board: u32| {
                let set = of_bits.iter().enumerate().filter(|(cell, _)| board >> cell & 1 == 1);
                set.fold(0, |all, (_, image)| all | image)
            };
            (0..1 << bits).map(sum).collect()
        };
        let low = cells.min(LOW_BITS);
        let symmetry_tables = (0..game.board_symmetries.len())
            .map(|k| [symmetry_table(k, 0, low), symmetry_table(k, low, cells - low)]);
        let points = std::array::from_fn(|lines| game.scoring().points(0, lines as u32));
        let mut model = BitTransitionModel {
            grid,
            fits: (0..game.pieces().len()).map(piece).collect(),
            points,
            boards: Vec::new(),
            size: Size::default(),
            symmetry_tables: symmetry_tables.collect(),
        };
        model.find_boards();
        model
    }

    /// Finds the boards without a full line, one representative per symmetry class, and the size.
    fn find_boards(&mut self) {
        let table_len = TransitionModel::<f32>::table_len(self) as u32;
        for board in 0..table_len {
            let (rows, columns) = self.grid.full(board);
            if rows | columns != 0 {
                continue;
            }
            let mut same = 1;
            let smallest = (1..self.symmetry_tables.len()).all(|k| {
                let image = self.image(k, board);
                same += u64::from(image == board);
                image >= board
            });
            if smallest {
                let images = self.symmetry_tables.len() as u64 / same;
                let edges: u32 = self.fits.iter().map(|fit| fit.origins(!board).count_ones()).sum();
                self.size.boards += images;
                self.size.edges += images * u64::from(edges);
                self.boards.push(board);
            }
        }
        self.boards.shrink_to_fit();
    }

    #[inline(always)]
    fn image(&self, k: usize, board: u32) -> u32 {
        let [low, high] = &self.symmetry_tables[k];
        low[board as usize % low.len()] | high[board as usize / low.len() % high.len()]
    }

    /// The reward by the number of cleared lines.
    #[inline(always)]
    fn line_rewards(&self, reward: &RewardMixture) -> [f32; MAX_LINES + 1] {
        std::array::from_fn(|lines| {
            reward.score * self.points[lines] + reward.lines * (lines * lines) as f32
        })
    }

    #[inline(always)]
    fn backup<T: Real, const LINES: bool, const CHOSEN: bool>(
        &self,
        grid: Grid,
        reward: &RewardMixture,
        boards: &[u32],
        values: &[T::Cell],
        out: &mut [T],
        chosen: &mut [u32],
    ) {
        let line_rewards = self.line_rewards(reward).map(|reward| T::of(f64::from(reward)));
        for (number, (&board, out)) in boards.iter().zip(out).enumerate() {
            let (mut sum, mut policy) = (T::ZERO, 0u32);
            for fit in &self.fits {
                let mut origins = fit.origins(!board);
                if origins == 0 {
                    continue;
                }
                let (mut max, mut argmax) = (T::NEG_INFINITY, 0);
                while origins != 0 {
                    let at = origins.trailing_zeros();
                    origins &= origins - 1;
                    let filled = board | fit.mask << at;
                    let full = grid.full(filled);
                    let mut value = T::load(&values[(filled & !grid.lines(full)) as usize]);
                    if LINES {
                        value = line_rewards[grid.count(full) % line_rewards.len()] + value;
                    }
                    if value > max {
                        max = value;
                        argmax = at;
                    }
                }
                let own = reward.step + reward.score * fit.area;
                sum = sum + T::of(fit.probability) * (T::of(f64::from(own)) + max);
                if CHOSEN {
                    policy = policy.wrapping_mul(0x9e37_79b1).wrapping_add(argmax + 1);
                }
            }
            *out = sum;
            if CHOSEN {
                chosen[number] = policy;
            }
        }
    }

    #[inline(always)]
    fn death_backup<T: Real>(&self, grid: Grid, boards: &[u32], deaths: &[T::Cell], out: &mut [T]) {
        for (&board, out) in boards.iter().zip(out) {
            let mut sum = T::ZERO;
            for fit in &self.fits {
                let mut origins = fit.origins(!board);
                let mut min = T::ONE;
                while origins != 0 {
                    let filled = board | fit.mask << origins.trailing_zeros();
                    origins &= origins - 1;
                    let left = filled & !grid.lines(grid.full(filled));
                    let value = T::load(&deaths[left as usize]);
                    min = if value < min { value } else { min };
                }
                sum = sum + T::of(fit.probability) * min;
            }
            *out = sum;
        }
    }
}

/// Calls code with the board size as a constant, for sizes where that is faster.
macro_rules! with_grid {
    ($model:expr, |$grid:ident| $work:expr) => {
        match ($model.grid.width, $model.grid.height) {
            (4, 4) => {
                let $grid = const { Grid::new(4, 4) };
                $work
            }
            (5, 5) => {
                let $grid = const { Grid::new(5, 5) };
                $work
            }
            (5, 6) => {
                let $grid = const { Grid::new(5, 6) };
                $work
            }
            _ => {
                let $grid = $model.grid;
                $work
            }
        }
    };
}

impl<T: Real> TransitionModel<T> for BitTransitionModel {
    fn table_len(&self) -> usize {
        1 << (self.grid.width * self.grid.height)
    }

    fn boards(&self) -> &[u32] {
        &self.boards
    }

    fn size(&self) -> Size {
        self.size
    }

    fn bellman_backup(
        &self,
        reward: &RewardMixture,
        boards: &[u32],
        values: &[T::Cell],
        out: &mut [T],
        chosen: Option<&mut [u32]>,
    ) {
        let lines = reward.score != 0.0 || reward.lines != 0.0;
        with_grid!(self, |grid| match (lines, chosen) {
            (false, None) =>
                self.backup::<T, false, false>(grid, reward, boards, values, out, &mut []),
            (true, None) =>
                self.backup::<T, true, false>(grid, reward, boards, values, out, &mut []),
            (false, Some(chosen)) =>
                self.backup::<T, false, true>(grid, reward, boards, values, out, chosen),
            (true, Some(chosen)) =>
                self.backup::<T, true, true>(grid, reward, boards, values, out, chosen),
        });
    }

    fn min_death_probability(&self, boards: &[u32], deaths: &[T::Cell], out: &mut [T]) {
        with_grid!(self, |grid| self.death_backup(grid, boards, deaths, out));
    }

    fn write_to_images(&self, boards: &[u32], values: &[T], table: &[T::Cell]) {
        for k in 0..self.symmetry_tables.len() {
            for (&board, value) in boards.iter().zip(values) {
                value.store(&table[self.image(k, board) as usize]);
            }
        }
    }

    fn expected_moves(&self, reward: &RewardMixture, board: u32) -> T {
        if reward.moves == 0.0 {
            return T::ZERO;
        }
        let moves = |fit: &Fit| fit.probability * f64::from(fit.origins(!board).count_ones());
        T::of(f64::from(reward.moves) * self.fits.iter().map(moves).sum::<f64>())
    }

    fn survival_probability(&self, board: u32) -> T {
        let fitting = self.fits.iter().filter(|fit| fit.origins(!board) != 0);
        // Exactly one if every piece fits.
        let (count, probability) =
            fitting.fold((0, 0.0), |(n, sum), fit| (n + 1, sum + fit.probability));
        if count == self.fits.len() { T::ONE } else { T::of(probability) }
    }

    fn start_value(&self, reward: &RewardMixture, values: &[T::Cell]) -> T {
        let mut out = [T::ZERO];
        self.bellman_backup(reward, &[0], values, &mut out, None);
        out[0]
    }

    fn start_death_probability(&self, deaths: &[T::Cell]) -> T {
        let mut out = [T::ZERO];
        self.min_death_probability(&[0], deaths, &mut out);
        out[0]
    }
}
