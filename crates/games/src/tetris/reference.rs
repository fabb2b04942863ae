//! The reference implementation of the Tetris rules: a grid of cells and a piece that falls row by
//! row.

use afterstate_core::perft::Perft;

use super::{Overflow, Setup};
use crate::shape::Shape;

/// Rows from the floor up.
pub(super) type Grid = Vec<Vec<bool>>;

/// The distinct clockwise rotations of a shape.
pub(super) fn orientations(shape: &Shape) -> Vec<Shape> {
    let mut all: Vec<Shape> = Vec::new();
    let mut rotated = shape.clone();
    for _ in 0..4 {
        if !all.contains(&rotated) {
            all.push(rotated.clone());
        }
        rotated = rotated.rotated();
    }
    all
}

/// The cells (row from the floor, column) of a shape whose lowest row is `floor`.
pub(super) fn cells(shape: &Shape, floor: usize, left: usize) -> Vec<(usize, usize)> {
    let place = |&(row, column): &(usize, usize)| (floor + shape.height() - 1 - row, left + column);
    shape.cells().iter().map(place).collect()
}

/// Drops the shape from above the well: the grid after clearing and the reward; `None` if the drop
/// loses the game.
pub(super) fn play(setup: &Setup, grid: &Grid, shape: &Shape, left: usize) -> Option<(Grid, f32)> {
    let mut grid = grid.clone();
    grid.resize(setup.height + 12, vec![false; setup.width]);
    let free = |floor: usize| cells(shape, floor, left).iter().all(|&(r, c)| !grid[r][c]);
    let mut floor = setup.height;
    while floor > 0 && free(floor - 1) {
        floor -= 1;
    }
    let above = floor + shape.height() > setup.height;
    if above && setup.overflow == Overflow::Lose {
        return None;
    }
    for (r, c) in cells(shape, floor, left) {
        grid[r][c] = true;
    }
    let before = grid.len();
    grid.retain(|row| row.contains(&false));
    let lines = before - grid.len();
    let top = grid.iter().rposition(|row| row.contains(&true)).map_or(0, |row| row + 1);
    let pushed = top.saturating_sub(setup.height);
    if pushed > 0 && setup.overflow == Overflow::ClearFirst {
        return None;
    }
    grid.drain(..pushed);
    grid.resize(setup.height, vec![false; setup.width]);
    let reward = if setup.overflow == Overflow::Push { -(pushed as f32) } else { lines as f32 };
    Some((grid, reward))
}

/// Every legal placement: orientation, column, grid after it and reward.
pub(super) fn moves(setup: &Setup, grid: &Grid, piece: usize) -> Vec<(usize, usize, Grid, f32)> {
    let mut found = Vec::new();
    for (number, shape) in orientations(&setup.pieces[piece].shape).iter().enumerate() {
        for left in 0..setup.width {
            if left + shape.width() <= setup.width
                && let Some((after, reward)) = play(setup, grid, shape, left)
            {
                found.push((number, left, after, reward));
            }
        }
    }
    found
}

/// The perft counts of a depth.
pub(super) fn perft(setup: &Setup, grid: &Grid, hand: (usize, Option<usize>), depth: u32) -> Perft {
    let moves = moves(setup, grid, hand.0);
    let mut total = Perft { dead_ends: u64::from(moves.is_empty()), ..Perft::default() };
    for (_, _, after, reward) in moves {
        for drawn in 0..setup.pieces.len() {
            let next = match hand.1 {
                Some(piece) => (piece, Some(drawn)),
                None => (drawn, None),
            };
            if depth == 1 {
                total.sequences += 1;
                total.last_rewards += f64::from(reward);
            } else {
                total += perft(setup, &after, next, depth - 1);
            }
        }
    }
    total
}
