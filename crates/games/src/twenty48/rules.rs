//! `Twenty48`: the rules of 2048 on boards from 2x2 to 4x4.

use std::hint::select_unpredictable;
use std::ops::ControlFlow;

use afterstate_core::{Game, Illegal, Rng, Step};
use serde::Serialize;

use super::board::{Board, STRIDE, count_cells, nth_cell, transpose};
use super::rows::{RowTable, TOO_BIG, row_table, slide};
use crate::RulesError;

/// The direction in which all tiles slide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Slide {
    /// Towards the first row.
    Up,
    /// Towards the last column.
    Right,
    /// Towards the last row.
    Down,
    /// Towards the first column.
    Left,
}

impl Slide {
    /// All four, in the order of [`Game::try_moves`].
    pub const ALL: [Slide; 4] = [Slide::Up, Slide::Right, Slide::Down, Slide::Left];
}

/// The rules of 2048: the board size and the probability that a new tile is a 4.
///
/// ```
/// use afterstate_core::{Game, Text};
/// use afterstate_games::twenty48::Twenty48;
///
/// let game = Twenty48::new(3, 3, 0.1)?; // 3x3, a tenth of the new tiles are fours
/// let state = game.parse_state("2 2 4|. . .|. . .")?;
/// game.for_each_move(&state, |slide, step| {
///     println!("{}: {} points", game.move_text(slide), step.reward);
/// });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Twenty48 {
    width: usize,
    height: usize,
    four: f64,
    /// The low bit of every cell that belongs to the board.
    area: u64,
    pub(super) across: &'static RowTable,
    pub(super) along: &'static RowTable,
}

/// Both slides along one axis and their points, which are equal.
struct Axis {
    first: Board,
    last: Board,
    reward: f32,
}

impl Twenty48 {
    /// Boards of 2x2 to 4x4 cells; a new tile is a 4 with probability `four`, otherwise a 2.
    pub fn new(width: usize, height: usize, four: f64) -> Result<Twenty48, RulesError> {
        if !(2..=4).contains(&width) || !(2..=4).contains(&height) {
            let message = format!("invalid board size {width}x{height}: 2048 supports 2x2 to 4x4");
            return Err(RulesError::new(message));
        }
        if !(0.0..=1.0).contains(&four) {
            let message = format!("invalid probability {four} of a 4: expected 0 to 1");
            return Err(RulesError::new(message));
        }
        let row = (0..width).map(|column| 1 << (4 * column)).sum::<u64>();
        let area = (0..height).map(|r| row << (4 * STRIDE * r)).sum();
        let (across, along) = (row_table(width), row_table(height));
        // -0.0 is in the range but prints differently from 0.0.
        let four = four.abs();
        Ok(Twenty48 { width, height, four, area, across, along })
    }

    /// The published game: 4x4, one new tile in ten is a 4.
    pub fn standard() -> Twenty48 {
        Twenty48::new(4, 4, 0.1).expect("the published rules are valid")
    }

    /// Columns of the board.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows of the board.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The probability that a new tile is a 4.
    pub fn four(&self) -> f64 {
        self.four
    }

    /// Every row of four cells slid towards its first cell, for kernels: the row (16 bits), the
    /// points divided by 4 (15 bits), and the highest bit if a tile becomes too large for a nibble.
    /// Cells beyond the board are empty, so rows and columns share the table.
    pub fn rows(&self) -> Vec<u32> {
        let entry = |&entry: &u64| {
            let mark = if entry & TOO_BIG == 0 { 0 } else { 1 << 31 };
            (entry & 0xffff) as u32 | ((entry >> 32) as u32 & 0x7fff) << 16 | mark
        };
        row_table(STRIDE).iter().map(entry).collect()
    }

    /// The largest reachable power of two: on a full board, the start of a descending sequence that
    /// ends in a new 4.
    pub fn largest_power(&self) -> u8 {
        (self.width * self.height + 1) as u8
    }

    /// The low bit of the nibble of every empty cell.
    #[inline]
    pub(super) fn empty_cells(&self, board: Board) -> u64 {
        board.empty() & self.area
    }

    #[inline]
    fn horizontal(&self, board: Board) -> Axis {
        match packed(self.across, board) {
            Some((first, last, reward)) => {
                Axis { first: Board::from_nibbles(first), last: Board::from_nibbles(last), reward }
            }
            None => self.with_big_tiles(board, self.width),
        }
    }

