//! Animations, replays and charts of results; every command verifies the replays that it reads.

use std::fs;

use crate::harness::{Scratch, objects, printed, refused, words};
use serde_json::Value;

/// Records a game of so many moves as a replay and returns it.
fn replay(scratch: &Scratch, game: &str, moves: &str) -> (String, Value) {
    let file = scratch.path("game.json");
    printed(&["record", game, "--moves", moves, "--seed", "7", "--replay-out", &file]);
    let json = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    (file, json)
}

#[test]
fn an_animation_has_the_frames_and_the_size_that_are_reported() {
    let scratch = Scratch::new("record-animation");
    for (game, cell) in [("2048", "20"), ("tetris", "8"), ("1010:hand=3", "10")] {
        let animation = scratch.path("game.gif");
        let record =
            ["record", game, "--moves", "8", "--out", &animation, "--cell", cell, "--json"];
        let result = objects(&record).remove(0);
        let bytes = fs::read(&animation).unwrap();
        assert_eq!(&bytes[..6], b"GIF89a", "{game}");
        let side = |at: usize| u64::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        assert_eq!(
            (result["width"].as_u64(), result["height"].as_u64()),
            (Some(side(6)), Some(side(8)))
        );
        assert!(result["frames"].as_u64().unwrap() >= 9, "{result}");
        assert_eq!(result["bytes"].as_u64(), Some(bytes.len() as u64));
        assert!(!fs::exists(scratch.path("game.gif.part")).unwrap());
    }
    let svg = scratch.path("end.svg");
    printed(&["record", "tetris", "--moves", "8", "--out", &svg]);
    assert!(fs::read_to_string(&svg).unwrap().contains("<title>tetris:10x20</title>"));
    let png = scratch.path("end.png");
    printed(&["record", "2048", "--moves", "8", "--out", &png]);
    assert!(fs::read(&png).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn a_replay_is_read_back_by_every_command() {
    let scratch = Scratch::new("record-replay");
    for game in ["2048", "tetris:10x20,next", "1010:hand=3"] {
        let (file, json) = replay(&scratch, game, "20");
        let result = objects(&["eval", "--replay", &file, "--json"]).remove(0);
        assert_eq!((result["moves"].as_u64(), &result["score"]), (Some(20), &json["score"]));
        assert!(printed(&["eval", "--replay", &file]).contains("every move is legal"));
        let shown = objects(&["play", "--replay", &file, "--json"]);
        assert_eq!(shown.len(), 21);
        assert_eq!(shown[20]["score"], json["score"]);
        let moves: Vec<&Value> = shown[1..].iter().map(|line| &line["move"]).collect();
        assert_eq!(moves, json["moves"].as_array().unwrap().iter().collect::<Vec<_>>());
        assert!(printed(&["play", "--replay", &file]).contains("a replay"));
        // The same seed and agent play the same game without a file.
        let play = ["play", game, "--agent", "builtin", "--seed", "7", "--moves", "20", "--json"];
        assert_eq!(objects(&play)[20]["state"], shown[20]["state"], "{game}");
        let (animation, again) = (scratch.path("again.gif"), scratch.path("again.json"));
        let record = ["record", "--replay", &file, "--out", &animation, "--replay-out", &again];
        printed(&[&record[..], &["--cell", "8"]].concat());
        assert_eq!(fs::read(&again).unwrap(), fs::read(&file).unwrap());
    }
}

#[test]
fn a_wrong_replay_is_refused_with_its_place() {
    let scratch = Scratch::new("record-wrong");
    let (file, json) = replay(&scratch, "2048", "10");
    let wrong = |change: &dyn Fn(&mut Value), sentence: &str| {
        let mut json = json.clone();
        change(&mut json);
        fs::write(&file, json.to_string()).unwrap();
        for command in [&["eval", "--replay"][..], &["play", "--replay"]] {
            refused(&[command, &[&file]].concat(), 1, sentence);
        }
    };
    wrong(
        &|json| json["moves"][3] = "sideways".into(),
        "move 4 of 10, \"sideways\": found \"sideways\", expected up, right, down or left",
    );
    wrong(
        &|json| json["score"] = 5.into(),
        "the replay states a score of 5, but its 10 moves score",
    );
    wrong(
        &|json| json["rules_version"] = 9.into(),
        "the replay uses version 9 of the rules of 2048",
    );
    wrong(&|json| json["format"] = "film".into(), "the file has format \"film\"");
    wrong(&|json| json["game"] = "chess".into(), "unknown game \"chess\"");
    wrong(&|json| json["more"] = 1.into(), "the file is not a replay: unknown field `more`");
    fs::write(&file, &json.to_string()[..40]).unwrap();
    refused(&["eval", "--replay", &file], 1, "the file is not a replay");
    refused(&["eval", "--replay", &scratch.path("none.json")], 1, "cannot read the replay");
    refused(&["eval", "--replay", &file, "random"], 2, "cannot be used with");
    refused(&["eval"], 2, "AGENT");
}

#[test]
fn what_cannot_be_recorded_is_told() {
    let scratch = Scratch::new("record-refused");
    refused(&["record", "2048"], 2, "--out");
    refused(&["record", "--out", "x.gif"], 2, "GAME");
    let webm = scratch.path("game.webm");
    refused(&["record", "2048", "--out", &webm], 1, "the name must end in .gif, .svg or .png");
    let nowhere = scratch.path("no/such/folder/game.gif");
    refused(&["record", "2048", "--out", &nowhere], 1, "cannot write");
    refused(&["record", "2048", "--out", "x.gif", "--cell", "1000"], 2, "8..=200");
    let search =
        ["record", "2048", "--agent", "random", "--search", "expectimax:2", "--out", "x.gif"];
    refused(&search, 2, "has no values to search with");
    refused(&["record", "tetris", "--agent", "2048", "--out", "x.gif"], 1, "is an agent for 2048");
}

#[test]
fn results_are_drawn_beside_what_was_published() {
    let scratch = Scratch::new("record-results");
    let results = concat!(env!("CARGO_MANIFEST_DIR"), "/../../results/chen-table1.json");
    let shown = printed(&["plot", results]);
    assert!(shown.contains("rate 0.1: reach 2048") && shown.contains('◆'), "{shown}");
    for name in ["one.svg", "one.png"] {
        let out = scratch.path(name);
        assert!(printed(&["plot", results, "--out", &out]).contains(name));
        assert!(fs::metadata(&out).unwrap().len() > 1_000);
    }
    let results = scratch.path("one.json");
    refused(&["plot", &results], 1, "cannot read");
    fs::write(&results, "{}").unwrap();
    refused(&["plot", &results], 1, "not a results file");
}

#[test]
fn a_picture_tells_who_played_and_the_score() {
    let scratch = Scratch::new("player");
    let (picture, replay) = (scratch.path("game.svg"), scratch.path("game.json"));
    let arguments = "record tetris --moves 12 --agent dt-10 --search expectimax:2 --out";
    printed(&[&words(arguments)[..], &[&picture, "--replay-out", &replay]].concat());
    let drawn = fs::read_to_string(&picture).unwrap();
    assert!(drawn.contains("dt-10, expectimax:2") && drawn.contains(">lines<"), "{drawn}");
    let again = scratch.path("again.svg");
    printed(&["record", "--replay", &replay, "--out", &again]);
    assert!(fs::read_to_string(&again).unwrap() == drawn);
}
