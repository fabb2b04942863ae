//! Invalid input: every error is a sentence that names the invalid part and what is valid.

use afterstate_core::Text;
use afterstate_core::text::LEGAL;

use super::super::{Placement, Scoring, TenTen, sets};
use super::rules;
use crate::pieces::Piece;

#[test]
fn errors_of_invalid_rules() {
    let seven = || sets::named("7").unwrap();
    let nineteen = || sets::named("19").unwrap();
    let weightless = || vec![Piece { weight: 0, ..seven()[0].clone() }];
    let named_like_no_piece = || vec![Piece { name: "-".to_owned(), ..seven()[0].clone() }];
    for (width, height, pieces, hand, said) in [
        (2, 4, seven(), 1, "invalid board size 2x4: 1010! supports 3x3 to 10x10"),
        (4, 11, seven(), 1, "invalid board size 4x11: 1010! supports 3x3 to 10x10"),
        (
            usize::MAX,
            0,
            seven(),
            1,
            "invalid board size 18446744073709551615x0: 1010! supports 3x3 to 10x10",
        ),
        (4, 4, seven(), 0, "invalid hand of 0 pieces: 1010! supports 1 to 3"),
        (4, 4, seven(), 4, "invalid hand of 4 pieces: 1010! supports 1 to 3"),
        (4, 10, nineteen(), 1, "piece 1x5 is 5 wide and 1 high: it does not fit a board of 4x10"),
        (10, 4, nineteen(), 1, "piece 5x1 is 1 wide and 5 high: it does not fit a board of 10x4"),
        (4, 4, vec![], 1, "found 0 pieces, expected 1 to 64"),
        (4, 4, weightless(), 1, "piece 1x1 has weight 0: expected at least 1"),
        (
            4,
            4,
            named_like_no_piece(),
            1,
            "found a piece named \"-\", expected another name, because - means no piece",
        ),
    ] {
        let error = TenTen::new(width, height, pieces, hand, Scoring::Real).unwrap_err();
        assert_eq!(error.to_string(), said);
    }
}

#[test]
fn errors_of_invalid_states() {
    let one = rules(4, 3, "3", 1);
    let two = rules(4, 3, "3", 2);
    for (rules, text, said) in [
        (&one, "", "found no text, expected the hand above the board"),
        (&one, "\n....\n....\n....", "found no text, expected the hand above the board"),
        (&one, "-|....|....|....", "found 0 pieces above the board, expected 1"),
        (&one, "1x1 1x1|....|....|....", "found 2 pieces above the board, expected 1"),
        (&two, "-|....|....|....", "found 0 pieces above the board, expected 1 to 2"),
        (&two, "1x1 1x1 1x1|....|....|....", "found 3 pieces above the board, expected 1 to 2"),
        (&one, "3x3|....|....|....", "found piece \"3x3\", expected one of 1x1 1x2 2x1"),
        (&two, "1x1 -|....|....|....", "found piece \"-\", expected one of 1x1 1x2 2x1"),
        (&one, "....|....|....", "found piece \"....\", expected one of 1x1 1x2 2x1"),
        (&one, "1x1", "found 0 rows below the hand, expected 3"),
        (&one, "1x1|....|....", "found 2 rows below the hand, expected 3"),
        (&one, "1x1|....|....|....|....", "found 4 rows below the hand, expected 3"),
        (&one, "1x1|....|....|...", "row 3: found 3 cells, expected 4"),
        (&one, "1x1|....|.....|....", "row 2: found 5 cells, expected 4"),
        (&one, "1x1|....|||....", "found 4 rows below the hand, expected 3"),
        (&one, "1x1|....||....", "row 2: found 0 cells, expected 4"),
        (&one, "1x1|..x.|....|....", "row 1, column 3: found 'x', expected '.' or '#'"),
        (&one, "1x1|....|. ..|....", "row 2, column 2: found ' ', expected '.' or '#'"),
        (&one, "1x1|....| ...|....", "row 2: found 3 cells, expected 4"),
        (&one, "1x1|....|..é.|....", "row 2, column 3: found 'é', expected '.' or '#'"),
        (&one, "1x1|....|####|....", "row 2: the row is full: full lines clear at once"),
        (&one, "1x1|.#..|.#..|.#..", "column 2: the column is full: full lines clear at once"),
    ] {
        let error = rules.parse_state(text).unwrap_err();
        assert_eq!(error.to_string(), said, "{text:?}");
    }
}

#[test]
fn errors_of_invalid_afterstates() {
    let one = rules(4, 3, "3", 1);
    let two = rules(4, 3, "3", 2);
    for (rules, text, said) in [
        (&one, "1x1|....|....|....", "found 1 piece above the board, expected none, written -"),
        (&two, "1x1 1x1|....|....|....", "found 2 pieces above the board, expected 0 to 1"),
        (&two, "....|....|....", "found piece \"....\", expected one of 1x1 1x2 2x1"),
    ] {
        let error = rules.parse_after(text).unwrap_err();
        assert_eq!(error.to_string(), said, "{text:?}");
    }
    assert!(two.parse_after("1x1|....|....|....").is_ok());
    assert!(two.parse_after("-|....|....|....\r\n\n").is_ok());
}

#[test]
fn errors_of_invalid_moves() {
    let rules = rules(4, 3, "7", 3);
    let many = rules.parse_state("1x1 2nw|....|....|....").unwrap();
    let single = rules.parse_state("2nw 2nw|....|....|....").unwrap();
    let all = "1x1 1x2 2x1 2nw 2ne 2sw 2se";
    let edge = "the piece would reach over the edge: its corner is from a1 to c2";
    for (state, text, said) in [
        (&many, "b3", "found \"b3\" without a piece, expected one of 1x1 2nw before an @"),
        (&many, "", "found \"\" without a piece, expected one of 1x1 2nw before an @"),
        (&many, "9x9@a1", &format!("found piece \"9x9\", expected one of {all}")),
        (&many, "@a1", &format!("found piece \"\", expected one of {all}")),
        (&many, "1x2@a1", "piece 1x2 is not in the hand, which has 1x1 2nw"),
        (&single, "a3", edge),
        (&single, "2nw@d1", edge),
    ] {
        assert_eq!(rules.parse_move(state, text).unwrap_err().to_string(), said, "{text:?}");
    }
    for text in ["", "e1", "a4", "a0", "a+1", "a01", "é1", "a99999999999999999999999"] {
        let said = format!("found {text:?}, expected a column and a row from a1 to d3");
        for (state, text) in [(&many, format!("1x1@{text}")), (&single, text.to_owned())] {
            assert_eq!(rules.parse_move(state, &text).unwrap_err().to_string(), said, "{text:?}");
        }
    }
    assert_eq!(rules.parse_move(&single, " c2 "), rules.parse_move(&single, "2nw@c2"));
    assert!(rules.move_help().contains("1x1@a1"));
}

#[test]
fn blanks_around_rows_are_ignored() {
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
