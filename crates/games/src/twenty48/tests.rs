//! 2048 against its laws, its slow twin and the exact value of the 2x2 board.

use std::collections::HashMap;

use crate::{Cells, ReferenceTuples, Tuples};
use afterstate_core::perft::perft;
use afterstate_core::text::LEGAL;
use afterstate_core::{Game, Illegal, Rng, Step, Text, laws};

use crate::spec::GameSpec;
use crate::{RulesError, goldens};

use super::plain::{self, Grid};
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
fn laws_with_other_odds() {
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

/// Both rules on one board, all four slides.
fn same_as_plain(game: &Twenty48, board: Board) {
    let before = grid(game, board);
    for mv in Slide::ALL {
        let fast = game.play(&board, mv).map(|step| (grid(game, step.after), step.reward));
        let slow = plain::play(&before, mv).map(|(after, points)| (after, points as f32));
        assert_eq!(fast, slow.ok_or(Illegal), "{mv:?} on\n{}", game.state_text(&board));
    }
}

#[test]
fn every_row_slides_like_its_slow_twin() {
    for length in 2..=4usize {
        for row in 0..1u64 << (4 * length) {
            // The row lies across the top, and once more along the first column.
            let across = Board::from_nibbles(row);
            same_as_plain(&rules(length, 2), across);
            same_as_plain(&rules(2, length), across.mapped(|r, c| (c, r)));
        }
    }
}

/// A board full of random tiles with powers below `kinds`; the power 0 is an empty cell.
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
fn a_million_random_boards_slide_like_their_slow_twins() {
    let mut rng = Rng::stream(11, 0);
    for n in 0..1_000_000 {
        let (width, height) = (2 + rng.below(3), 2 + rng.below(3));
        // Few kinds of tiles make many merges; every other board reaches 131,072.
        let kinds = if n % 2 == 0 { 5 } else { 18 };
        let game = rules(width, height);
        same_as_plain(&game, random_board(&game, kinds, &mut rng));
    }
}

#[test]
fn a_million_boards_are_looked_up_like_their_slow_twins() {
    let mut rng = Rng::stream(16, 0);
    for (width, height) in [(4, 4), (3, 3), (4, 3), (2, 3), (2, 2)] {
        let game = rules(width, height);
        let cells = width * height;
        let scattered = (0..cells).step_by(3).collect();
        let tuples = Tuples::new(&game, &[(0..cells.min(6)).collect(), scattered]).unwrap();
        let (fast, slow) = (game.compile(&tuples), ReferenceTuples::new(&game, &tuples));
        let (mut found, mut expected) =
            (vec![0; tuples.active_features()], vec![0; tuples.active_features()]);
        for _ in 0..200_000 {
            let board = random_board(&game, 18, &mut rng);
            game.indices(&fast, &board, &mut found);
            slow.indices(&game, &board, &mut expected);
            assert_eq!(found, expected, "{board:?}");
        }
    }
}

#[test]
fn tiles_beyond_a_nibble_keep_their_value() {
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
    assert_eq!(next.power(0, 3), 17, "a new tile leaves the big one alone");
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
fn perft_agrees_with_the_slow_twin() {
    for (width, height, depth) in [(2, 2, 4), (3, 3, 3), (4, 3, 2), (4, 4, 2)] {
        let game = rules(width, height);
        let mut rng = Rng::stream(7, 0);
        for _ in 0..3 {
            let state = game.start(&mut rng);
            let fast = perft(&game, &state, depth);
            let slow = plain::perft(&grid(&game, state), depth);
            assert_eq!(fast, slow, "{width}x{height} to {depth}");
        }
    }
}

#[test]
fn stored_counts_agree_with_the_slow_twin() {
    let mut states = 0;
    for stored in goldens::stored() {
        let GameSpec::Twenty48(game) = &stored.rules else { continue };
        let state = game.parse_state(&stored.state).unwrap();
        for (depth, count) in stored.walkable() {
            let slow = plain::perft(&grid(game, state), depth);
            assert_eq!(slow, count, "{} to {depth} from {}", stored.rules, stored.state);
        }
        states += 1;
    }
    assert!(states > 20, "{states} states were compared");
}

/// The best expected score from a state. Tiles only ever add up, so the recursion ends.
fn optimum(game: &Twenty48, state: Board, known: &mut HashMap<Board, f64>) -> f64 {
    if let Some(&value) = known.get(&state) {
        return value;
    }
    let mut best = 0.0f64;
    game.for_each_move(&state, |_, step| {
        let mut value = f64::from(step.reward);
        game.for_each_chance(&step.after, |next, odds| value += odds * optimum(game, next, known));
        best = best.max(value);
    });
    known.insert(state, best);
    best
}

#[test]
fn optimal_play_on_2x2_scores_66_96415() {
    let game = rules(2, 2);
    let (mut known, mut value) = (HashMap::new(), 0.0);
    let _ = game.try_start(|state, odds| {
        value += odds * optimum(&game, state, &mut known);
        std::ops::ControlFlow::<()>::Continue(())
    });
    assert!((value - 66.96415).abs() < 5e-6, "{value}");
}

#[test]
fn bad_boards_are_refused_with_their_place() {
    let game = Twenty48::standard();
    for (text, said) in [
        ("", "met 0 rows, expected 4"),
        (". . . .|. . .|. . . .|. . . .", "row 2: met 3 cells, expected 4"),
        (
            ". . . .|. . 3 .|. . . .|. . . .",
            "row 2, column 3: met \"3\", expected '.' or a power of two from 2 to 131072",
        ),
        (
            ". . . .|. . . .|+2 . . .|. . . .",
            "row 3, column 1: met \"+2\", expected '.' or a power of two from 2 to 131072",
        ),
        (
            ". . . .|. . . .|. . . .|. . . 262144",
            "row 4, column 4: met \"262144\", expected '.' or a power of two from 2 to 131072",
        ),
        (
            "131072 131072 . .|. . . .|. . . .|. . . .",
            "met tiles that sum to 262144, expected at most 262140, what play can reach",
        ),
    ] {
        assert_eq!(game.parse_state(text).unwrap_err().to_string(), said, "{text}");
    }
    let full = "2 4 2 4|4 2 4 2|2 4 2 4|4 2 4 2";
    assert!(game.parse_state(full).is_ok(), "a lost game is a state");
    let error = game.parse_after(full).unwrap_err().to_string();
    assert_eq!(error, "met a full board, expected an empty cell for the new tile");
    let error = rules(2, 2).parse_state("64 .|. .").unwrap_err().to_string();
    assert_eq!(error, "row 1, column 1: met \"64\", expected '.' or a power of two from 2 to 32");
}

#[test]
fn blanks_around_rows_do_not_count() {
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
fn impossible_rules_are_refused() {
    let said = |rules: Result<Twenty48, RulesError>| rules.err().unwrap().to_string();
    assert_eq!(said(Twenty48::new(5, 4, 0.1)), "met a board of 5x4, expected 2x2 to 4x4 cells");
    assert_eq!(said(Twenty48::new(4, 4, 1.5)), "met odds 1.5 of a 4, expected 0 to 1");
    assert_eq!(said(Twenty48::new(4, 4, f64::NAN)), "met odds NaN of a 4, expected 0 to 1");
    let never = Twenty48::new(4, 4, -0.0).unwrap().four();
    assert!(never.is_sign_positive(), "-0.0 is the same game as 0.0");
}
