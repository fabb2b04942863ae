//! The program as a person or a script meets it: commands, JSON, exit codes, bad input.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterstate"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    program(arguments).output().unwrap()
}

fn run_with_input(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = program(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Standard output of a command that must succeed.
fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn objects(arguments: &[&str]) -> Vec<Value> {
    printed(arguments).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A command that must fail with a code and one clear sentence, and without a panic.
fn refused(arguments: &[&str], code: i32, sentence: &str) {
    complained(&run(arguments), arguments, code, sentence);
}

fn complained(output: &Output, arguments: &[&str], code: i32, sentence: &str) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    assert!(said.contains(sentence), "{arguments:?} said {said:?}, expected {sentence:?}");
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn eval_has_every_promised_field() {
    for game in ["2048:3x3", "tetris:10x20", "1010:4x4,pieces=7"] {
        let found = objects(&["eval", "greedy", "--game", game, "--games", "50", "--json"]);
        let [object] = &found[..] else { panic!("one object, met {found:?}") };
        assert_eq!(object["game"], game);
        assert_eq!(object["agent"], "greedy");
        assert_eq!(object["games"], 50);
        let number =
            |key: &str| object[key].as_f64().unwrap_or_else(|| panic!("{key} in {object}"));
        let (low, high) =
            (object["ci95"][0].as_f64().unwrap(), object["ci95"][1].as_f64().unwrap());
        assert!(low < number("mean") && number("mean") < high);
        assert!(number("median") <= number("max"));
        assert!(number("moves") >= 50.0 && number("seconds") > 0.0);
        assert!(number("moves_per_second") > 0.0);
    }
}

/// Every figure of a report, from the games themselves as `play --json` tells them.
#[test]
fn eval_reports_what_the_games_came_to() {
    let game = "1010:3x3,pieces=7";
    let eval = ["eval", "greedy", "--game", game, "--games", "1", "--seed", "5"];
    let report = objects(&[&eval[..], &["--json"]].concat()).remove(0);
    let told = objects(&["play", game, "--agent", "greedy", "--seed", "5", "--json"]);
    let last = told.last().unwrap();
    for (figure, expected) in [
        ("mean", &last["score"]),
        ("median", &last["score"]),
        ("min", &last["score"]),
        ("max", &last["score"]),
        ("mean_moves", &last["moves"]),
        ("moves", &last["moves"]),
    ] {
        assert_eq!(report[figure].as_f64(), expected.as_f64(), "{figure} in {report}");
    }
    assert!(last["score"].as_f64().unwrap() > 0.0);
    let table = printed(&eval);
    let score = last["score"].to_string().replace(".0", "");
    for line in ["mean score", "median", "best", "worst"] {
        let found = table.lines().find(|l| l.trim().starts_with(line)).unwrap();
        assert!(found.split_whitespace().any(|word| word == score), "{score} in {found:?}");
    }
}

#[test]
fn a_small_eval_is_pinned() {
    let eval = ["eval", "greedy", "--game", "2048:2x2", "--games", "7", "--seed", "3", "--json"];
    let report = objects(&eval).remove(0);
    assert_eq!(report["rules_version"], 1);
    let (min, median, max) = (&report["min"], &report["median"], &report["max"]);
    let (min, median, max) =
        (min.as_f64().unwrap(), median.as_f64().unwrap(), max.as_f64().unwrap());
    let mean = report["mean"].as_f64().unwrap();
    assert!(min < median && median < max && min < mean && mean < max && mean != median, "{report}");
    assert_eq!([min, median, max, (mean * 7.0).round()], [8.0, 24.0, 52.0, 180.0]);
    let reach = report["reach"].as_object().unwrap();
    assert_eq!(reach["4"]["rate"], 1.0);
}

#[test]
fn games_without_an_end_are_cut_off_on_request() {
    let eval = [
        "eval",
        "random",
        "--game",
        "tetris:overflow=push",
        "--games",
        "3",
        "--moves",
        "50",
        "--json",
    ];
    let report = objects(&eval).remove(0);
    assert_eq!((report["cut_off"].clone(), report["moves"].clone()), (3.into(), 150.into()));
}

#[test]
fn the_same_seed_gives_the_same_games_on_any_threads() {
    let mean = |threads: &str, seed: &str| {
        let eval = ["eval", "random", "--game", "1010:4x4,pieces=7", "--games", "300", "--json"];
        let all = [&eval[..], &["--threads", threads, "--seed", seed]].concat();
        objects(&all)[0]["mean"].clone()
    };
    assert_eq!(mean("1", "7"), mean("3", "7"));
    assert_ne!(mean("1", "7"), mean("1", "8"));
}

#[test]
fn games_lists_what_every_command_takes() {
    let listed = objects(&["games", "--json"]);
    let names: Vec<&str> = listed.iter().map(|game| game["game"].as_str().unwrap()).collect();
    assert_eq!(names, ["2048", "tetris", "1010"]);
    for example in listed.iter().flat_map(|game| game["examples"].as_array().unwrap()) {
        let spec = example["game"].as_str().unwrap();
        let shown = printed(&["play", spec, "--agent", "random", "--seed", "1", "--moves", "2"]);
        assert!(shown.contains("move 2") || shown.contains("Game over"), "{spec}: {shown}");
    }
    let for_people = printed(&["games"]);
    for option in ["four=P", "overflow=RULE", "hand=N"] {
        assert!(for_people.contains(option), "{option} in\n{for_people}");
    }
}

#[test]
fn perft_counts_by_hand() {
    // One piece on an empty 3x3 board: nine places, three pieces may follow.
    let board = b"1x1\n...\n...\n...\n";
    let perft = ["perft", "1010:3x3,pieces=3", "--depth", "1", "--board", "-"];
    let output = run_with_input(&perft, board);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let line = text(&output.stdout).lines().last().unwrap().to_owned();
    assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["1", "27", "0", "27"]);
    let deeper = objects(&["perft", "tetris:10x20", "--depth", "2", "--seed", "3", "--json"]);
    let sequences = |i: usize| deeper[i]["sequences"].as_u64().unwrap();
    let placements = sequences(0) / 7;
    assert!([9, 17, 34].contains(&placements), "placements of one piece: {placements}");
    assert_eq!(sequences(1), sequences(0) / 7 * 162 * 7, "every piece follows every piece");
    // Any of the four slides of four equal tiles merges two pairs: 4 slides, 2 cells, 2 kinds.
    let output = run_with_input(
        &["perft", "2048:2x2", "--depth", "1", "--board", "-", "--json"],
        b"4 4|4 4",
    );
    let counted: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (counted["sequences"].clone(), counted["last_rewards"].clone()),
        (16.into(), 256.0.into())
    );
}

#[test]
fn small_boards_are_solved_and_others_refused() {
    let solved = objects(&["solve", "2048:2x2", "--no-save", "--json"]).remove(0);
    assert!((solved["optimum"].as_f64().unwrap() - 66.96415).abs() < 5e-6, "{solved}");
    assert!(printed(&["solve", "2048:2x2", "--no-save"]).contains("66.96415 points"));
    let solved = objects(&["solve", "1010:3x3,pieces=7", "--no-save", "--json"]).remove(0);
    assert!((solved["optimum"].as_f64().unwrap() - 69.83).abs() < 0.01, "{solved}");
    let mut keys: Vec<&String> = solved.as_object().unwrap().keys().collect();
    keys.sort();
    let expected = [
        "boards",
        "edges",
        "immortal_boards",
        "optimum",
        "peak_bytes",
        "residual",
        "seconds",
        "sweeps",
    ];
    assert_eq!(keys, expected);
    let solved = objects(&["solve", "1010:3x3,pieces=3", "--no-save", "--json"]).remove(0);
    assert!(solved["optimum"].is_null() && solved["immortal_boards"] == 186, "{solved}");
    let said =
        printed(&["solve", "1010:3x3,pieces=7", "--no-save", "--reward", "r2", "--gamma", "0.8"]);
    assert!(said.contains("for r2, gamma 0.8") && said.contains("of memory"), "{said}");
    refused(&["solve", "2048", "--no-save"], 1, "learn instead");
    refused(&["solve", "1010", "--no-save"], 1, "2^102 bytes");
    refused(&["solve", "2048:2x2", "--gamma", "2"], 1, "met gamma 2, expected 0 to 1");
    refused(&["solve", "2048:2x2", "--reward", "fun"], 2, "expected r1, r2, r3");
}

#[test]
fn a_solved_game_is_an_agent() {
    let folder = std::env::temp_dir().join(format!("solved-{}", std::process::id()));
    let path = folder.join("best.safetensors");
    let path = path.to_str().unwrap();
    let said = printed(&["solve", "1010:3x3,pieces=7", "--out", path]);
    assert!(said.contains("saved as"), "{said}");
    let report = objects(&["eval", path, "--games", "3000", "--json"]).remove(0);
    let (mean, expected) = (report["mean_moves"].as_f64().unwrap(), 69.83);
    // Lengths are nearly geometric: five standard errors.
    assert!((mean / expected - 1.0).abs() < 5.0 / 3000f64.sqrt(), "{report}");
    let error = "expected one for 1010:4x4";
    refused(&["eval", path, "--game", "1010:4x4,pieces=7", "--games", "1"], 1, error);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn bench_prints_a_line_a_benchmark() {
    let lines = objects(&["bench", "--seconds", "0", "--json"]);
    let names: Vec<&str> = lines.iter().map(|line| line["name"].as_str().unwrap()).collect();
    for name in ["2048/four_moves", "tetris/random_play", "1010/random_play"] {
        assert!(names.contains(&name), "{name} among {names:?}");
    }
    for line in &lines {
        assert!(line["value"].as_f64().unwrap() > 0.0 && line["unit"].is_string(), "{line}");
    }
    let one = printed(&["bench", "--fingerprint"]);
    assert_eq!(one, printed(&["bench", "--fingerprint"]));
    assert_eq!(one.trim().len(), 16);
    refused(&["bench", "nonsense"], 1, "no benchmark has \"nonsense\" in its name");
}

#[test]
fn random_play_reports_means_with_errors() {
    let lines = objects(&["random-play", "2048:2x2", "tetris:4x20", "--games", "100", "--json"]);
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["game"], "tetris:4x20");
    assert!(lines[0]["score_error"].as_f64().unwrap() > 0.0);
    let eval = ["eval", "random", "--game", "2048:2x2", "--games", "100", "--json"];
    let same = objects(&eval).remove(0);
    assert_eq!(lines[0]["mean_score"], same["mean"]);
    assert_eq!(lines[0]["mean_moves"], same["mean_moves"]);
    let table = printed(&["random-play", "2048:2x2", "--games", "100"]);
    let row: Vec<&str> = table.lines().last().unwrap().split_whitespace().collect();
    let near = |word: &str, value: &Value| {
        (word.parse::<f64>().unwrap() - value.as_f64().unwrap()).abs() < 0.1
    };
    assert!(near(row[1], &same["mean"]) && near(row[4], &same["mean_moves"]), "{row:?}");
}

#[test]
fn a_person_plays_by_hand() {
    let moves = b"moves\nsideways\nleft\nright\nup\ndown\nquit\n";
    let output = run_with_input(&["play", "2048", "--seed", "4"], moves);
    assert!(output.status.success());
    let shown = text(&output.stdout);
    assert!(shown.contains("met \"sideways\", expected up, right, down or left"), "{shown}");
    assert!(shown.contains("Stopped after"), "{shown}");
    assert!(shown.contains("--seed 4"), "{shown}");
}

#[test]
fn the_end_of_the_input_ends_the_game() {
    for game in ["2048", "tetris", "1010"] {
        let output = run(&["play", game, "--seed", "4"]);
        assert!(output.status.success());
        assert!(text(&output.stdout).contains("Stopped after 0 moves"), "{game}");
    }
    let output = run_with_input(&["play", "tetris"], b"\xff\xfe nonsense\n\xc3\n");
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn an_agents_game_in_json_can_be_followed() {
    let lines =
        objects(&["play", "1010:3x3,pieces=7", "--agent", "greedy", "--seed", "1", "--json"]);
    let score = |line: &Value| line["score"].as_f64().unwrap();
    for pair in lines.windows(2) {
        assert_eq!(score(&pair[1]), score(&pair[0]) + pair[1]["reward"].as_f64().unwrap());
        assert!(pair[1]["move"].is_string());
    }
    let last = lines.last().unwrap();
    assert_eq!((lines[0]["over"].clone(), last["over"].clone()), (false.into(), true.into()));
}

#[test]
fn custom_pieces_come_from_a_file() {
    let folder = std::env::temp_dir().join(format!("afterstate-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str, content: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let good = file("good.txt", b"; two pieces\ndot 3\n#\n\nbar\n##\n");
    let spec = format!("tetris:5x6,pieces=@{good},next");
    let found = objects(&["eval", "random", "--game", &spec, "--games", "5", "--json"]);
    assert_eq!(found[0]["game"], "tetris:5x6,pieces=dot:#*3+bar:##,next");
    let bad = file("bad.txt", b"\xff\xfe#\n");
    let spec = format!("tetris:pieces=@{bad}");
    refused(&["eval", "random", "--game", &spec], 2, "is not UTF-8 text");
    let large = file("large.txt", &vec![b'#'; 2 << 20]);
    refused(
        &["eval", "random", "--game", &format!("1010:pieces=@{large}")],
        2,
        "larger than 1 MiB",
    );
    let drawn = file("drawn.txt", b"a\n##\n#x\n");
    let spec = format!("1010:pieces=@{drawn}");
    refused(
        &["eval", "random", "--game", &spec],
        2,
        "line 3, column 2: met 'x', expected '#' or '.'",
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn bad_command_lines_end_with_code_2_and_a_sentence() {
    let games = "the games are 2048, tetris, 1010";
    refused(&["eval", "random", "--game", "chess"], 2, games);
    refused(&["play", "go"], 2, games);
    refused(&["play", "2048:5x5"], 2, "met a board of 5x5, expected 2x2 to 4x4 cells");
    refused(&["play", "tetris:10x40"], 2, "expected 4 to 16 columns and 2 to 32 rows");
    refused(&["play", "tetris:colour=red"], 2, "its options are WIDTHxHEIGHT, pieces=SET");
    refused(&["play", "1010:4x4,pieces=19"], 2, "at most 4 wide");
    refused(
        &["eval", "genius", "--game", "2048"],
        2,
        "linear:SET=W,W,..., an agent's file or a run's folder",
    );
    let rules = ["--rules", "tetris:10x10"];
    refused(&[&["eval", "linear:dt=1,2"], &rules[..]].concat(), 1, "met 2 weights, expected 9");
    refused(&["eval", "linear:dt=1,NaN"], 2, "met \"NaN\" as weight 2, expected a finite number");
    refused(&["eval", "linear:dt"], 2, "expected linear:SET=W,W,...");
    refused(&["eval", "dt-10", "--game", "2048"], 1, "expected a set of 2048: it has none");
    refused(&["eval", "dt-10"], 2, "say which with --game, such as --game tetris:10x10");
    refused(&["eval", "random"], 2, "--game");
    refused(&["eval", "random", "--game", "2048", "--games", "0"], 2, "0 is not in 1..");
    refused(&["eval", "random", "--game", "2048", "--threads", "0"], 2, "from 1 to 1024");
    refused(&["eval", "random", "--game", "2048", "--seed", "-1"], 2, "'-1'");
    refused(&["bench", "--seconds", "NaN"], 2, "expected seconds from 0 to 3600");
    refused(&["play", "tetris:pieces=@/no/such/file"], 2, "cannot read /no/such/file");
    refused(&["play", "2048:pieces=@/etc/passwd"], 2, "2048 has no option");
    refused(&["play", "tetris:pieces=@"], 2, "met @ alone, expected @FILE");
    refused(&["eval", "random", "--game", "2048", "--games", "100000000000"], 2, "is not in 1..");
    refused(&["bench", "--fingerprint", "tetris"], 2, "cannot be used with");
    refused(&["dance"], 2, "dance");
    refused(&[], 2, "Usage");
}

#[test]
fn bad_boards_end_with_code_1_and_their_place() {
    let perft = |input: &[u8], sentence: &str| {
        let arguments = ["perft", "2048:3x3", "--board", "-"];
        complained(&run_with_input(&arguments, input), &arguments, 1, sentence);
    };
    perft(b"2 4 8\n2 4 8\n", "standard input: met 2 rows, expected 3");
    perft(b"2 4 8\n2 4\n2 4 8\n", "row 2: met 2 cells, expected 3");
    perft(b"2 4 8\n2 4 7\n2 4 8\n", "row 2, column 3: met \"7\"");
    perft(b"\xff\n", "standard input is not UTF-8 text");
    refused(&["perft", "2048", "--board", "/no/such/file"], 1, "cannot read /no/such/file");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let arguments = ["play", "tetris:6x2,melax", "--agent", "random"];
    let mut child =
        program(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stderr), "");
    assert!(output.status.success(), "{:?}", output.status);
}

#[test]
fn agents_lists_who_plays_and_eval_takes_them() {
    let listed = objects(&["agents", "--json"]);
    let names: Vec<&str> = listed.iter().map(|one| one["agent"].as_str().unwrap()).collect();
    for name in ["random", "greedy", "dellacherie", "bcts", "dt-10", "dt-20", "rv-ce"] {
        assert!(names.contains(&name), "{name} among {names:?}");
        let eval = ["eval", name, "--game", "tetris:10x20", "--games", "2", "--moves", "100"];
        let report = objects(&[&eval[..], &["--json"]].concat()).remove(0);
        assert!(report["to_the_end"]["low"].as_f64().unwrap() >= 0.0, "{report}");
    }
    let for_people = printed(&["agents"]);
    assert!(for_people.contains("bertsekas") && for_people.contains("linear:SET="), "{for_people}");
    let weights = "linear:dellacherie=-1,1,-1,-1,-4,-1";
    let play = |agent: &str| {
        printed(&[
            "play",
            "tetris:10x10",
            "--agent",
            agent,
            "--seed",
            "1",
            "--moves",
            "50",
            "--json",
        ])
    };
    assert_eq!(play(weights), play("dellacherie"), "the same weights by name");
    let eval = ["eval", "dt-10", "--rules", "tetris:10x20", "--games", "3", "--moves", "50"];
    let told = printed(&eval);
    assert!(told.contains("3 games reached a limit on moves instead of an end"), "{told}");
    assert!(told.contains("to the end    more than ") && told.contains("(0 ends)"), "{told}");
}

#[test]
fn completions_know_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&["completions", shell]);
        for command in ["play", "eval", "perft", "bench", "games", "random-play", "solve", "train"]
        {
            assert!(script.contains(command), "{command} for {shell}");
        }
    }
}

#[test]
fn help_is_there_for_every_command() {
    for command in ["play", "eval", "perft", "bench", "games", "random-play", "completions"] {
        assert!(printed(&[command, "--help"]).contains("Usage: afterstate"), "{command}");
    }
}

#[test]
fn reproduce_lists_its_experiments_and_refuses_others() {
    let listed = objects(&["reproduce", "--json"]);
    let names: Vec<&str> = listed.iter().map(|one| one["experiment"].as_str().unwrap()).collect();
    assert!(names.contains(&"chen-table1") && names.contains(&"chen-states"), "{names:?}");
    let text = printed(&["reproduce"]);
    assert!(names.iter().all(|name| text.contains(name)));
    let sentence = "unknown experiment \"chen\": expected one of chen-figure2, chen-table1";
    refused(&["reproduce", "chen"], 2, sentence);
    refused(&["reproduce", "chen-table1", "--all"], 2, "cannot be used with");
}
