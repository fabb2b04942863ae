//! The reference implementation of the features: loops over cells.

use crate::RewardMixture;
use afterstate_core::Game;
use afterstate_core::policy::Choice;

use crate::tenten::{After, Hand, State, TenTen};

fn grid(game: &TenTen, bits: u128) -> Vec<Vec<bool>> {
    let cell = |row, column| bits >> (row * game.width() + column) & 1 == 1;
    (0..game.height())
        .map(|row| (0..game.width()).map(|column| cell(row, column)).collect())
        .collect()
}

fn transposed(grid: &[Vec<bool>]) -> Vec<Vec<bool>> {
    (0..grid[0].len()).map(|column| grid.iter().map(|row| row[column]).collect()).collect()
}

/// The lengths of all runs of a value in the rows.
fn runs(grid: &[Vec<bool>], value: bool) -> Vec<usize> {
    let of_row = |row: &Vec<bool>| {
        row.split(|&cell| cell != value).map(<[bool]>::len).filter(|&n| n > 0).collect::<Vec<_>>()
    };
    grid.iter().flat_map(of_row).collect()
}

/// The number of boxes of one size whose cells all have a value.
fn boxes(grid: &[Vec<bool>], value: bool, width: usize, height: usize) -> usize {
    let (rows, columns) = (grid.len(), grid[0].len());
    let mut count = 0;
    for row in 0..(rows + 1).saturating_sub(height) {
        for column in 0..(columns + 1).saturating_sub(width) {
            let whole =
                (row..row + height).all(|r| (column..column + width).all(|c| grid[r][c] == value));
            count += usize::from(whole);
        }
    }
    count
}

/// The sizes of all connected parts of a value.
fn parts(grid: &[Vec<bool>], value: bool) -> Vec<usize> {
    let (rows, columns) = (grid.len(), grid[0].len());
    let mut seen = vec![vec![false; columns]; rows];
    let mut sizes = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            if grid[row][column] != value || seen[row][column] {
                continue;
            }
            let (mut open, mut size) = (vec![(row, column)], 0);
            seen[row][column] = true;
            while let Some((r, c)) = open.pop() {
                size += 1;
                let near = [(r.wrapping_sub(1), c), (r + 1, c), (r, c.wrapping_sub(1)), (r, c + 1)];
                for (r, c) in near {
                    if r < rows && c < columns && grid[r][c] == value && !seen[r][c] {
                        seen[r][c] = true;
                        open.push((r, c));
                    }
                }
            }
            sizes.push(size);
        }
    }
    sizes
}

pub(super) fn fits(game: &TenTen, after: &After) -> (f64, f64) {
    let weight: u32 = game.pieces().iter().map(|piece| piece.weight).sum();
    let (mut moves, mut survival) = (0.0, 0.0);
    for (number, piece) in game.pieces().iter().enumerate() {
        let state = State { board: after.board, hand: Hand::EMPTY.with(number as u8) };
        let probability = f64::from(piece.weight) / f64::from(weight);
        let count = game.count_moves(&state);
        moves += probability * count as f64;
        survival += if count > 0 { probability } else { 0.0 };
    }
    (moves, survival)
}

pub(super) fn perimeter(game: &TenTen, bits: u128) -> usize {
    let grid = grid(game, bits);
    let full = |row: isize, column: isize| {
        let (row, column) = (usize::try_from(row), usize::try_from(column));
        match (row, column) {
            (Ok(r), Ok(c)) if r < game.height() && c < game.width() => grid[r][c],
            _ => true,
        }
    };
    let mut sides = 0;
    for row in 0..game.height() as isize {
        for column in 0..game.width() as isize {
            if !full(row, column) {
                let near =
                    [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)];
                sides += near.iter().filter(|(r, c)| full(*r, *c)).count();
            }
        }
    }
    sides
}

pub(super) fn tang(
    game: &TenTen,
    reward: &RewardMixture,
    state: &State,
    choice: &Choice<TenTen>,
) -> Vec<f32> {
    let (mv, step) = *choice;
    let rows = grid(game, step.after.board.bits());
    let columns = transposed(&rows);
    // Every hole counts the run that it lies in.
    let mean = |runs: &[usize]| {
        let holes: Vec<usize> =
            runs.iter().flat_map(|&run| std::iter::repeat_n(run, run)).collect();
        if holes.is_empty() { 0.0 } else { holes.iter().sum::<usize>() as f32 / holes.len() as f32 }
    };
    let (across, down) = (runs(&rows, false), runs(&columns, false));
    let max = |numbers: &[usize]| numbers.iter().copied().max().unwrap_or(0) as f32;
    let blank = rows.iter().flatten().filter(|&&cell| !cell).count();
    let sizes = |square: bool| {
        let mut best = 0;
        for width in 1..=game.width() {
            for height in 1..=game.height() {
                if (!square || width == height) && boxes(&rows, false, width, height) > 0 {
                    best = best.max(width * height);
                }
            }
        }
        best as f32
    };
    let shape = game.shape_of(mv.piece);
    let (top, left) = (usize::from(mv.at) / game.width(), usize::from(mv.at) % game.width());
    let placed = shape.cells().iter().map(|&(r, c)| (top + r, left + c));
    let from_edge =
        |(r, c): (usize, usize)| r.min(c).min(game.height() - 1 - r).min(game.width() - 1 - c);
    let (moves, survival) = fits(game, &step.after);
    let lines = game.lines(state, choice).unwrap() as f32;
    let whole =
        |lines: &[Vec<bool>]| lines.iter().filter(|line| line.iter().all(|&cell| !cell)).count();
    let (blank_parts, full_parts) = (parts(&rows, false), parts(&rows, true));
    vec![
        mean(&across),
        max(&across),
        mean(&down),
        max(&down),
        (game.cells() - blank) as f32,
        blank as f32,
        boxes(&rows, false, 5, 1) as f32,
        boxes(&rows, false, 1, 5) as f32,
        boxes(&rows, false, 3, 3) as f32,
        sizes(true),
        sizes(false),
        placed.map(from_edge).min().unwrap() as f32,
        whole(&rows) as f32,
        whole(&columns) as f32,
        blank_parts.len() as f32,
        full_parts.len() as f32,
        max(&blank_parts),
        max(&full_parts),
        reward.lines * lines * lines + reward.moves * moves as f32,
        survival as f32,
        1.0,
    ]
}
