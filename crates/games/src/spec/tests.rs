//! Documented and shortest forms of specs, and the errors of invalid ones.

use super::GameSpec;

#[test]
fn every_documented_spec_round_trips() {
    for text in GameSpec::documented() {
        let spec: GameSpec = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        let printed = spec.to_string();
        let again: GameSpec = printed.parse().unwrap();
        assert_eq!(again.to_string(), printed, "from {text}");
    }
}

#[test]
fn specs_have_one_shortest_form() {
    for (text, shortest) in [
        ("2048", "2048:4x4"),
        ("2048:4x4,four=0.1", "2048:4x4"),
        ("2048:3x3,four=0.25", "2048:3x3,four=0.25"),
        ("tetris", "tetris:10x20"),
        ("tetris:melax", "tetris:6x2,melax"),
        ("tetris:6x2,pieces=melax,overflow=push,limit=10000", "tetris:6x2,melax"),
        ("tetris:8x12,next,overflow=clear", "tetris:8x12,overflow=clear,next"),
        ("tetris:weights=1/1/1/1/1/2/2", "tetris:10x20,weights=1/1/1/1/1/2/2"),
        ("tetris:pieces=a:#+b:##*2", "tetris:10x20,pieces=a:#+b:##*2"),
        ("1010", "1010:10x10,pieces=19"),
        ("1010:4x4", "1010:4x4,pieces=7"),
        ("1010:4x5,hand=3,score=square", "1010:4x5,pieces=7,hand=3,score=square"),
        ("1010:5x5,pieces=x:##/##", "1010:5x5,pieces=x:##/##"),
    ] {
        assert_eq!(text.parse::<GameSpec>().unwrap().to_string(), shortest, "from {text}");
    }
}

#[test]
fn errors_name_the_valid_options_and_values() {
    let weights = "expected whole numbers from 1 to 65536 divided by /";
    let drawn = "or drawn pieces such as T:###/.#.*2+I:####";
    for (text, said) in [
        ("2048:four=x", "four: found \"x\", expected a probability from 0 to 1"),
        ("2048:four=-0", "four: found \"-0\", expected a probability from 0 to 1"),
        ("2048:four=1e-1", "four: found \"1e-1\", expected a probability from 0 to 1"),
        ("2048:four", "four: found no value, expected four=P"),
        ("2048:3x3,4x4", "WIDTHxHEIGHT: given twice"),
        ("tetris:next=3", "next: found a value, expected next"),
        ("tetris:overflow=maybe", "overflow: found \"maybe\", expected lose, clear or push"),
        ("tetris:weights=1/2", "weights: found 2 weights, expected 7"),
        ("tetris:weights=0/1/1/1/1/1/1", &format!("weights: found \"0/1/1/1/1/1/1\", {weights}")),
        ("tetris:weights=70000", &format!("weights: found \"70000\", {weights}")),
        ("tetris:limit=+5", "limit: found \"+5\", expected a whole number of pieces"),
        (
            "tetris:pieces=dot:#+ell:#x",
            "pieces: piece ell: row 1, column 2: found 'x', expected '#' or '.'",
        ),
        ("tetris:pieces=no", &format!("pieces: found \"no\", expected standard, melax {drawn}")),
        ("1010:hand=01", "hand: found \"01\", expected 1, 2 or 3"),
        ("1010:pieces=20", &format!("pieces: found \"20\", expected 3, 7, 18, 19 {drawn}")),
    ] {
        let error = text.parse::<GameSpec>().unwrap_err().to_string();
        let game = text.split(':').next().unwrap();
        assert_eq!(error, format!("{game}: option {said}"), "from {text}");
    }
    for (text, said) in [
        ("go", "unknown game \"go\": the games are 2048, tetris, 1010"),
        ("", "unknown game \"\": the games are 2048, tetris, 1010"),
        ("2048:five=0", "2048 has no option \"five=0\": its options are WIDTHxHEIGHT, four=P"),
        ("2048:+3x+3", "2048 has no option \"+3x+3\": its options are WIDTHxHEIGHT, four=P"),
        ("2048:03x3", "2048 has no option \"03x3\": its options are WIDTHxHEIGHT, four=P"),
        (
            "tetris:10x99999999999999999999",
            "tetris has no option \"10x99999999999999999999\": its options are WIDTHxHEIGHT, \
             pieces=SET, weights=N/N/..., overflow=RULE, next, limit=N, melax",
        ),
        ("2048:9x9", "invalid board size 9x9: 2048 supports 2x2 to 4x4"),
        (
            "tetris:weights=65536/1/1/1/1/1/1",
            "the piece weights sum to 65542: expected at most 65536",
        ),
        ("1010:4x4,pieces=19", "piece 1x5 is 5 wide and 1 high: it does not fit a board of 4x4"),
        ("1010:2x2", "invalid board size 2x2: 1010! supports 3x3 to 10x10"),
    ] {
        assert_eq!(text.parse::<GameSpec>().unwrap_err().to_string(), said, "from {text}");
    }
}
