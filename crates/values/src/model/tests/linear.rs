//! Weights of features.

use std::fs;

use afterstate_games::tetris::{Setup, Tetris};
use serde_json::json;

use super::*;
use crate::file::{bytes_of, read_info};
use crate::test_files::Forged;

fn game() -> Tetris {
    Tetris::new(Setup::sized(6, 8)).unwrap()
}

fn linear(game: &Tetris, set: &str, reward: f32) -> Linear<Tetris> {
    let features = game.features(set).unwrap();
    let weights = (0..features.names().len()).map(|i| (i as f32 - 3.0) / 7.0).collect();
    Linear::new(set, features, reward, weights).unwrap()
}

#[test]
fn weights_are_loaded_as_they_were_saved() {
    let (folder, game) = (Folder::new("linear"), game());
    let (path, again) = (folder.path("agent"), folder.path("again"));
    for (set, reward) in [("dt", 0.0), ("bertsekas", 1.0), ("cs3243", 0.3)] {
        let mut saved = linear(&game, set, reward);
        saved.save(&path, &full_info("tetris:6x8", 1)).unwrap();
        let (info, mut model) = loaded(&path, &game).unwrap();
        let found = model.linear().unwrap();
        assert_eq!((found.set(), found.reward(), found.weights()), (set, reward, saved.weights()));
        assert_eq!(info, read_info(&path).unwrap());
        assert_eq!(info.describe(), format!("weights of the features {set}"));
        assert_eq!(info.trained, full_info("tetris:6x8", 1).trained);
        model.save(&again, &info).unwrap();
        assert_eq!(fs::read(&path).unwrap(), fs::read(&again).unwrap());
    }
    let error = load(&path, &Twenty48::standard()).err().unwrap().to_string();
    assert!(error.ends_with("agent: is an agent for tetris:6x8, not for 2048"), "{error}");
}

#[test]
fn other_rules_will_do_where_the_features_are_the_same() {
    let (folder, small) = (Folder::new("linear-rules"), game());
    let path = folder.path("agent");
    linear(&small, "dt", 0.0).save(&path, &full_info("tetris:6x8", 1)).unwrap();
    assert!(loaded(&path, &Tetris::standard()).is_ok());
    linear(&small, "bertsekas", 0.0).save(&path, &full_info("tetris:6x8", 1)).unwrap();
    assert_eq!(
        loaded(&path, &Tetris::standard()).err().unwrap(),
        "has difference 1 as feature 8, these rules have height 7"
    );
}

#[test]
fn it_is_played_and_explained() {
    let (game, mut rng) = (game(), Rng::stream(1, 0));
    let linear = linear(&game, "dt", 0.5);
    for state in random_states(&game, 200, 1) {
        let Some((choice, value)) = linear.best(&game, &state) else { continue };
        assert_eq!(linear.policy().choose(&game, &state, &mut rng), Some(choice));
        let searched = linear.searching(&Search::expectimax(2)).choose(&game, &state, &mut rng);
        let mut searcher = linear.searcher(&Search::expectimax(2), 1).unwrap();
        assert_eq!(searcher.choose(&game, &state, &mut rng), searched);
        let parts = linear.explain(&game, &state, &choice).unwrap();
        let explained = Explanation::new("move".to_owned(), parts).value;
        assert!((explained - value).abs() <= 1e-4 * value.abs().max(1.0));
    }
}

/// The bytes of the format may never change.
#[test]
fn the_format_is_stable() {
    let (folder, game) = (Folder::new("linear-stable"), Tetris::standard());
    let path = folder.path("agent");
    let features = game.features("dellacherie").unwrap();
    let weights = vec![-1.0, 1.0, -1.0, -1.0, -4.0, -1.0];
    let mut linear = Linear::new("dellacherie", features, 0.0, weights).unwrap();
    let info = AgentInfo { program: "0.2.0".to_owned(), ..AgentInfo::new("tetris:10x20", 1) };
    linear.save(&path, &info).unwrap();
    let bytes = fs::read(&path).unwrap();
    let header = concat!(
        r#"{"__metadata__":{"afterstate":"{\"format\":2,\"program\":\"0.2.0\","#,
        r#"\"game\":\"tetris:10x20\",\"rules_version\":1,\"kind\":\"linear\","#,
        r#"\"features\":{\"names\":[\"landing height\",\"eroded cells\",\"row transitions\","#,
        r#"\"column transitions\",\"holes\",\"wells\"],\"reward\":0.0,"#,
        r#"\"set\":\"dellacherie\"}}"},"#,
        r#""weights":{"dtype":"F32","shape":[6],"data_offsets":[0,24]}}"#,
    );
    assert_eq!(std::str::from_utf8(&bytes[8..bytes.len() - 24]).unwrap().trim_end(), header);
    assert_eq!(bytes[bytes.len() - 8..], [(-4f32).to_le_bytes(), (-1f32).to_le_bytes()].concat());
}

#[test]
fn what_does_not_fit_is_refused() {
    let names = ["landing height", "eroded cells", "row transitions", "column transitions"];
    let names = [&names[..], &["holes", "wells"]].concat();
    let info = json!({
        "format": 2, "program": "0.2.0", "game": "tetris:10x20", "rules_version": 1,
        "kind": "linear", "features": {"set": "dellacherie", "names": names, "reward": 0.0},
    });
    let tensors = json!({"weights": {"dtype": "F32", "shape": [6], "data_offsets": [0, 24]}});
    let agent = Forged { game: Tetris::standard(), info, tensors, data: vec![0; 24] };
    let misspelt = [&names[..4], &["hole", "wells"]].concat();
    let other = json!({"other": agent.tensors["weights"]});
    agent.is_refused_with(&[
        ("features/set", json!("\u{1b}dt7"), r#"tetris has no feature set "\u{1b}dt7""#),
        ("features/names", json!(misspelt), "has hole as feature 5, these rules have holes"),
        (
            "features/names",
            json!(["landing height"]),
            "has none as feature 2, these rules have eroded cells",
        ),
        ("features/names", json!(3), "has a damaged description: ..."),
        ("features", json!(null), "has a damaged description: ..."),
        (
            "features/reward",
            json!(1e38),
            "the weight of reward in the feature set dellacherie is 1...",
        ),
        ("game", json!("tetrisx:10x20"), "is an agent for tetrisx:10x20, not for tetris"),
        ("rules_version", json!(2), "was trained under version 2..."),
        (
            "tensors/weights/shape",
            json!([2, 3]),
            "has a tensor weights of F32 of shape [2, 3], its model needs F32 of shape [6]",
        ),
        ("tensors/", other, "has no tensor weights"),
    ]);
    let nan = bytes_of(&[0.0, 0.0, 0.0, 0.0, 0.0, f32::NAN]);
    let found = Forged { data: nan, ..agent }.load().err().unwrap();
    assert_eq!(found, "has NaN as entry 5 of tensor weights: weights must be finite");
}
