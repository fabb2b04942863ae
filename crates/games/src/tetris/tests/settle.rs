//! Every step of a drop against a cell-by-cell implementation, on all boards of small wells.

use afterstate_core::{Game, Rng};

use super::super::form::{Form, Stamp};
use super::super::settle::{Well, resting_row, without_rows};
use super::super::{
    Board, Overflow, Setup, State, Tetris, melax_pieces, reference, standard_pieces,
};
use super::reference::grid;
use crate::pieces::{Piece, parse_pieces};

/// Every board of a well, including those with full rows.
fn all_boards(width: usize, height: usize) -> impl Iterator<Item = Board> {
    (0..1u32 << (width * height)).map(move |bits| {
        let mut board = Board::default();
        for (column, cells) in board.columns[..width].iter_mut().enumerate() {
            *cells = bits >> (column * height) & ((1 << height) - 1);
        }
        board
    })
}

/// Pieces of many kinds: with gaps, with overhangs, higher than the well.
fn many_pieces() -> Vec<Piece> {
    let odd = parse_pieces("U:#.#/###+gap:#.#+arch:###/#.#/#.#+tall:##/#./#./#./#.").unwrap();
    [standard_pieces(), melax_pieces(), odd].concat()
}

#[test]
fn full_rows_of_every_small_board() {
    for (width, height) in [(4, 4), (5, 4), (4, 5), (6, 3)] {
        let well = Well::new(width, height, Overflow::Lose);
        for board in all_boards(width, height) {
            let full = |row: &usize| (0..width).all(|column| board.get(*row, column));
            let expected = (0..height).filter(full).fold(0, |rows, row| rows | 1 << row);
            assert_eq!(well.full_rows(&board), expected, "{board:?}");
        }
    }
}

#[test]
fn rows_removed_from_every_short_column_and_from_a_million_long_ones() {
    let expected = |column: u32, rows: u32| {
        let left = (0..32).filter(|row| rows >> row & 1 == 0);
        left.enumerate().fold(0, |all, (to, from)| all | (column >> from & 1) << to)
    };
    for column in 0..1 << 9 {
        for rows in 0..1 << 9 {
            assert_eq!(without_rows(column, rows), expected(column, rows), "{column:b} {rows:b}");
        }
    }
    let mut rng = Rng::stream(15, 0);
    for n in 0..1_000_000 {
        let column = rng.bits() as u32;
        // Few rows, as in play, and many.
        let rows = (rng.bits() & rng.bits() & if n % 2 == 0 { rng.bits() } else { !0 }) as u32;
        assert_eq!(without_rows(column, rows), expected(column, rows), "{column:b} {rows:b}");
    }
}

/// The resting row of a piece that falls from above the well, one row at a time.
fn fallen(board: &Board, stamp: &Stamp, shape: &[(usize, usize)]) -> usize {
    let left = usize::from(stamp.mv.column);
    let free = |floor: usize| {
        let cell =
            |&(row, column): &(usize, usize)| (floor + stamp.height - 1 - row, left + column);
        shape.iter().map(cell).all(|(row, column)| !board.get(row, column))
    };
    let mut floor = 8;
    while floor > 0 && free(floor - 1) {
        floor -= 1;
    }
    floor
}

#[test]
fn resting_rows_of_every_piece_on_every_small_board() {
    let (width, height) = (4, 4);
    let forms: Vec<Form> = many_pieces().iter().map(|p| Form::new(p, width).unwrap()).collect();
    for board in all_boards(width, height) {
        for form in &forms {
            for stamp in &form.stamps {
                let shape = &form.orientations[usize::from(stamp.mv.orientation)].shape;
                let expected = fallen(&board, stamp, shape.cells());
                assert_eq!(resting_row(&board, stamp), expected, "{:?} on {board:?}", stamp.mv);
            }
        }
    }
}

#[test]
fn every_piece_settles_on_every_board_of_a_small_well() {
    for overflow in [Overflow::Lose, Overflow::ClearFirst, Overflow::Push] {
        let mut pieces = many_pieces();
        let fits = |piece: &Piece| piece.shape.width().max(piece.shape.height()) <= 4;
        // Only the endless well allows a piece that never fits below the top.
        pieces.retain(|piece| overflow == Overflow::Push || fits(piece));
        let game = Tetris::new(Setup { pieces, overflow, ..Setup::sized(4, 3) }).unwrap();
        let settled = |board: &Board| game.well.full_rows(board) == 0;
        for board in all_boards(4, 3).filter(settled) {
            let before = grid(&game, &board);
            for piece in 0..game.setup().pieces.len() {
                let mut expected = reference::moves(game.setup(), &before, piece).into_iter();
                let state = State { board, piece: piece as u8, next: None };
                game.for_each_move(&state, |mv, step| {
                    let (o, c) = (usize::from(mv.orientation), usize::from(mv.column));
                    let found = (o, c, grid(&game, &step.after.board), step.reward);
                    assert_eq!(Some(found), expected.next(), "{state:?}");
                });
                assert_eq!(expected.next(), None, "{state:?}");
            }
        }
    }
}