    #[inline]
    fn vertical(&self, board: Board) -> Axis {
        let transposed = board.transposed();
        match packed(self.along, transposed) {
            Some((first, last, reward)) => Axis {
                first: Board::from_nibbles(transpose(first)),
                last: Board::from_nibbles(transpose(last)),
                reward,
            },
            None => {
                let Axis { first, last, reward } = self.with_big_tiles(transposed, self.height);
                Axis { first: first.transposed(), last: last.transposed(), reward }
            }
        }
    }

    /// Slides rows of `length` cells one cell at a time, for boards with tiles of 65,536 and above.
    #[cold]
    fn with_big_tiles(&self, board: Board, length: usize) -> Axis {
        let (mut first, mut last, mut points) = (board, board, 0);
        for r in 0..STRIDE {
            let powers: [u8; STRIDE] = std::array::from_fn(|c| board.power(r, c));
            let mut row = powers;
            points += slide(&mut row[..length]);
            let mut reversed = powers;
            reversed[..length].reverse();
            slide(&mut reversed[..length]);
            reversed[..length].reverse();
            for c in 0..length {
                first = first.with(r, c, row[c]);
                last = last.with(r, c, reversed[c]);
            }
        }
        Axis { first, last, reward: points as f32 }
    }

    /// The board with a tile of that power in the nibble at bit `at`.
    #[inline]
    fn spawned(board: Board, at: u32, power: u64) -> Board {
        Board { tiles: board.tiles | power << at, ..board }
    }

    #[inline]
    fn spawn(&self, board: Board, rng: &mut Rng) -> Board {
        let empty = self.empty_cells(board);
        debug_assert!(empty != 0, "an afterstate has an empty cell");
        let chosen = rng.below(count_cells(empty));
        let power = if rng.unit() < self.four { 2 } else { 1 };
        Twenty48::spawned(board, nth_cell(empty, chosen), power)
    }

    /// The new tiles with positive probability: power and probability.
    pub(super) fn kinds(&self) -> impl Iterator<Item = (u64, f64)> + Clone {
        [(1, 1.0 - self.four), (2, self.four)].into_iter().filter(|kind| kind.1 > 0.0)
    }
}

/// The low bits of the nibbles of the fourth column.
const LAST_COLUMN: u64 = 0x1000_1000_1000_1000;

/// All rows of a board slid in both directions, with the points; `None` if a tile is or becomes
/// larger than a nibble.
#[inline]
fn packed(table: &RowTable, board: Board) -> Option<(u64, u64, f32)> {
    let tiles = board.nibbles()?;
    let (mut first, mut last, mut rest, mut marks) = (0, 0, 0, 0);
    for shift in [0, 16, 32, 48] {
        let entry = table[usize::from((tiles >> shift) as u16)];
        first |= (entry & 0xffff) << shift;
        last |= (entry >> 16 & 0xffff) << shift;
        rest += entry >> 32;
        marks |= entry;
    }
    (marks & TOO_BIG == 0).then_some((first, last, (4 * rest) as f32))
}

/// The positions of the set bits, lowest first.
pub(super) fn bits(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lowest = (set != 0).then(|| set.trailing_zeros());
        set &= set.wrapping_sub(1);
        lowest
    })
}

impl Game for Twenty48 {
    type State = Board;
    type Move = Slide;
    type After = Board;

    const VERSION: u32 = 1;

