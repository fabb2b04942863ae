//! `player` and `learner` of CS3243: the text between them, and a loop of the two in a shell.

use std::fs;
use std::process::Command;

use crate::harness::{Scratch, failed, objects, printed, program, refused, stdout};

/// Weights that look at the largest height and at holes, small enough for the first rewards.
const START: &str = "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -0.01 -0.1";

#[test]
fn the_player_writes_the_format_to_the_letter() {
    let zero = ["0"; 22].join(" ");
    let text = printed(&["player", "2", &zero]);
    assert_eq!(text, include_str!("player.txt"), "the same seed gives the same games");
    let rows = |text: &str| text.lines().filter(|line| *line != "#").count();
    assert_eq!(text.matches('#').count(), 1);
    for line in text.lines().filter(|line| *line != "#") {
        let numbers: Vec<u32> = line.split(' ').map(|number| number.parse().unwrap()).collect();
        assert_eq!((numbers.len(), numbers[0]), (23, 1));
        let (heights, differences) = (&numbers[1..11], &numbers[11..20]);
        assert!(heights.windows(2).zip(differences).all(|(h, d)| h[0].abs_diff(h[1]) == *d));
        assert_eq!(heights.iter().max(), Some(&numbers[20]));
    }
    let long = printed(&["player", "1000", START]);
    assert!((500..=2_000).contains(&rows(&long)), "{}", rows(&long));
    let output = program(&["player", "9", START, "--boards", "3"]).output().unwrap();
    assert!(stdout(&output).is_empty());
    assert!(crate::harness::text(&output.stderr).contains("no game ended within 3 boards"));
}

#[test]
fn the_learner_reads_files_and_standard_input() {
    let scratch = Scratch::new("learner");
    let file = scratch.path("games.txt");
    fs::write(&file, printed(&["player", "100", START])).unwrap();
    let learned = printed(&["learner", &file, "--weights", START]);
    let weights: Vec<f64> = learned.split(' ').map(|word| word.trim().parse().unwrap()).collect();
    assert_eq!(weights.len(), 22);
    let piped = Command::new("sh")
        .args([
            "-c",
            &format!(
                "'{}' learner --weights '{START}' < '{file}'",
                env!("CARGO_BIN_EXE_afterstate")
            ),
        ])
        .output()
        .unwrap();
    assert_eq!(stdout(&piped), learned);
    let exact = &objects(&["learner", &file, "--weights", START, "--json"])[0];
    assert_eq!(exact["regularised"], false);
    let other = objects(&["learner", &file, "--weights", START, "--solver", "bfgs", "--json"]);
    let (exact, other) = (exact["error"].as_f64().unwrap(), other[0]["error"].as_f64().unwrap());
    assert!((exact - other).abs() < 1e-6 * exact, "{exact} {other}");
}

#[test]
fn wrong_input_is_refused_in_one_sentence() {
    let scratch = Scratch::new("wrong-exchange");
    let file = scratch.path("games.txt");
    let wrong = |text: &str, sentence: &str| {
        fs::write(&file, text).unwrap();
        refused(&["learner", &file], 1, sentence);
    };
    let row = format!("1 {} 0\n", ["0"; 21].join(" "));
    wrong(
        &format!("{row}#\n{row}1 2 3\n"),
        "games.txt: line 4 has 3 numbers, expected 23: the constant 1, 21 features and the reward",
    );
    wrong(&row.replace("1 0", "1 x"), "games.txt: line 1: \"x\" is not a finite number");
    wrong("", "no rows");
    refused(&["player", "1", "1 2 3"], 2, "3 weights, expected 22 separated by spaces");
    let weights = START.replace("-0.1", "NaN");
    refused(&["player", "1", &weights], 2, "\"NaN\" is not a weight: expected 22 numbers");
    refused(&["learner", "--lambda", "2"], 2, "\"2\" is not a number from 0 to 1");
    let output = program(&["learner", &scratch.path("none")]).output().unwrap();
    failed(&output, 1, "none: No such file");
}

#[test]
fn a_loop_of_the_two_in_a_shell_learns() {
    let script = format!(
        "w='{START}'; for i in 1 2 3; do \
         w=$('{0}' player 100 \"$w\" --seed $i --boards 20000 | '{0}' learner --weights \"$w\"); \
         done; echo \"$w\"",
        env!("CARGO_BIN_EXE_afterstate")
    );
    let learned = stdout(&Command::new("sh").args(["-c", &script]).output().unwrap());
    let cleared = |weights: &str| {
        let text = printed(&["player", "20", weights.trim(), "--seed", "9", "--boards", "1000000"]);
        let rewards = text.lines().filter_map(|line| line.rsplit(' ').next()?.parse::<u32>().ok());
        f64::from(rewards.sum::<u32>()) / 20.0
    };
    let (before, after) = (cleared(START), cleared(&learned));
    assert!(after > 2.0 * before, "{before} lines per game became {after}");
}
