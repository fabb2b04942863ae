//! Small games solved exactly, and games that are too large.

use crate::harness::{Scratch, objects, printed, refused, words};

#[test]
fn small_boards_are_solved_and_others_refused() {
    let solved = objects(&["solve", "2048:2x2", "--no-save", "--json"]).remove(0);
    assert!((solved["optimum"].as_f64().unwrap() - 66.96415).abs() < 5e-6, "{solved}");
    assert!(printed(&["solve", "2048:2x2", "--no-save"]).contains("66.96415 points"));
    let solved = objects(&["solve", "1010:3x3,pieces=7", "--no-save", "--json"]).remove(0);
    assert!((solved["optimum"].as_f64().unwrap() - 69.83).abs() < 0.01, "{solved}");
    let mut keys: Vec<&String> = solved.as_object().unwrap().keys().collect();
    keys.sort();
    let expected = words("boards edges immortal_boards optimum peak_bytes residual seconds sweeps");
    assert_eq!(keys, expected);
    let solved = objects(&["solve", "1010:3x3,pieces=3", "--no-save", "--json"]).remove(0);
    assert!(solved["optimum"].is_null() && solved["immortal_boards"] == 186, "{solved}");
    let shown =
        printed(&["solve", "1010:3x3,pieces=7", "--no-save", "--reward", "r2", "--gamma", "0.8"]);
    assert!(shown.contains("for r2, gamma 0.8") && shown.contains("of memory"), "{shown}");
    refused(&["solve", "2048", "--no-save"], 1, "learn instead");
    refused(&["solve", "1010", "--no-save"], 1, "2^102 bytes");
    let sentence = "have no index: solve a smaller board, with one piece at a time";
    refused(&["solve", "tetris:4x5,pieces=melax,next", "--no-save"], 1, sentence);
    refused(&["solve", "2048:2x2", "--gamma", "2"], 1, "gamma is 2, but must be 0 to 1");
    let sentence = "invalid reward \"fun\": expected r1, r2, r3, or a sum such as";
    refused(&["solve", "2048:2x2", "--reward", "fun"], 2, sentence);
}

#[test]
fn a_solved_game_is_an_agent() {
    let scratch = Scratch::new("solved");
    let path = &scratch.path("folder/best.safetensors");
    let shown = printed(&["solve", "1010:3x3,pieces=7", "--out", path]);
    assert!(shown.contains("saved as"), "{shown}");
    let report = objects(&["eval", path, "--games", "3000", "--json"]).remove(0);
    let (mean, expected) = (report["mean_moves"].as_f64().unwrap(), 69.83);
    // Lengths are nearly geometric: five standard errors.
    assert!((mean / expected - 1.0).abs() < 5.0 / 3000f64.sqrt(), "{report}");
    let error = "not for 1010:4x4";
    refused(&["eval", path, "--game", "1010:4x4,pieces=7", "--games", "1"], 1, error);
}
