//! 2048 against its laws, its reference implementation and the exact value of the 2x2 board.

use std::collections::HashMap;

use afterstate_core::perft::perft;
use afterstate_core::text::LEGAL;
use afterstate_core::{Game, Illegal, Rng, Step, Text, laws};

use crate::positions::compare_parts;
use crate::{RulesError, goldens};

use super::reference::{self, Grid};
use super::{Board, Slide, Twenty48};

fn rules(width: usize, height: usize) -> Twenty48 {
    Twenty48::new(width, height, 0.1).unwrap()
}

#[test]
fn laws_4x4() {
    crate::laws::check(&Twenty48::standard(), 1, 20_000);
}

#[test]
fn laws_of_small_boards() {
    for (width, height) in [(2, 2), (3, 3), (4, 3), (3, 4), (2, 4)] {
        crate::laws::check(&rules(width, height), 2, 4_000);
    }
}

#[test]
fn laws_with_other_probabilities() {
    for four in [0.0, 0.5, 1.0] {
        crate::laws::check(&Twenty48::new(3, 3, four).unwrap(), 3, 2_000);
    }
}

#[test]
fn laws_of_the_whole_index() {
    assert_eq!(laws::check_whole_index(&rules(2, 2)), 6u64.pow(4) - 5u64.pow(4));
    assert_eq!(laws::check_whole_index(&rules(3, 2)), 8u64.pow(6) - 7u64.pow(6));
}

fn grid(game: &Twenty48, board: Board) -> Grid {
    let tile = |row, column| match board.power(row, column) {
        0 => 0,
        power => 1 << power,
    };
    (0..game.height()).map(|r| (0..game.width()).map(|c| tile(r, c)).collect()).collect()
}

/// Compares both implementations on one board, all four slides.
fn same_as_reference(game: &Twenty48, board: Board) {
    let before = grid(game, board);
    for mv in Slide::ALL {
        let found = game.play(&board, mv).map(|step| (grid(game, step.after), step.reward));
        let expected = reference::play(&before, mv).map(|(after, points)| (after, points as f32));
        assert_eq!(found, expected.ok_or(Illegal), "{mv:?} on\n{}", game.state_text(&board));
    }
    let (mut legal, mut moves) = (Vec::new(), Vec::new());
    game.for_each_legal(&board, |mv| legal.push(mv));
    game.for_each_move(&board, |mv, _| moves.push(mv));
    assert_eq!(legal, moves, "legal moves of\n{}", game.state_text(&board));
}

#[test]
fn every_row_slides_as_in_the_reference() {
    for length in 2..=4usize {
        for row in 0..1u64 << (4 * length) {
            // As the top row, and as the first column.
            let across = Board::from_nibbles(row);
            same_as_reference(&rules(length, 2), across);
            same_as_reference(&rules(2, length), across.mapped(|r, c| (c, r)));
        }
    }
}

/// A board of random tiles with powers below `kinds`; the power 0 is an empty cell.
fn random_board(game: &Twenty48, kinds: usize, rng: &mut Rng) -> Board {
    let mut board = Board::default();
    for row in 0..game.height() {
        for column in 0..game.width() {
            board = board.with(row, column, rng.below(kinds) as u8);
        }
    }
    board
}

#[test]
fn a_million_random_boards_slide_as_in_the_reference() {
    compare_parts(11, 1_000_000, 50, |mut rng| {
        for n in 0..1_000_000 {
            let (width, height) = (2 + rng.below(3), 2 + rng.below(3));
            // Few kinds of tiles merge often; every other board has tiles up to 131,072.
            let kinds = if n % 2 == 0 { 5 } else { 18 };
            let game = rules(width, height);
            same_as_reference(&game, random_board(&game, kinds, &mut rng));
        }
    });
}

#[test]
fn tiles_above_a_nibble_keep_their_value() {
    let game = Twenty48::standard();
    let board = game.parse_state("32768 32768 65536 .|. . . .|. . . .|. . . .").unwrap();
    let Step { after, reward } = game.play(&board, Slide::Left).unwrap();
    assert_eq!(reward, 65_536.0);
    assert_eq!(game.after_text(&after).lines().next().unwrap(), "65536 65536     .     .");
    let Step { after, reward } = game.play(&after, Slide::Right).unwrap();
    assert_eq!(reward, 131_072.0);
    assert_eq!(after.largest(), 17);
    assert_eq!(after.power(0, 3), 17);
    let mut rng = Rng::stream(1, 0);
    let next = game.sample(&after, &mut rng);
    assert_eq!(next.power(0, 3), 17, "a new tile does not change the big one");
    assert_eq!(game.parse_state(&game.state_text(&next)).unwrap(), next);
}

