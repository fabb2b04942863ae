//! `analyze` and `--search`, for people and for other programs.

use std::fs;
use std::io::Write;
use std::process::Output;

use crate::harness::{
    Scratch, TD, assert_contains, failed, lines as recipe_of_lines, objects, printed, program,
    refused, stdout, words,
};
use serde_json::Value;

const TETRIS: &str = "I|...#######|...#######|.#########";

fn answered(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = program(arguments).stdin(std::process::Stdio::piped()).spawn().unwrap();
    // A program that reads its board from a file may end before it reads its input.
    let written = child.stdin.take().unwrap().write_all(input);
    assert!(
        written.is_ok()
            || written.is_err_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    );
    child.wait_with_output().unwrap()
}

fn analysis(arguments: &[&str], input: &str) -> Value {
    serde_json::from_str(&stdout(&answered(arguments, input.as_bytes()))).unwrap()
}

#[test]
fn every_move_has_a_value_the_best_first() {
    let arguments = ["analyze", "greedy", "--game", "2048", "--search", "expectimax:2", "--json"];
    let found = analysis(&arguments, "4 4 2 2\n. . . .\n. . . .\n. . . .\n");
    let moves = found["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 3, "{found}");
    let values: Vec<f64> = moves.iter().map(|mv| mv["value"].as_f64().unwrap()).collect();
    assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
    // Sliding along the row merges both pairs; the two ways have the same value but for rounding.
    let best = moves[0]["move"].as_str().unwrap();
    assert!(["left", "right"].contains(&best), "{found}");
    assert_eq!(moves[0]["reward"].as_f64(), Some(12.0));
    assert_eq!((found["terminal"].as_bool(), found["plies"].as_u64()), (Some(false), Some(2)));
    let turns = found["continuation"].as_array().unwrap();
    assert_eq!(turns.len(), 3);
    assert_eq!(turns[0]["move"], moves[0]["move"]);
}

#[test]
fn the_old_name_of_the_command_works() {
    let board = "4 4 2 2|. . . .|. . . .|. . . .";
    let ask = |command: &str| analysis(&[command, "greedy", "--game", "2048", "--json"], board);
    assert_eq!(ask("advise"), ask("analyze"));
    assert!(!printed(&["--help"]).contains("advise"));
}

#[test]
fn reasons_name_the_features_that_differ() {
    let arguments = ["analyze", "dellacherie", "--game", "tetris", "--search", "greedy", "--json"];
    let found = analysis(&arguments, TETRIS);
    assert_eq!(found["moves"].as_array().unwrap().len(), 17);
    let why = found["why"].as_array().unwrap();
    assert!(!why.is_empty());
    let mut difference = 0.0;
    for reason in why {
        assert_ne!(reason["best"], reason["second"]);
        difference += reason["best"].as_f64().unwrap() - reason["second"].as_f64().unwrap();
    }
    // The reasons add up to the whole difference.
    let value = |place: usize| found["moves"][place]["value"].as_f64().unwrap();
    assert!((difference - (value(0) - value(1))).abs() < 1e-3, "{found}");
    let text = stdout(&answered(&arguments[..6], TETRIS.as_bytes()));
    assert!(text.contains("Why ") && text.contains("Likely continuation: "), "{text}");
}

#[test]
fn threads_and_files_give_the_same_analysis() {
    let scratch = Scratch::new("analyze");
    let path = scratch.path("board.txt");
    fs::write(&path, TETRIS.replace('|', "\n")).unwrap();
    let ask = |more: &[&str]| {
        let arguments =
            ["analyze", "dt-10", "--game", "tetris:10x10", "--search", "minimax:2", "--json"];
        analysis(&[&arguments[..], more].concat(), TETRIS)
    };
    let one = ask(&[]);
    assert_eq!(one["moves"], ask(&["--threads", "3"])["moves"]);
    assert_eq!(one, ask(&["--board", &path]));
}

#[test]
fn every_line_of_standard_input_has_an_answer() {
    let good = "2 2 . .|. . . .|. . . .|. . . .";
    let mut input = Vec::new();
    let lines: [(&[u8], &str); 9] = [
        (good.as_bytes(), "moves"),
        (b"", "error"),
        (b"hello", "error"),
        (b"3 . . .|. . . .|. . . .|. . . .", "error"),
        (b"\xff\xfe\x00", "error"),
        (&[b'2'; 200_000], "error"),
        (b"2 4 2 4|4 2 4 2|2 4 2 4|4 2 4 2", "terminal"),
        (b"99999999999999999999 . . .|. . . .|. . . .|. . . .", "error"),
        (good.as_bytes(), "moves"),
    ];
    for (line, _) in &lines {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    let arguments = ["analyze", "greedy", "--game", "2048", "--serve-stdin", "--json"];
    let answers = stdout(&answered(&arguments, &input));
    let answers: Vec<Value> =
        answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), lines.len());
    for (answer, (line, kind)) in answers.iter().zip(&lines) {
        let shown = String::from_utf8_lossy(&line[..line.len().min(40)]);
        assert_eq!(answer["error"].is_string(), *kind == "error", "{shown}: {answer}");
        assert_eq!(answer["terminal"] == true, *kind == "terminal", "{shown}: {answer}");
    }
    assert_eq!(answers[0], answers[8]);
    // The same for people: one line each, the last one without a line break.
    let plain = stdout(&answered(&arguments[..5], format!("nonsense\n{good}").as_bytes()));
    let plain: Vec<&str> = plain.lines().collect();
    assert_eq!(plain.len(), 2);
    assert_contains(plain[0], "error: found 1 row, expected 4");
    assert!(plain[1].starts_with("right ") && plain[1].contains(", down "), "{plain:?}");
}