    fn unit(&self) -> &'static str {
        "points"
    }

    /// Two new tiles on an empty board.
    fn try_start<B>(
        &self,
        mut outcome: impl FnMut(Board, f64) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let cells = f64::from(self.area.count_ones());
        let pair = 2.0 / (cells * (cells - 1.0));
        for (i, one) in bits(self.area).enumerate() {
            for other in bits(self.area).skip(i + 1) {
                for (first, probability) in self.kinds() {
                    for (second, second_probability) in self.kinds() {
                        let board = Twenty48::spawned(Board::default(), one, first);
                        let board = Twenty48::spawned(board, other, second);
                        outcome(board, pair * probability * second_probability)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn start(&self, rng: &mut Rng) -> Board {
        let one = self.spawn(Board::default(), rng);
        self.spawn(one, rng)
    }

    #[inline]
    fn try_moves<B>(
        &self,
        state: &Board,
        mut offer: impl FnMut(Slide, Step<Board>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let vertical = self.vertical(*state);
        let horizontal = self.horizontal(*state);
        for (mv, after, reward) in [
            (Slide::Up, vertical.first, vertical.reward),
            (Slide::Right, horizontal.last, horizontal.reward),
            (Slide::Down, vertical.last, vertical.reward),
            (Slide::Left, horizontal.first, horizontal.reward),
        ] {
            if after != *state {
                offer(mv, Step { after, reward })?;
            }
        }
        ControlFlow::Continue(())
    }

    /// By comparing neighbouring nibbles, without the tables of rows.
    #[inline]
    fn for_each_legal(&self, state: &Board, mut visit: impl FnMut(Slide)) {
        let Some(tiles) = state.nibbles() else {
            return self.for_each_move(state, |mv, _| visit(mv));
        };
        let empty = self.empty_cells(*state);
        let taken = self.area & !empty;
        // Of the cells with a neighbour behind them in a line: whether something slides towards the
        // start of the line, and towards its end.
        let slides = |shift: u32, pairs: u64| {
            let differs = tiles ^ tiles >> shift;
            let equal = !(differs | differs >> 1 | differs >> 2 | differs >> 3);
            let merges = equal & taken & pairs;
            ((empty & taken >> shift & pairs) | merges, (taken & empty >> shift & pairs) | merges)
        };
        let row = 4 * STRIDE as u32;
        let (up, down) = slides(row, self.area & self.area >> row);
        // The last cell of a row has no neighbour: the nibble behind it is in the next row.
        let rows = self.area & !(LAST_COLUMN >> (4 * (STRIDE - self.width)));
        let (left, right) = slides(4, rows);
        for (mv, cells) in
            [(Slide::Up, up), (Slide::Right, right), (Slide::Down, down), (Slide::Left, left)]
        {
            if cells != 0 {
                visit(mv);
            }
        }
    }

    #[inline]
    fn try_chance<B>(
        &self,
        after: &Board,
        mut outcome: impl FnMut(Board, f64) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let empty = self.empty_cells(*after);
        let each = 1.0 / f64::from(empty.count_ones());
        for at in bits(empty) {
            for (power, probability) in self.kinds() {
                outcome(Twenty48::spawned(*after, at, power), each * probability)?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn sample(&self, after: &Board, rng: &mut Rng) -> Board {
        self.spawn(*after, rng)
    }

    #[inline]
    fn play(&self, state: &Board, mv: Slide) -> Result<Step<Board>, Illegal> {
        let (vertical, towards_start) =
            (matches!(mv, Slide::Up | Slide::Down), matches!(mv, Slide::Up | Slide::Left));
        // In many games at once the direction is unpredictable: both are computed, one is selected.
        let lines = Board::from_nibbles(select_unpredictable(
            vertical,
            transpose(state.tiles),
            state.tiles,
        ));
        let table = select_unpredictable(vertical, self.along, self.across);
        let slid = state.nibbles().and_then(|_| packed(table, lines));
        let (after, reward) = if let Some((first, last, reward)) = slid {
            let slid = select_unpredictable(towards_start, first, last);
            let after = select_unpredictable(vertical, transpose(slid), slid);
            (Board::from_nibbles(after), reward)
        } else {
            let axis = if vertical { self.vertical(*state) } else { self.horizontal(*state) };
            (if towards_start { axis.first } else { axis.last }, axis.reward)
        };
        if after == *state { Err(Illegal) } else { Ok(Step { after, reward }) }
    }

    /// Tile downgrading (Guei et al. 2021): while a tile is at least `beyond`, all tiles above the
    /// largest missing one are halved. Equal tiles stay equal and different ones different, so the
    /// same slides are legal and merge the same cells. Stops if no tile below the largest is
    /// missing.
    fn downgraded(&self, state: &Board, beyond: u64) -> Board {
        let mut board = *state;
        while 1 << board.largest() >= beyond {
            let cells = || (0..STRIDE).flat_map(|r| (0..STRIDE).map(move |c| (r, c)));
            let present = |power| cells().any(|(row, column)| board.power(row, column) == power);
            let Some(missing) = (1..board.largest()).rev().find(|&power| !present(power)) else {
                break;
            };
            for (row, column) in cells() {
                let power = board.power(row, column);
                if power > missing {
                    board = board.with(row, column, power - 1);
                }
            }
        }
        board
    }

    fn actions(&self) -> usize {
        Slide::ALL.len()
    }

    fn action(&self, number: usize) -> Slide {
        Slide::ALL[number]
    }

    fn action_number(&self, mv: Slide) -> usize {
        mv as usize
    }
}
