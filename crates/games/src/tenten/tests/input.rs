//! Bad input: every refusal is a sentence that says what was met and what was expected.

use afterstate_core::Text;
use afterstate_core::text::LEGAL;

use super::super::{Placement, Scoring, TenTen, sets};
use super::rules;
use crate::pieces::Piece;

#[test]
fn impossible_rules_say_what_is_wrong() {
    let seven = || sets::named("7").unwrap();
    let nineteen = || sets::named("19").unwrap();
    let weightless = || vec![Piece { weight: 0, ..seven()[0].clone() }];
    let named_like_no_piece = || vec![Piece { name: "-".to_owned(), ..seven()[0].clone() }];
    for (width, height, pieces, hand, said) in [
        (
            2,
            4,
            seven(),
            1,
            "met a board 2 cells wide and 4 high, expected 3 to 10 wide and 3 to 10 high",
        ),
        (
            4,
            11,
            seven(),
            1,
            "met a board 4 cells wide and 11 high, expected 3 to 10 wide and 3 to 10 high",
        ),
        (
            usize::MAX,
            0,
            seven(),
            1,
            "met a board 18446744073709551615 cells wide and 0 high, expected 3 to 10 wide and 3 to 10 high",
        ),
        (4, 4, seven(), 0, "met a hand of 0 pieces, expected 1 to 3"),
        (4, 4, seven(), 4, "met a hand of 4 pieces, expected 1 to 3"),
        (
            4,
            10,
            nineteen(),
            1,
            "met piece 1x5, 5 wide and 1 high, expected at most 4 wide and 10 high, as the board is",
        ),
        (
            10,
            4,
            nineteen(),
            1,
            "met piece 5x1, 1 wide and 5 high, expected at most 10 wide and 4 high, as the board is",
        ),
        (4, 4, vec![], 1, "met 0 pieces, expected 1 to 64 pieces"),
        (4, 4, weightless(), 1, "met piece 1x1 of weight 0, expected a weight of at least 1"),
        (
            4,
            4,
            named_like_no_piece(),
            1,
            "met a piece named \"-\", expected another name, for that one means no piece",
        ),
    ] {
        let error = TenTen::new(width, height, pieces, hand, Scoring::Real).unwrap_err();
        assert_eq!(error.to_string(), said);
    }
}

#[test]
fn bad_states_say_what_is_wrong() {
    let one = rules(4, 3, "3", 1);
    let two = rules(4, 3, "3", 2);
    for (rules, text, said) in [
        (&one, "", "met no text, expected the hand above the board"),
        (&one, "\n....\n....\n....", "met no text, expected the hand above the board"),
        (&one, "-|....|....|....", "met 0 pieces above the board, expected 1"),
        (&one, "1x1 1x1|....|....|....", "met 2 pieces above the board, expected 1"),
        (&two, "-|....|....|....", "met 0 pieces above the board, expected 1 to 2"),
        (&two, "1x1 1x1 1x1|....|....|....", "met 3 pieces above the board, expected 1 to 2"),
        (&one, "3x3|....|....|....", "met \"3x3\", expected a piece out of 1x1 1x2 2x1"),
        (&two, "1x1 -|....|....|....", "met \"-\", expected a piece out of 1x1 1x2 2x1"),
        (&one, "....|....|....", "met \"....\", expected a piece out of 1x1 1x2 2x1"),
        (&one, "1x1", "met 0 rows below the hand, expected 3"),
        (&one, "1x1|....|....", "met 2 rows below the hand, expected 3"),
        (&one, "1x1|....|....|....|....", "met 4 rows below the hand, expected 3"),
        (&one, "1x1|....|....|...", "row 3: met 3 cells, expected 4"),
        (&one, "1x1|....|.....|....", "row 2: met 5 cells, expected 4"),
        (&one, "1x1|....|||....", "met 4 rows below the hand, expected 3"),
        (&one, "1x1|....||....", "row 2: met 0 cells, expected 4"),
        (&one, "1x1|..x.|....|....", "row 1, column 3: met 'x', expected '.' or '#'"),
        (&one, "1x1|....|. ..|....", "row 2, column 2: met ' ', expected '.' or '#'"),
        (&one, "1x1|....| ...|....", "row 2: met 3 cells, expected 4"),
        (&one, "1x1|....|..é.|....", "row 2, column 3: met 'é', expected '.' or '#'"),
        (
            &one,
            "1x1|....|####|....",
            "row 2: met a full row, expected an empty cell in it, for full lines are cleared at once",
        ),
        (
            &one,
            "1x1|.#..|.#..|.#..",
            "column 2: met a full column, expected an empty cell in it, for full lines are cleared at once",
        ),
    ] {
        let error = rules.parse_state(text).unwrap_err();
        assert_eq!(error.to_string(), said, "{text:?}");
    }
}