#[test]
fn agents_without_values_and_wrong_boards_are_refused() {
    refused(&["analyze", "random", "--game", "2048"], 2, "random has no values to analyze with");
    refused(&["analyze", "greedy"], 2, "choose one with --game");
    let search = ["eval", "greedy", "--game", "2048", "--search", "expectimax:99"];
    refused(&search, 2, "invalid search \"expectimax:99\": the depth is 1 to 64 plies");
    let random = ["eval", "random", "--game", "2048", "--search", "expectimax:2"];
    let refusal = "random has no values to search with: use the search greedy, not expectimax:2";
    refused(&random, 2, refusal);
    let board = answered(&["analyze", "greedy", "--game", "2048"], b"2 2");
    failed(&board, 1, "standard input: found 1 row, expected 4");
}

#[test]
fn search_raises_the_score() {
    let mean = |search: &str| {
        let eval = format!("eval greedy --game 2048:3x3 --games 300 --search {search} --json");
        objects(&words(&eval))[0]["mean"].as_f64().unwrap()
    };
    let (one, two, worst) = (mean("greedy"), mean("expectimax:3"), mean("minimax:3"));
    assert!(two > 1.3 * one, "{two} and {one}");
    assert!(worst > one, "{worst} and {one}");
    let play = words("play 2048:3x3 --agent greedy --search expectimax:2 --seed 1 --moves 3");
    let played = printed(&play);
    assert!(played.starts_with("2048:3x3, agent greedy with expectimax:2, seed 1"), "{played}");
}

#[test]
fn training_with_search_is_deterministic() {
    let scratch = Scratch::new("train-search");
    let recipe = scratch.recipe(&recipe_of_lines(30, TD));
    let train = |out: &str, search: &str| {
        let out = scratch.path(out);
        let arguments = ["train", &recipe, "--out", &out, "--threads", "1", "--eval-games", "0"];
        printed(&[&arguments[..], &["--search", search]].concat());
        let kept = fs::read_to_string(format!("{out}/recipe.toml")).unwrap();
        // Greedy play is the default, which recipes leave out.
        let named = kept.contains(&format!("search = \"{search}\""));
        assert_eq!(named, search != "greedy", "{kept}");
        fs::read(format!("{out}/agent.safetensors")).unwrap()
    };
    let first = train("a", "expectimax:2");
    assert!(first == train("b", "expectimax:2"), "the same seed gives the same bytes");
    assert!(first != train("c", "greedy"), "a search plays other games");
    let sentence = "unknown search \"deep\": use greedy, expectimax:PLIES";
    refused(&["train", &recipe, "--search", "deep"], 2, sentence);
    let sentence = "unknown search \"deep\": use greedy, expectimax:PLIES";
    refused(&["train", &recipe, "--set", "network.search=deep"], 1, sentence);
}

#[test]
fn the_built_in_agent_analyzes_boards_of_any_game_and_json() {
    for (board, moves) in [
        ("4 4 2 2|. . . .|. . . .|. . . .", 3),
        ("[[4,4,2,2],[0,0,0,0],[0,0,0,0],[0,0,0,0]]", 3),
        (r#"{"piece":"O","board":[".########.",".########."]}"#, 9),
    ] {
        let found = analysis(&["analyze", "--search", "greedy", "--json"], board);
        assert_eq!(found["moves"].as_array().unwrap().len(), moves, "{board}: {found}");
    }
    let refusal = answered(&["analyze"], b"no board");
    failed(&refusal, 2, "not a board of 2048, tetris or 1010");
    let lines = answered(&["analyze", "--serve-stdin", "--json"], b"[[2,0\n2 2|. .\n");
    let lines = stdout(&lines);
    assert_eq!(lines.lines().count(), 2);
    assert!(lines.lines().all(|line| line.contains("\"error\"")), "{lines}");
}
