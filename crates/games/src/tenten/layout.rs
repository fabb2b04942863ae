//! 1010! on small boards as a table of bit patterns: a board is its own place, and clearing has no
//! branch.

use crate::transition_model::Size;
use crate::{Real, RewardMixture, TransitionModel};
use afterstate_core::Index;

use super::board::Board;
use super::rules::{SIDES, TenTen};

/// No placement clears more lines than a board of this many cells has.
const MAX_LINES: usize = 16;

/// Bits of the first of the two tables by which a board is turned.
const LOW_BITS: usize = 15;

/// The size of a board, and what finding its full lines needs. A constant where it matters: then
/// the compiler knows every shift.
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

    /// The cells of lines whose first cells are given.
    #[inline(always)]
    fn lines(self, (rows, columns): (u32, u32)) -> u32 {
        rows.wrapping_mul(self.top_row) | columns.wrapping_mul(self.left_column)
    }

    /// How many lines these are. The first cells of the rows are summed up by one product.
    #[inline(always)]
    fn count(self, (rows, columns): (u32, u32)) -> usize {
        // No sum is carried into its neighbour: a row has three cells or more, room for seven.
        let rows = if self.height <= 7 {
            let last_row = self.width * (self.height - 1);
            (u64::from(rows) * u64::from(self.left_column)) >> last_row & u64::from(self.top_row)
        } else {
            u64::from(rows.count_ones())
        };
        rows as usize + usize::from(ONES[columns as usize % ONES.len()])
    }
}

/// How many bits of a short word are set: not every processor that this runs on can count them.
const ONES: [u8; 1 << *SIDES.end()] = {
    let mut ones = [0; 1 << *SIDES.end()];
    let mut word = 0;
    while word < ones.len() {
        ones[word] = word.count_ones() as u8;
        word += 1;
    }
    ones
};

/// A bit tells whether `length` cells, `stride` bits apart, are all filled.
#[inline(always)]
fn folded(bits: u32, length: u32, stride: u32) -> u32 {
    let (mut all, mut covered) = (bits, 1);
    // Doubling the length at each step, four steps reach every side up to 16.
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
    odds: f64,
}

impl Fit {
    /// Where the top-left corner of the piece's box may lie.
    #[inline(always)]
    fn origins(&self, empty: u32) -> u32 {
        self.cells.iter().fold(self.corners, |origins, cell| origins & empty >> cell)
    }
}

/// The boards of one set of rules, laid out by their bits.
pub struct BitTransitionModel {
    grid: Grid,
    fits: Vec<Fit>,
    /// Points for so many lines at once, without those for the piece's cells.
    points: [f32; MAX_LINES + 1],
    boards: Vec<u32>,
    size: Size,
    /// For each symmetry where the low and the high bits of a board go.
    turns: Vec<[Vec<u32>; 2]>,
}

impl BitTransitionModel {
    /// Lays out rules, or `None` if their boards have no numbers.
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
                odds: game.deal.odds(number as u8),
            }
        };
        let turn = |k: usize, low: usize, bits: usize| {
            let of_bit = |cell: usize| game.turned_board(k, Board::new(1 << (low + cell))).bits();
            let of_bits: Vec<u32> = (0..bits).map(|cell| of_bit(cell) as u32).collect();
            let sum = |board: u32| {
                let set = of_bits.iter().enumerate().filter(|(cell, _)| board >> cell & 1 == 1);
                set.fold(0, |all, (_, turned)| all | turned)
            };
            (0..1 << bits).map(sum).collect()
        };
        let low = cells.min(LOW_BITS);
        let turns = (0..game.turns.len()).map(|k| [turn(k, 0, low), turn(k, low, cells - low)]);
        let points = std::array::from_fn(|lines| game.scoring().points(0, lines as u32));
        let mut layout = BitTransitionModel {
            grid,
            fits: (0..game.pieces().len()).map(piece).collect(),
            points,
            boards: Vec::new(),
            size: Size::default(),
            turns: turns.collect(),
        };
        layout.find_boards();
        layout
    }

    /// Every board without a full line, one for all of its images, and how many there are in all.
    fn find_boards(&mut self) {
        let places = TransitionModel::<f32>::places(self) as u32;
        for board in 0..places {
            let (rows, columns) = self.grid.full(board);
            if rows | columns != 0 {
                continue;
            }
            let mut same = 1;
            let smallest = (1..self.turns.len()).all(|k| {
                let image = self.turned(k, board);
                same += u64::from(image == board);
                image >= board
            });
            if smallest {
                let images = self.turns.len() as u64 / same;
                let edges: u32 = self.fits.iter().map(|fit| fit.origins(!board).count_ones()).sum();
                self.size.boards += images;
                self.size.edges += images * u64::from(edges);
                self.boards.push(board);
            }
        }
        self.boards.shrink_to_fit();
    }

    #[inline(always)]
    fn turned(&self, k: usize, board: u32) -> u32 {
        let [low, high] = &self.turns[k];
        low[board as usize % low.len()] | high[board as usize / low.len() % high.len()]
    }

    #[inline(always)]
    fn gains(&self, reward: &RewardMixture) -> [f32; MAX_LINES + 1] {
        std::array::from_fn(|lines| {
            reward.score * self.points[lines] + reward.lines * (lines * lines) as f32
        })
    }

    #[inline(always)]
    fn best_of<T: Real, const LINES: bool, const CHOSEN: bool>(
        &self,
        grid: Grid,
        reward: &RewardMixture,
        boards: &[u32],
        worth: &[T::Cell],
        out: &mut [T],
        chosen: &mut [u32],
    ) {
        let gains = self.gains(reward).map(|gain| T::of(f64::from(gain)));
        for (number, (&board, out)) in boards.iter().zip(out).enumerate() {
            let (mut sum, mut policy) = (T::ZERO, 0u32);
            for fit in &self.fits {
                let mut origins = fit.origins(!board);
                if origins == 0 {
                    continue;
                }
                let (mut most, mut first) = (T::LEAST, 0);
                while origins != 0 {
                    let at = origins.trailing_zeros();
                    origins &= origins - 1;
                    let filled = board | fit.mask << at;
                    let full = grid.full(filled);
                    let mut value = T::load(&worth[(filled & !grid.lines(full)) as usize]);
                    if LINES {
                        value = gains[grid.count(full) % gains.len()] + value;
                    }
                    if value > most {
                        most = value;
                        first = at;
                    }
                }
                let own = reward.step + reward.score * fit.area;
                sum = sum + T::of(fit.odds) * (T::of(f64::from(own)) + most);
                if CHOSEN {
                    policy = policy.wrapping_mul(0x9e37_79b1).wrapping_add(first + 1);
                }
            }
            *out = sum;
            if CHOSEN {
                chosen[number] = policy;
            }
        }
    }

    #[inline(always)]
    fn deaths_of<T: Real>(&self, grid: Grid, boards: &[u32], deaths: &[T::Cell], out: &mut [T]) {
        for (&board, out) in boards.iter().zip(out) {
            let mut sum = T::ZERO;
            for fit in &self.fits {
                let mut origins = fit.origins(!board);
                let mut least = T::ONE;
                while origins != 0 {
                    let filled = board | fit.mask << origins.trailing_zeros();
                    origins &= origins - 1;
                    let left = filled & !grid.lines(grid.full(filled));
                    let value = T::load(&deaths[left as usize]);
                    least = if value < least { value } else { least };
                }
                sum = sum + T::of(fit.odds) * least;
            }
            *out = sum;
        }
    }
}

