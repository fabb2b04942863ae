//! The text format of CS3243.

use afterstate_engine::cs3243::{COLUMNS, ExchangeError, parse_weights, play, read, write};

/// The example of the lecture notes: two games of three boards.
const EXAMPLE: &str = "\
1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 0
1 0 18 13 11 1 16 5 20 18 20 19 2 16 19 17 8 2 6 19 9 12 2
1 9 5 3 12 1 3 21 0 11 14 6 10 18 10 5 2 6 1 3 3 1 1
#
1 10 2 4 17 21 6 7 11 6 15 11 11 6 1 6 4 13 11 16 10 10 0
1 13 15 4 10 14 13 13 6 9 0 4 8 9 7 3 11 17 10 12 8 18 4
1 7 18 10 3 11 1 0 8 17 0 4 17 13 0 17 6 16 8 0 16 8 0
";

#[test]
fn the_example_round_trips() {
    let mut text = Vec::new();
    let mut games = 0;
    read(EXAMPLE.as_bytes(), |game| {
        assert_eq!(game.len(), 3);
        write(game, games == 0, &mut text).unwrap();
        games += 1;
    })
    .unwrap();
    assert_eq!((games, String::from_utf8(text).unwrap().as_str()), (2, EXAMPLE));
}

#[test]
fn errors_name_the_line() {
    let count = "line 3 has 22 numbers, expected 23: the constant 1, 21 features and the reward";
    let reward = "line 5 has reward 3, expected 0 for the first board of a game";
    for (from, to, expected) in [
        (" 1 1\n#", " 1\n#", count),
        ("17 21 6", "17 x 6", "line 5: \"x\" is not a finite number"),
        ("17 21 6", "17 NaN 6", "line 5: \"NaN\" is not a finite number"),
        ("1 13 15", "2 13 15", "line 6 begins with 2, expected the constant 1"),
        ("16 10 10 0", "16 10 10 3", reward),
    ] {
        let error = read(EXAMPLE.replace(from, to).as_bytes(), |_| {}).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn games_that_exceed_the_boards_are_dropped() {
    let weights = vec![0.0; COLUMNS];
    let mut rows = 0;
    let all = play::<ExchangeError>(1_000, &weights, 1, 200, |game| {
        rows += game.len();
        Ok(())
    });
    assert_eq!((all.unwrap(), rows <= 200 && rows > 100), (201, true), "{rows}");
}

#[test]
fn errors_of_weights_name_the_cause() {
    let error = |text: &str| parse_weights(text).unwrap_err().to_string();
    assert_eq!(
        error("1 2 NaN"),
        "\"NaN\" is not a weight: expected 22 numbers from -1e30 to 1e30 separated by spaces"
    );
    assert_eq!(error("1 2"), "2 weights, expected 22 separated by spaces");
}
