//! Text input and drawings: errors with their position, and all that is needed to write a move.

use afterstate_core::text::LEGAL;
use afterstate_core::{Rng, Text};

use super::super::{Overflow, Placement, Setup, Tetris};
use crate::pieces::parse_pieces;

#[test]
fn errors_of_invalid_boards_have_a_position() {
    let game = Tetris::new(Setup::sized(4, 3)).unwrap();
    for (text, said) in [
        ("", "found no text, expected a line of pieces, then the rows of the well"),
        ("Q|....", "found piece \"Q\", expected one of O, I, L, J, T, S, Z"),
        ("T S|....", "found 2 pieces on the first line, expected 1"),
        ("-|....", "found 0 pieces on the first line, expected 1"),
        ("T|....|...", "row 2: found 3 cells, expected 4"),
        ("T|..x.", "row 1, column 3: found 'x', expected '#' or '.'"),
        ("T|....|....|....|....", "found 4 rows, expected at most 3"),
        ("T|....|####|#...", "row 2: the row is full: full rows clear at once"),
    ] {
        assert_eq!(game.parse_state(text).unwrap_err().to_string(), said, "{text}");
    }
    let state = game.parse_state("T|....").unwrap();
    let said = "expected a column from a to d and an orientation from 1 to 4";
    for word in ["", "e1", "a5", "a0", "a+1", "a01", "1a", "a99999999999999999999", "ä"] {
        let error = game.parse_move(&state, word).unwrap_err().to_string();
        assert!(error.ends_with(said), "{word}: {error}");
    }
}

#[test]
fn arbitrary_texts_never_panic() {
    let game = Tetris::new(Setup { preview: true, ..Setup::sized(5, 4) }).unwrap();
    let mut rng = Rng::stream(14, 0);
    let letters: Vec<char> = "TIOS-.#|\n \té\u{0}x19ab".chars().collect();
    for _ in 0..100_000 {
        let text: String = (0..rng.below(30)).map(|_| letters[rng.below(letters.len())]).collect();
        if let Ok(state) = game.parse_state(&text) {
            assert_eq!(game.parse_state(&game.state_text(&state)).unwrap(), state);
            let _ = game.parse_move(&state, &text);
        }
        let _ = game.parse_after(&text);
    }
}

#[test]
fn errors_of_invalid_rules() {
    let pieces = |text| parse_pieces(text).unwrap();
    for (setup, said) in [
        (Setup::sized(3, 20), "invalid well size 3x20: Tetris supports 4x2 to 16x32"),
        (Setup::sized(10, 33), "invalid well size 10x33: Tetris supports 4x2 to 16x32"),
        (
            Setup { pieces: pieces("wide:#####/#####/#####/#####/#####"), ..Setup::sized(4, 20) },
            "piece wide needs 5 columns: the well has only 4",
        ),
        (
            Setup { pieces: pieces("long:######"), ..Setup::sized(10, 20) },
            "piece long has size 6x1: Tetris supports up to 5x5",
        ),
        (
            Setup { pieces: pieces("block:###/###/###"), ..Setup::sized(10, 2) },
            "piece block needs 3 rows: the well has only 2",
        ),
        (
            Setup { limit: Some(0), ..Setup::sized(10, 20) },
            "invalid limit 0: expected at least 1 piece",
        ),
    ] {
        assert_eq!(Tetris::new(setup).err().unwrap().to_string(), said);
    }
}

#[test]
fn blanks_around_rows_are_ignored() {
    let game = Tetris::new(Setup::sized(4, 3)).unwrap();
    let state = game.parse_state("T|#...|.##.").unwrap();
    for text in ["  T\n  #...\n  .##.  \n", " T |#... | .##. \r\n", "\u{feff}T\n#...\n.##.\n"] {
        assert_eq!(game.parse_state(text), Ok(state), "{text:?}");
    }
}

#[test]
fn drawings_name_the_pieces() {
    let game = Tetris::new(Setup { preview: true, ..Setup::sized(4, 2) }).unwrap();
    let state = game.parse_state("T S|#...|##..").unwrap();
    let drawn = "\
|#...|
|##..|
+----+
 abcd

piece: T
 #              #
 ##     ###    ##      #
 #       #      #     ###
 1      2      3      4
next: S
";
    assert_eq!(game.drawing(&state), drawn);
}

#[test]
fn illegal_moves_have_a_reason() {
    let lose = Tetris::new(Setup::sized(4, 4)).unwrap();
    let clear = Setup { overflow: Overflow::ClearFirst, ..Setup::sized(4, 4) };
    let clear = Tetris::new(clear).unwrap();
    let drawn = "I|###.|###.|###.|#.##";
    for (game, orientation, column, said) in [
        (&lose, 0, 3, "the piece would stand above the top"),
        (&lose, 0, 0, "the piece would stand above the top"),
        (&lose, 1, 1, "the piece would stick out of the well"),
        (&lose, 0, 4, "the piece would stick out of the well"),
        (&lose, 2, 0, "piece I has no orientation 3"),
        (&lose, 255, 255, "piece I has no orientation 256"),
        (&clear, 0, 3, LEGAL),
        (&clear, 0, 0, "the piece would stand above the top even after full rows clear"),
    ] {
        let state = game.parse_state(drawn).unwrap();
        let why = game.why_illegal(&state, Placement { orientation, column });
        assert_eq!(why, said, "orientation {orientation} at column {column}");
    }
}