/// The same work with the size of the board as a constant, where that is known to pay.
macro_rules! with_grid {
    ($layout:expr, |$grid:ident| $work:expr) => {
        match ($layout.grid.width, $layout.grid.height) {
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
                let $grid = $layout.grid;
                $work
            }
        }
    };
}

impl<T: Real> TransitionModel<T> for BitTransitionModel {
    fn places(&self) -> usize {
        1 << (self.grid.width * self.grid.height)
    }

    fn boards(&self) -> &[u32] {
        &self.boards
    }

    fn size(&self) -> Size {
        self.size
    }

    fn best(
        &self,
        reward: &RewardMixture,
        boards: &[u32],
        worth: &[T::Cell],
        out: &mut [T],
        chosen: Option<&mut [u32]>,
    ) {
        let lines = reward.score != 0.0 || reward.lines != 0.0;
        with_grid!(self, |grid| match (lines, chosen) {
            (false, None) =>
                self.best_of::<T, false, false>(grid, reward, boards, worth, out, &mut []),
            (true, None) =>
                self.best_of::<T, true, false>(grid, reward, boards, worth, out, &mut []),
            (false, Some(chosen)) =>
                self.best_of::<T, false, true>(grid, reward, boards, worth, out, chosen),
            (true, Some(chosen)) =>
                self.best_of::<T, true, true>(grid, reward, boards, worth, out, chosen),
        });
    }

    fn deaths(&self, boards: &[u32], deaths: &[T::Cell], out: &mut [T]) {
        with_grid!(self, |grid| self.deaths_of(grid, boards, deaths, out));
    }

    fn spread(&self, boards: &[u32], values: &[T], table: &[T::Cell]) {
        for k in 0..self.turns.len() {
            for (&board, value) in boards.iter().zip(values) {
                value.store(&table[self.turned(k, board) as usize]);
            }
        }
    }

    fn moves(&self, reward: &RewardMixture, board: u32) -> T {
        if reward.moves == 0.0 {
            return T::ZERO;
        }
        let moves = |fit: &Fit| fit.odds * f64::from(fit.origins(!board).count_ones());
        T::of(f64::from(reward.moves) * self.fits.iter().map(moves).sum::<f64>())
    }

    fn alive(&self, board: u32) -> T {
        let fitting = self.fits.iter().filter(|fit| fit.origins(!board) != 0);
        // Without rounding where everything fits.
        let (count, odds) = fitting.fold((0, 0.0), |(n, sum), fit| (n + 1, sum + fit.odds));
        if count == self.fits.len() { T::ONE } else { T::of(odds) }
    }

    fn start_best(&self, reward: &RewardMixture, worth: &[T::Cell]) -> T {
        let mut out = [T::ZERO];
        self.best(reward, &[0], worth, &mut out, None);
        out[0]
    }

    fn start_deaths(&self, deaths: &[T::Cell]) -> T {
        let mut out = [T::ZERO];
        self.deaths(&[0], deaths, &mut out);
        out[0]
    }
}
