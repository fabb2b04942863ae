//! The reference implementation of the 2048 rules: tiles as numbers in rows of vectors.

use afterstate_core::perft::Perft;

use super::Slide;

pub(super) type Grid = Vec<Vec<u64>>;

/// Slides one line towards its start and merges each tile at most once.
fn slide_line(line: &[u64]) -> (Vec<u64>, u64) {
    let tiles: Vec<u64> = line.iter().copied().filter(|&tile| tile != 0).collect();
    let (mut merged, mut points, mut i) = (Vec::new(), 0, 0);
    while i < tiles.len() {
        if i + 1 < tiles.len() && tiles[i] == tiles[i + 1] {
            merged.push(2 * tiles[i]);
            points += 2 * tiles[i];
            i += 2;
        } else {
            merged.push(tiles[i]);
            i += 1;
        }
    }
    merged.resize(line.len(), 0);
    (merged, points)
}

/// The board after a slide and its points, or `None` if nothing moves.
pub(super) fn play(grid: &Grid, mv: Slide) -> Option<(Grid, u64)> {
    let (height, width) = (grid.len(), grid[0].len());
    let mut after = vec![vec![0; width]; height];
    let mut points = 0;
    let lines = if matches!(mv, Slide::Left | Slide::Right) { height } else { width };
    for n in 0..lines {
        let cells: Vec<(usize, usize)> = match mv {
            Slide::Left => (0..width).map(|c| (n, c)).collect(),
            Slide::Right => (0..width).rev().map(|c| (n, c)).collect(),
            Slide::Up => (0..height).map(|r| (r, n)).collect(),
            Slide::Down => (0..height).rev().map(|r| (r, n)).collect(),
        };
        let line: Vec<u64> = cells.iter().map(|&(r, c)| grid[r][c]).collect();
        let (slid, line_points) = slide_line(&line);
        points += line_points;
        for (&(r, c), tile) in cells.iter().zip(slid) {
            after[r][c] = tile;
        }
    }
    (after != *grid).then_some((after, points))
}

/// The perft counts of a depth.
pub(super) fn perft(grid: &Grid, depth: u32) -> Perft {
    let mut total = Perft::default();
    let afters: Vec<_> = Slide::ALL.iter().filter_map(|&mv| play(grid, mv)).collect();
    if afters.is_empty() {
        total.dead_ends += 1;
    }
    for (after, points) in afters {
        for r in 0..after.len() {
            for c in 0..after[r].len() {
                for tile in [2, 4] {
                    if after[r][c] == 0 {
                        let mut next = after.clone();
                        next[r][c] = tile;
                        if depth == 1 {
                            total.sequences += 1;
                            total.last_rewards += points as f64;
                        } else {
                            total += perft(&next, depth - 1);
                        }
                    }
                }
            }
        }
    }
    total
}
