//! `play` in plain text, by hand and by agents, and `games`.

use std::fs;

use crate::harness::{
    Scratch, assert_contains, objects, printed, program, run_with_input, stdout, text,
};
use serde_json::Value;

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
fn a_person_plays_by_hand() {
    let moves = b"moves\nsideways\nleft\nright\nup\ndown\nquit\n";
    let output = run_with_input(&["play", "2048", "--seed", "4"], moves);
    assert!(output.status.success());
    let shown = text(&output.stdout);
    assert_contains(&shown, "found \"sideways\", expected up, right, down or left");
    assert!(shown.contains("Stopped after"), "{shown}");
    assert!(shown.contains("--seed 4"), "{shown}");
}

#[test]
fn the_end_of_the_input_ends_the_game() {
    for game in ["2048", "tetris", "1010"] {
        let output = program(&["play", game, "--seed", "4"]).output().unwrap();
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
    assert_eq!((&lines[0]["terminal"], &last["terminal"]), (&false.into(), &true.into()));
}

#[test]
fn a_game_that_ends_at_its_limit_is_truncated_and_not_terminal() {
    let rules = "tetris:6x2,melax,limit=3";
    let lines = objects(&["play", rules, "--agent", "random", "--seed", "1", "--json"]);
    let ends = lines.iter().map(|line| (line["terminal"] == true, line["truncated"] == true));
    let expected = [(false, false), (false, false), (false, false), (false, true)];
    assert_eq!(ends.collect::<Vec<_>>(), expected);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let arguments = ["play", "tetris:6x2,melax", "--agent", "random"];
    let mut child = program(&arguments).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stderr), "");
    assert!(output.status.success(), "{:?}", output.status);
}

/// Embedded agents need no files.
#[test]
fn a_fresh_install_has_agents_and_hints() {
    let scratch = Scratch::new("fresh");
    let stdout_in =
        |arguments: &[&str]| stdout(&program(arguments).current_dir(&scratch.0).output().unwrap());
    for (game, agent) in [("2048", "2048"), ("tetris", "tetris-10x20"), ("1010", "1010")] {
        let shown = stdout_in(&["play", game, "--agent", "builtin", "--seed", "1", "--moves", "3"]);
        assert!(shown.contains(&format!("agent {agent}, seed 1")), "{shown}");
        assert!(shown.contains("Stopped after 3 moves"), "{shown}");
        assert!(stdout_in(&["agents"]).contains(&format!("\n{agent} ")), "{agent}");
        stdout_in(&["eval", agent, "--games", "1", "--moves", "50"]);
    }
    let weaker = stdout_in(&["play", "2048:3x3", "--agent", "builtin", "--moves", "1"]);
    assert!(weaker.contains("agent greedy"), "{weaker}");
    assert!(!fs::exists(scratch.path("agents")).unwrap());
}

#[test]
fn a_game_by_hand_is_kept_as_a_replay() {
    let scratch = Scratch::new("by-hand");
    let file = scratch.path("mine.json");
    let play = ["play", "1010", "--seed", "3", "--replay-out", &file];
    let output = run_with_input(&play, b"hints\na1\na6\nnowhere\nquit\n");
    let shown = stdout(&output);
    assert!(shown.contains("show it with afterstate play --replay"), "{shown}");
    let result = objects(&["eval", "--replay", &file, "--json"]).remove(0);
    assert!(result["moves"].as_u64().unwrap() >= 1, "{result}");
    let random = ["play", "2048:3x3", "--agent", "random", "--seed", "3", "--replay-out", &file];
    let shown = printed(&random);
    assert!(shown.contains("Game over"), "{shown}");
    assert_eq!(objects(&["eval", "--replay", &file, "--json"])[0]["finished"], true);
    let hints = printed(&["play", "2048", "--hints", "--seed", "1"]);
    assert!(hints.lines().any(|line| line.starts_with("left ")), "{hints}");
}
