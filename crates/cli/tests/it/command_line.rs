//! Small commands, help, exit codes and invalid input.

use std::fs;
use std::process::Command;

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
    for wrong in ["-1", "x", "1.5", "18446744073709551616"] {
        let sentence = "expected a whole number from 0 to 18446744073709551615";
        refused(&["eval", "random", "--game", "2048", "--seed", wrong], 2, sentence);
        // TOML has no larger numbers than these.
        let sentence = "expected a whole number from 0 to 9223372036854775807";
        refused(&["train", "2048-3x3", "--seed", wrong], 2, sentence);
    }
    let sentence = "expected a whole number from 0 to 9223372036854775807";
    refused(&["train", "2048-3x3", "--seed", "9223372036854775808"], 2, sentence);
    let sentence = "invalid value '-1' for '--games <N>'";
    refused(&["eval", "random", "--game", "2048", "--games", "-1"], 2, sentence);
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
fn completions_know_commands_and_names() {
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&["completions", shell]);
        for command in words("play eval perft bench games random-play solve train") {
            assert!(script.contains(command), "{command} for {shell}");
        }
        // A recipe, agents of each kind and an experiment.
        for name in words("lines-or-survival tetris-10x20 marchal 2048-3x3 chen-table1") {
            // The scripts for fish complete values of options only, such as --agent.
            let positional = ["2048-3x3", "chen-table1"].contains(&name);
            assert!(shell == "fish" && positional || script.contains(name), "{name} for {shell}");
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

/// The shell offers names, but files are accepted, and the help is short.
#[test]
fn names_are_only_suggested() {
    for command in ["train", "eval", "reproduce", "play"] {
        let help = printed(&[command, "--help"]);
        assert!(!help.contains("possible values"), "{command}: {help}");
    }
    refused(&["eval", "nobody", "--game", "2048"], 2, "unknown agent \"nobody\"");
    refused(&["train", "nothing"], 2, "unknown recipe \"nothing\": use a TOML file or one of ");
    // The shell itself, where there is one.
    let script = format!(
        "{}\nCOMP_WORDS=(afterstate train 2048-); COMP_CWORD=2; _afterstate afterstate 2048- train; \
         echo \"${{COMPREPLY[@]}}\"",
        printed(&["completions", "bash"])
    );
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
    let offered = text(&output.stdout);
    assert!(offered.split_whitespace().any(|name| name == "2048-3x3"), "{offered:?}");
}

/// An error names the field and what would be right, in recipes, results and replays.
#[test]
fn errors_in_files_name_the_field_and_the_fix() {
    let scratch = Scratch::new("fields");
    let head = "game = '2048:4x4'\nbudget.episodes = 3\nnetwork.tuples = 'lines'\n";
    let phase = "method = 'td'\nrate = 0.1\n";
    for (recipe, sentence) in [
        (
            format!("{head}[phase]\n{phase}"),
            "phase is a table, but must be a list of tables: write [[phase]] instead of [phase]",
        ),
        (format!("{head}phase = 3"), "phase is 3, but must be a list"),
        (format!("{head}[[phase]]\nrate = 1"), "phase.method is missing"),
        (format!("{head}[[phase]]\nmethod = 'tx'"), "phase.method is \"tx\", but must be td or tc"),
        (
            format!("{head}[[phase]]\nmethod = 'td'\nrate = 'a'"),
            "phase.rate is \"a\", but must be a number",
        ),
        (
            format!("{}[[phase]]\n{phase}", head.replace("'lines'", "{ a = 1 }")),
            "network.tuples must be a name such as \"4x6\", or a list of tuples such as",
        ),
        (
            format!("{}[[phase]]\n{phase}", head.replace(".episodes", "")),
            "budget is 3, but must be a table",
        ),
        (
            "game = 'tetris'\nbudget.episodes = 5\n[weights]\nfeatures = 1".to_owned(),
            "weights.features is 1, but must be text in quotes",
        ),
        ("game = [".to_owned(), " at line 1 column "),
    ] {
        let path = scratch.recipe(&recipe);
        refused(&["train", &path, "--out", &scratch.path("run")], 1, sentence);
    }
    let file = scratch.path("file.json");
    for (text, sentence) in [
        (
            r#"{"name":"chen-table1"}"#,
            "not a results file, such as those of results/: form is missing",
        ),
        (r#"{"name":1}"#, "name is 1, but must be text in quotes at line 1"),
        (
            r#"{"name":"x","form":"full","command":"","seed":1,"rows":{}}"#,
            "rows is an object, but must be a list",
        ),
        (
            r#"{"name":"x","form":"full","command":"","seed":1,"rows":[{"case":7}]}"#,
            "rows[0].case is 7, but must be text in quotes",
        ),
        (
            r#"{"name":"x","form":"full","command":"","seed":1,"rows":[],"notes":[],"trainings":[]}"#,
            "name is \"x\", but must be one of `afterstate reproduce --list`",
        ),
    ] {
        fs::write(&file, text).unwrap();
        refused(&["plot", &file], 1, sentence);
    }
    let missing = scratch.path("missing.json");
    refused(&["plot", &missing], 1, &format!("error: cannot read {missing}: No such file"));
    fs::write(&file, r#"{"format":7}"#).unwrap();
    refused(&["eval", "--replay", &file], 1, "format is 7, but must be text in quotes");
}
