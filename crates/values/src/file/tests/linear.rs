//! Linear agents: what is saved comes back, and what is wrong gets its sentence.

use afterstate_games::spec::Spec;
use afterstate_games::tetris::{Setup, Tetris};
use serde_json::{Value, json};

use super::hostile::forge;
use super::*;
use crate::Linear;

fn game() -> Tetris {
    Tetris::new(Setup::sized(6, 8)).unwrap()
}

fn linear(game: &Tetris, set: &str, reward: f32) -> Linear<Tetris> {
    let features = game.features(set).unwrap();
    let weights = (0..features.names().len()).map(|i| (i as f32 - 3.0) / 7.0).collect();
    Linear::new(set, features, reward, weights).unwrap()
}

fn loaded(path: &Path, game: &Tetris) -> Result<(AgentInfo, Linear<Tetris>), String> {
    let found = load_linear(path, "tetris", 1, |set| game.features(set));
    found.map_err(|error| error.problem.to_string())
}

#[test]
fn weights_come_back_as_they_were() {
    let (folder, game) = (Folder::new("linear"), game());
    let (path, again) = (folder.path("agent"), folder.path("again"));
    for (set, reward) in [("dt", 0.0), ("bertsekas", 1.0), ("cs3243", 0.5)] {
        let saved = linear(&game, set, reward);
        save_linear(&path, &full_info("tetris:6x8", 1), &saved).unwrap();
        let (info, met) = loaded(&path, &game).unwrap();
        assert_eq!((met.set(), met.reward(), met.weights()), (set, reward, saved.weights()));
        assert_eq!(info, read_info(&path).unwrap());
        assert_eq!(info.trained, full_info("tetris:6x8", 1).trained);
        save_linear(&again, &info, &met).unwrap();
        assert_eq!(fs::read(&path).unwrap(), fs::read(&again).unwrap());
    }
    // No network, and a network is not this.
    let error = load(&path, &game, "tetris:6x8", 1).err().unwrap();
    assert!(error.to_string().ends_with("met weights of features, expected a network"), "{error}");
    save(&path, &full_info("2048:4x4", 1), &mut tiny(&Twenty48::standard())).unwrap();
    assert_eq!(loaded(&path, &game).err().unwrap(), "met a network, expected weights of features");
}

#[test]
fn other_rules_will_do_where_the_features_are_the_same() {
    let (folder, small) = (Folder::new("linear-rules"), game());
    let path = folder.path("agent");
    save_linear(&path, &full_info("tetris:6x8", 1), &linear(&small, "dt", 0.0)).unwrap();
    assert!(loaded(&path, &Tetris::standard()).is_ok());
    save_linear(&path, &full_info("tetris:6x8", 1), &linear(&small, "bertsekas", 0.0)).unwrap();
    assert_eq!(
        loaded(&path, &Tetris::standard()).err().unwrap(),
        "met difference 1 as feature 8, expected height 7 under these rules"
    );
}

/// The bytes of the format may never change.
#[test]
fn the_format_is_stable() {
    let (folder, game) = (Folder::new("linear-stable"), Tetris::standard());
    let path = folder.path("agent");
    let features = game.features("dellacherie").unwrap();
    let weights = vec![-1.0, 1.0, -1.0, -1.0, -4.0, -1.0];
    let linear = Linear::new("dellacherie", features, 0.0, weights).unwrap();
    let info = AgentInfo { program: "0.1.0".to_owned(), ..AgentInfo::new("tetris:10x20", 1) };
    save_linear(&path, &info, &linear).unwrap();
    let bytes = fs::read(&path).unwrap();
    let header = concat!(
        r#"{"__metadata__":{"afterstate":"{\"format\":2,\"program\":\"0.1.0\","#,
        r#"\"game\":\"tetris:10x20\",\"rules_version\":1,\"tuples\":[],\"precision\":\"f32\","#,
        r#"\"features\":{\"set\":\"dellacherie\",\"names\":[\"landing height\","#,
        r#"\"eroded cells\",\"row transitions\",\"column transitions\",\"holes\",\"wells\"],"#,
        r#"\"reward\":0.0}}"},"weights":{"dtype":"F32","shape":[6],"data_offsets":[0,24]}}"#,
    );
    assert_eq!(std::str::from_utf8(&bytes[8..bytes.len() - 24]).unwrap().trim_end(), header);
    assert_eq!(bytes[bytes.len() - 8..], [(-4f32).to_le_bytes(), (-1f32).to_le_bytes()].concat());
}

/// An agent of six weights, changed.
fn agent(change: impl FnOnce(&mut Value, &mut Value)) -> Value {
    let names = ["landing height", "eroded cells", "row transitions", "column transitions"];
    let names = [&names[..], &["holes", "wells"]].concat();
    let mut info = json!({
        "format": 2, "program": "0.1.0", "game": "tetris:10x20", "rules_version": 1, "tuples": [],
        "precision": "f32", "features": {"set": "dellacherie", "names": names, "reward": 0.0},
    });
    let mut header = json!({"weights": {"dtype": "F32", "shape": [6], "data_offsets": [0, 24]}});
    change(&mut info, &mut header);
    header["__metadata__"] = json!({"afterstate": info.to_string()});
    header
}

#[test]
fn what_is_wrong_gets_its_sentence() {
    let (folder, game) = (Folder::new("linear-hostile"), Tetris::standard());
    let path = folder.path("agent");
    let outcome = |header: Value, data: &[u8]| {
        fs::write(&path, forge(&header, data)).unwrap();
        loaded(&path, &game).map(|_| ())
    };
    assert_eq!(outcome(agent(|_, _| ()), &[0; 24]), Ok(()));
    for (header, sentence) in [
        (
            agent(|info, _| info["features"]["set"] = json!("\u{1b}dt7")),
            r"met features \u{1b}dt7, expected a set of this game",
        ),
        (
            agent(|info, _| info["features"]["names"][4] = json!("hole")),
            "met hole as feature 5, expected holes under these rules",
        ),
        (
            agent(|info, _| info["features"]["names"] = json!(["landing height"])),
            "met none as feature 2, expected eroded cells under these rules",
        ),
        (agent(|info, _| info["features"]["names"] = json!(3)), "met a damaged description"),
        (
            agent(|info, _| info["features"]["reward"] = json!(1e38)),
            "features dellacherie, reward: met weight",
        ),
        (
            agent(|info, _| info["game"] = json!("tetrisx:10x20")),
            "the agent plays tetrisx:10x20, expected one for tetris",
        ),
        (
            agent(|info, _| info["rules_version"] = json!(2)),
            "the agent was trained under version 2",
        ),
        (
            agent(|_, header| header["weights"]["shape"] = json!([2, 3])),
            "tensor weights: met F32 of shape [2, 3], expected F32 of shape [6]",
        ),
        (
            agent(|_, header| {
                header["other"] = header["weights"].take();
                header.as_object_mut().unwrap().remove("weights");
            }),
            "met no tensor weights, expected one",
        ),
    ] {
        let met = outcome(header, &[0; 24]).err().unwrap();
        assert!(met.starts_with(sentence), "met {met:?}, expected {sentence:?}");
        assert!(!met.contains(char::is_control));
    }
    let nan = [&[0; 20][..], &f32::NAN.to_le_bytes()].concat();
    let met = outcome(agent(|_, _| ()), &nan).err().unwrap();
    assert_eq!(met, "tensor weights: met NaN as number 5, expected finite numbers");
}