#[test]
fn bad_afterstates_say_what_is_wrong() {
    let one = rules(4, 3, "3", 1);
    let two = rules(4, 3, "3", 2);
    for (rules, text, said) in [
        (&one, "1x1|....|....|....", "met 1 piece above the board, expected none, written -"),
        (&two, "1x1 1x1|....|....|....", "met 2 pieces above the board, expected 0 to 1"),
        (&two, "....|....|....", "met \"....\", expected a piece out of 1x1 1x2 2x1"),
    ] {
        let error = rules.parse_after(text).unwrap_err();
        assert_eq!(error.to_string(), said, "{text:?}");
    }
    assert!(two.parse_after("1x1|....|....|....").is_ok());
    assert!(two.parse_after("-|....|....|....\r\n\n").is_ok());
}

#[test]
fn bad_moves_say_what_is_wrong() {
    let rules = rules(4, 3, "7", 3);
    let many = rules.parse_state("1x1 2nw|....|....|....").unwrap();
    let single = rules.parse_state("2nw 2nw|....|....|....").unwrap();
    let all = "1x1 1x2 2x1 2nw 2ne 2sw 2se";
    for (state, text, said) in [
        (&many, "b3", "met \"b3\" without a piece, expected one of 1x1 2nw before an @".to_owned()),
        (&many, "", "met \"\" without a piece, expected one of 1x1 2nw before an @".to_owned()),
        (&many, "9x9@a1", format!("met \"9x9\", expected a piece out of {all}")),
        (&many, "@a1", format!("met \"\", expected a piece out of {all}")),
        (&many, "1x2@a1", "met piece 1x2, expected a piece of the hand: 1x1 2nw".to_owned()),
        (&many, "1x1@e1", "met \"e1\", expected a column and a row from a1 to d3".to_owned()),
        (&many, "1x1@a4", "met \"a4\", expected a column and a row from a1 to d3".to_owned()),
        (&many, "1x1@a0", "met \"a0\", expected a column and a row from a1 to d3".to_owned()),
        (&many, "1x1@a+1", "met \"a+1\", expected a column and a row from a1 to d3".to_owned()),
        (&many, "1x1@a01", "met \"a01\", expected a column and a row from a1 to d3".to_owned()),
        (&many, "1x1@é1", "met \"é1\", expected a column and a row from a1 to d3".to_owned()),
        (&single, "", "met \"\", expected a column and a row from a1 to d3".to_owned()),
        (
            &single,
            "a99999999999999999999999",
            "met \"a99999999999999999999999\", expected a column and a row from a1 to d3"
                .to_owned(),
        ),
        (
            &single,
            "a3",
            "met \"a3\", which reaches over the edge, expected a corner from a1 to c2".to_owned(),
        ),
        (
            &single,
            "2nw@d1",
            "met \"2nw@d1\", which reaches over the edge, expected a corner from a1 to c2"
                .to_owned(),
        ),
    ] {
        let error = rules.parse_move(state, text).unwrap_err();
        assert_eq!(error.to_string(), said, "{text:?}");
    }
    assert_eq!(rules.parse_move(&single, " c2 "), rules.parse_move(&single, "2nw@c2"));
    assert!(rules.move_help().contains("1x1@a1"));
}

#[test]
fn blanks_around_rows_do_not_count() {
    let rules = rules(4, 3, "3", 1);
    let state = rules.parse_state("1x2|#...|.##.|....").unwrap();
    for text in [
        "  1x2\n  #...\n  .##.\n  ....  \n",
        " 1x2 | #... | .##. | .... \r\n",
        "\u{feff}1x2\n#...\n.##.\n....\n",
    ] {
        assert_eq!(rules.parse_state(text), Ok(state), "{text:?}");
    }
}

#[test]
fn illegal_moves_have_a_reason() {
    let rules = rules(4, 4, "7", 2);
    let state = rules.parse_state("1x2 1x1|#...|....|....|....").unwrap();
    let (dot, bar) = (0, 1);
    for (piece, at, said) in [
        (bar, 1, LEGAL),
        (dot, 15, LEGAL),
        (bar, 0, "a cell there is filled"),
        (dot, 0, "a cell there is filled"),
        (bar, 3, "the piece would reach over the edge"),
        (dot, 16, "the piece would reach over the edge"),
        (dot, 255, "the piece would reach over the edge"),
        (2, 1, "piece 2x1 is not in the hand"),
        (7, 1, "there is no such piece"),
        (255, 255, "there is no such piece"),
    ] {
        assert_eq!(rules.why_illegal(&state, Placement { piece, at }), said, "{piece} at {at}");
    }
}
