//! The rules against the reference implementation: a million placements and perft counts.

use afterstate_core::perft::{Perft, perft};
use afterstate_core::{Game, Rng};

use super::super::reference::{self, Grid};
use super::super::{Board, Setup, State, Tetris};
use super::variants;
use crate::goldens;
use crate::positions::compare_parts;

pub(in super::super) fn grid(game: &Tetris, board: &Board) -> Grid {
    let row = |r| (0..game.setup().width).map(|c| board.get(r, c)).collect();
    (0..game.setup().height).map(row).collect()
}

/// A random board up to a random height, without full rows.
pub(in super::super) fn random_board(game: &Tetris, rng: &mut Rng) -> Board {
    let Setup { width, height, .. } = *game.setup();
    let filled = rng.below(height + 1);
    let mut board = Board::default();
    for row in 0..filled {
        let gap = rng.below(width);
        let density = 2 + rng.below(6);
        for column in (0..width).filter(|&column| column != gap) {
            if rng.below(8) < density {
                board = board.with(row, column);
            }
        }
    }
    board
}

#[test]
fn a_million_placements_settle_as_in_the_reference() {
    let games: Vec<Tetris> = variants().into_iter().map(|s| Tetris::new(s).unwrap()).collect();
    let pieces: usize = games.iter().map(|game| game.setup().pieces.len()).sum();
    let boards = POSITIONS.div_ceil(pieces);
    compare_parts(12, boards * pieces, 10, |mut rng| {
        let mut compared = 0;
        for _ in 0..boards {
            for game in &games {
                let board = random_board(game, &mut rng);
                compared += compare_moves(game, &board);
            }
        }
        assert!(compared >= 1_000_000, "{compared} placements");
    });
}

/// Positions in which a million placements are compared.
const POSITIONS: usize = 90_000;

/// Compares the moves of every piece on a board; returns how many there are.
fn compare_moves(game: &Tetris, board: &Board) -> usize {
    let before = grid(game, board);
    let compared = (0..game.setup().pieces.len()).map(|piece| {
        let next = game.setup().preview.then_some(0);
        let mut found = Vec::new();
        game.for_each_move(&State { board: *board, piece: piece as u8, next }, |mv, step| {
            let (o, c) = (usize::from(mv.orientation), usize::from(mv.column));
            found.push((o, c, grid(game, &step.after.board), step.reward));
        });
        let expected = reference::moves(game.setup(), &before, piece);
        assert_eq!(found, expected, "piece {piece} on {board:?}");
        found.len()
    });
    compared.sum()
}

#[test]
fn perft_equals_the_reference() {
    for setup in variants() {
        let game = Tetris::new(setup).unwrap();
        let mut rng = Rng::stream(13, 0);
        let depth = if game.setup().width <= 6 { 2 } else { 1 };
        for _ in 0..4 {
            let board = random_board(&game, &mut rng);
            let state = State { board, ..game.start(&mut rng) };
            assert_eq!(perft(&game, &state, depth), reference_perft(&game, &state, depth));
        }
    }
}

fn reference_perft(game: &Tetris, state: &State, depth: u32) -> Perft {
    let hand = (usize::from(state.piece), state.next.map(usize::from));
    reference::perft(game.setup(), &grid(game, &state.board), hand, depth)
}

#[test]
fn golden_counts_equal_the_reference() {
    goldens::compare(reference_perft);
}
