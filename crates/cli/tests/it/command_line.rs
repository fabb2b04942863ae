//! Small commands, help, exit codes and invalid input.

use crate::harness::{Scratch, failed, objects, printed, refused, run_with_input, text, words};
use serde_json::Value;

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
    let perft = words("perft 2048:2x2 --depth 1 --board - --json");
    let output = run_with_input(&perft, b"4 4|4 4");
    let counted: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&counted["sequences"], &counted["last_rewards"]), (&16.into(), &256.0.into()));
}

#[test]
fn bench_prints_a_line_per_benchmark() {
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
    refused(&["bench", "nonsense"], 1, "no benchmark has a name with \"nonsense\"");
}

#[test]
fn custom_pieces_come_from_a_file() {
    let scratch = Scratch::new("pieces");
    let file = |name: &str, content: &[u8]| {
        let path = scratch.path(name);
        std::fs::write(&path, content).unwrap();
        path
    };
    let good = file("good.txt", b"; two pieces\ndot 3\n#\n\nbar\n##\n");
    let spec = format!("tetris:5x6,pieces=@{good},next");
    let found = objects(&["eval", "random", "--game", &spec, "--games", "5", "--json"]);
    assert_eq!(found[0]["game"], "tetris:5x6,pieces=dot:#*3+bar:##,next");
    let bad = file("bad.txt", b"\xff\xfe#\n");
    let spec = format!("tetris:pieces=@{bad}");
    refused(&["eval", "random", "--game", &spec], 2, "is not UTF-8 text");
    let large = file("large.txt", &vec![b'#'; 2 << 20]);
    let sentence = "larger than 1 MiB";
    refused(&["eval", "random", "--game", &format!("1010:pieces=@{large}")], 2, sentence);
    let drawn = file("drawn.txt", b"a\n##\n#x\n");
    let spec = format!("1010:pieces=@{drawn}");
    let sentence = "line 3, column 2: found 'x', expected '#' or '.'";
    refused(&["eval", "random", "--game", &spec], 2, sentence);
}

#[test]
fn bad_command_lines_end_with_code_2_and_a_sentence() {
    let games = "the games are 2048, tetris, 1010";
    refused(&["eval", "random", "--game", "chess"], 2, games);
    refused(&["play", "go"], 2, games);
    refused(&["play", "2048:5x5"], 2, "invalid board size 5x5: 2048 supports 2x2 to 4x4");
    refused(&["play", "tetris:10x40"], 2, "invalid well size 10x40: Tetris supports 4x2 to 16x32");
    refused(&["play", "tetris:colour=red"], 2, "its options are WIDTHxHEIGHT, pieces=SET");
    refused(&["play", "1010:4x4,pieces=19"], 2, "does not fit a board of 4x4");
    let sentence = "linear:SET=W,W,..., an agent file or a run folder";
    refused(&["eval", "genius", "--game", "2048"], 2, sentence);
    let rules = ["--rules", "tetris:10x10"];
    let sentence = "2 weights for the 9 features of the set dt";
    refused(&[&["eval", "linear:dt=1,2"], &rules[..]].concat(), 1, sentence);
    refused(&["eval", "linear:dt=1,NaN"], 2, "weight 2 is \"NaN\", not a finite number");
    refused(&["eval", "linear:dt"], 2, "write linear:SET=W,W,...");
    refused(&["eval", "dt-10", "--game", "2048"], 1, "2048 has no feature set");
    refused(&["eval", "dt-10"], 2, "choose them with --game, such as --game tetris:10x10");
    refused(&["eval", "random"], 2, "--game");
    refused(&["eval", "random", "--game", "2048", "--games", "0"], 2, "0 is not in 1..");
    refused(&["eval", "random", "--game", "2048", "--threads", "0"], 2, "from 1 to 1024");
    refused(&["eval", "random", "--game", "2048", "--seed", "-1"], 2, "'-1'");
    refused(&["bench", "--seconds", "NaN"], 2, "expected seconds from 0 to 3600");
    refused(&["play", "tetris:pieces=@/no/such/file"], 2, "cannot read /no/such/file");
    refused(&["play", "2048:pieces=@/etc/passwd"], 2, "2048 has no option");
    refused(&["play", "tetris:pieces=@"], 2, "no file after @, expected pieces=@FILE");
    refused(&["eval", "random", "--game", "2048", "--games", "100000000000"], 2, "is not in 1..");
    refused(&["bench", "--fingerprint", "tetris"], 2, "cannot be used with");
    refused(&["dance"], 2, "dance");
    refused(&[], 2, "Usage");
}

#[test]
fn bad_boards_end_with_code_1_and_their_place() {
    let perft = |input: &[u8], sentence: &str| {
        let arguments = ["perft", "2048:3x3", "--board", "-"];
        failed(&run_with_input(&arguments, input), 1, sentence);
    };
    perft(b"2 4 8\n2 4 8\n", "standard input: found 2 rows, expected 3");
    perft(b"2 4 8\n2 4\n2 4 8\n", "row 2: found 2 cells, expected 3");
    let sentence = "row 2, column 3: found \"7\", expected '.' or a power of two from 2 to 1024";
    perft(b"2 4 8\n2 4 7\n2 4 8\n", sentence);
    perft(b"\xff\n", "standard input is not UTF-8 text");
    refused(&["perft", "2048", "--board", "/no/such/file"], 1, "cannot read /no/such/file");
}

#[test]
fn completions_know_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&["completions", shell]);
        for command in words("play eval perft bench games random-play solve train") {
            assert!(script.contains(command), "{command} for {shell}");
        }
    }
}

#[test]
fn every_command_has_help() {
    let commands = "play record top train eval analyze advise quantize shrink plot perft bench games \
                    random-play completions";
    for command in words(commands) {
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
