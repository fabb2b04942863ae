//! `eval`, `agents` and `random-play`.

use crate::harness::{objects, printed, words};
use serde_json::Value;

#[test]
fn eval_has_every_promised_field() {
    for game in ["2048:3x3", "tetris:10x20", "1010:4x4,pieces=7"] {
        let found = objects(&["eval", "greedy", "--game", game, "--games", "50", "--json"]);
        let [object] = &found[..] else { panic!("not one object: {found:?}") };
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

/// A report agrees with the game of `play --json`.
#[test]
fn eval_reports_the_scores_of_the_games() {
    let game = "1010:3x3,pieces=7";
    let eval = ["eval", "greedy", "--game", game, "--games", "1", "--seed", "5"];
    let report = objects(&[&eval[..], &["--json"]].concat()).remove(0);
    let result = objects(&["play", game, "--agent", "greedy", "--seed", "5", "--json"]);
    let last = result.last().unwrap();
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
fn endless_games_are_truncated_on_request() {
    let eval = words("eval random --game tetris:overflow=push --games 3 --moves 50 --json");
    let report = objects(&eval).remove(0);
    assert_eq!((report["truncated"].clone(), report["moves"].clone()), (3.into(), 150.into()));
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
fn agents_lists_who_plays_and_eval_takes_them() {
    let listed = objects(&["agents", "--json"]);
    let names: Vec<&str> = listed.iter().map(|one| one["agent"].as_str().unwrap()).collect();
    for name in ["random", "greedy", "dellacherie", "bcts", "dt-10", "dt-20", "marchal", "rv-ce"] {
        assert!(names.contains(&name), "{name} among {names:?}");
        let eval = ["eval", name, "--game", "tetris:10x20", "--games", "2", "--moves", "100"];
        let report = objects(&[&eval[..], &["--json"]].concat()).remove(0);
        assert!(report["to_the_end"]["low"].as_f64().unwrap() >= 0.0, "{report}");
    }
    let for_people = printed(&["agents"]);
    for agent in ["2048", "tetris-10x20", "tetris-10x10", "1010", "1010-without-3x3"] {
        let card = printed(&["agents", agent]);
        assert!(card.contains("\ntrained   by this program"), "{card}");
        let elsewhere = &objects(&["agents", agent, "--json"])[0]["elsewhere"];
        assert!(elsewhere.is_null(), "{elsewhere}");
    }
    assert!(printed(&["agents", "2048", "--recipe"]).contains("[[phase]]"));
    let line = |agent: &str| for_people.lines().find(|line| line.starts_with(agent)).unwrap();
    assert!(line("tetris-10x10").ends_with("; trained by this program"), "{for_people}");
    assert!(line("dt-10").ends_with("; trained by its authors"), "{for_people}");
    assert!(!for_people.contains("trained by another program"), "{for_people}");
    // What a card says of the weights that a training began with, of those of others, and of each step.
    for (agent, says) in [
        (
            "tetris-10x10",
            "from the weights of rv-ce (weights given to this project; no publication known)",
        ),
        ("tetris-10x20", "from the weights of rv-ce"),
        ("rv-ce", "origin    weights given to this project; no publication known"),
        ("marchal", "github.com/nmarchal/AI-tetris-player, commit c1acb633"),
        (
            "2048",
            "--max-size 15.5MiB, then afterstate quantize again-1.safetensors again-2.safetensors --max-size 4MiB",
        ),
    ] {
        let card = printed(&["agents", agent]);
        assert!(card.contains(says), "{card}");
    }
    assert!(for_people.contains("bertsekas") && for_people.contains("linear:SET="), "{for_people}");
    let weights = "linear:dellacherie=-1,1,-1,-1,-4,-1";
    let play = |agent: &str| {
        let rest = words("--seed 1 --moves 50 --json");
        printed(&[&["play", "tetris:10x10", "--agent", agent], &rest[..]].concat())
    };
    assert_eq!(play(weights), play("dellacherie"), "the same weights by name");
    let eval = ["eval", "dt-10", "--rules", "tetris:10x20", "--games", "3", "--moves", "50"];
    let result = printed(&eval);
    let truncated = "3 games were truncated at the move limit; the score so far is counted";
    assert!(result.contains(truncated), "{result}");
    assert!(result.contains("to the end    more than ") && result.contains("(0 ends)"), "{result}");
}

#[test]
fn compare_plays_the_same_games_by_both() {
    let compare = ["compare", "dellacherie", "dt-10", "--game", "tetris:10x8", "--games", "40"];
    let report = objects(&[&compare[..], &["--json"]].concat()).remove(0);
    let eval = |agent: &str| {
        let eval = ["eval", agent, "--game", "tetris:10x8", "--games", "40", "--json"];
        objects(&eval).remove(0)["mean"].as_f64().unwrap()
    };
    let (first, second) = (eval("dellacherie"), eval("dt-10"));
    assert_eq!(report["agents"][0]["mean"], first);
    assert_eq!(report["agents"][1]["mean"], second);
    assert!((report["difference"].as_f64().unwrap() - (second - first)).abs() < 1e-9);
    let (low, high) = (report["ci95"][0].as_f64().unwrap(), report["ci95"][1].as_f64().unwrap());
    assert!(low < second - first && second - first < high && report["p"].as_f64().unwrap() <= 1.0);
    let same = printed(&["compare", "greedy", "greedy", "--game", "2048:3x3", "--games", "5"]);
    assert!(same.contains("Neither is shown to be better"), "{same}");
}