#[test]
fn the_board_that_another_library_gets_wrong_has_all_its_moves() {
    let game = Twenty48::standard();
    let board = game.parse_state("4 8 . 2|4 4 . .|2 2 . .|. . . .").unwrap();
    assert_eq!(game.play(&board, Slide::Up).unwrap().reward, 8.0);
    assert_eq!(game.count_moves(&board), 4);
}

#[test]
fn perft_equals_the_reference() {
    for (width, height, depth) in [(2, 2, 4), (3, 3, 3), (4, 3, 2), (4, 4, 2)] {
        let game = rules(width, height);
        let mut rng = Rng::stream(7, 0);
        for _ in 0..3 {
            let state = game.start(&mut rng);
            let found = perft(&game, &state, depth);
            let expected = reference::perft(&grid(&game, state), depth);
            assert_eq!(found, expected, "{width}x{height} to {depth}");
        }
    }
}

#[test]
fn golden_counts_equal_the_reference() {
    goldens::compare(|game: &Twenty48, state, depth| reference::perft(&grid(game, *state), depth));
}

/// The optimal expected score of a state. The sum of tiles grows, so the recursion ends.
fn optimum(game: &Twenty48, state: Board, known: &mut HashMap<Board, f64>) -> f64 {
    if let Some(&value) = known.get(&state) {
        return value;
    }
    let mut best = 0.0f64;
    game.for_each_move(&state, |_, step| {
        let mut value = f64::from(step.reward);
        game.for_each_chance(&step.after, |next, probability| {
            value += probability * optimum(game, next, known);
        });
        best = best.max(value);
    });
    known.insert(state, best);
    best
}

#[test]
fn optimal_play_on_2x2_scores_66_96415() {
    let game = rules(2, 2);
    let (mut known, mut value) = (HashMap::new(), 0.0);
    game.for_each_start(|state, probability| {
        value += probability * optimum(&game, state, &mut known);
    });
    assert!((value - 66.96415).abs() < 5e-6, "{value}");
}

#[test]
fn errors_of_invalid_boards_have_a_position() {
    let game = Twenty48::standard();
    for (text, said) in [
        ("", "found 0 rows, expected 4"),
        (". . . .|. . .|. . . .|. . . .", "row 2: found 3 cells, expected 4"),
        (
            ". . . .|. . 3 .|. . . .|. . . .",
            "row 2, column 3: found \"3\", expected '.' or a power of two from 2 to 131072",
        ),
        (
            ". . . .|. . . .|+2 . . .|. . . .",
            "row 3, column 1: found \"+2\", expected '.' or a power of two from 2 to 131072",
        ),
        (
            ". . . .|. . . .|. . . .|. . . 262144",
            "row 4, column 4: found \"262144\", expected '.' or a power of two from 2 to 131072",
        ),
        (
            "131072 131072 . .|. . . .|. . . .|. . . .",
            "the tiles sum to 262144: reachable boards sum to at most 262140",
        ),
    ] {
        assert_eq!(game.parse_state(text).unwrap_err().to_string(), said, "{text}");
    }
    let full = "2 4 2 4|4 2 4 2|2 4 2 4|4 2 4 2";
    assert!(game.parse_state(full).is_ok(), "a terminal state is a state");
    let error = game.parse_after(full).unwrap_err().to_string();
    assert_eq!(error, "the board is full: a new tile needs an empty cell");
    let error = rules(2, 2).parse_state("64 .|. .").unwrap_err().to_string();
    assert_eq!(error, "row 1, column 1: found \"64\", expected '.' or a power of two from 2 to 32");
}

#[test]
fn blanks_around_rows_are_ignored() {
    let game = rules(3, 2);
    let board = game.parse_state("2 . 4|. 8 .").unwrap();
    for text in ["  2 . 4\n  .   8 .  \n", " 2 . 4 | . 8 . \r\n", "\u{feff}2 . 4\n. 8 .\n"] {
        assert_eq!(game.parse_state(text), Ok(board), "{text:?}");
    }
}

#[test]
fn illegal_moves_have_a_reason() {
    let game = Twenty48::standard();
    let board = game.parse_state("2 4 8 16|. . . .|. . . .|. . . .").unwrap();
    let why = Slide::ALL.map(|mv| game.why_illegal(&board, mv));
    assert_eq!(why, ["nothing would move", "nothing would move", LEGAL, "nothing would move"]);
}

#[test]
fn errors_of_invalid_rules() {
    let said = |rules: Result<Twenty48, RulesError>| rules.err().unwrap().to_string();
    let size = said(Twenty48::new(5, 4, 0.1));
    assert_eq!(size, "invalid board size 5x4: 2048 supports 2x2 to 4x4");
    for four in [1.5, f64::NAN] {
        let expected = format!("invalid probability {four} of a 4: expected 0 to 1");
        assert_eq!(said(Twenty48::new(4, 4, four)), expected);
    }
    let never = Twenty48::new(4, 4, -0.0).unwrap().four();
    assert!(never.is_sign_positive(), "-0.0 is the same game as 0.0");
}
