//! Solved games: what is saved comes back, and what is wrong gets its sentence.

use afterstate_games::RewardMixture;
use serde_json::{Value, json};

use super::hostile::forge;
use super::*;
use crate::SolvedTable;

const GAME: &str = "1010:3x3,pieces=3";

fn loaded(path: &Path) -> Result<SolvedTable, String> {
    load_table(path, GAME, 1).map(|(_, table)| table).map_err(|error| error.problem.to_string())
}

#[test]
fn tables_come_back_as_they_were() {
    let (folder, payoff) =
        (Folder::new("table"), "2*lines+score".parse::<RewardMixture>().unwrap());
    let (path, again) = (folder.path("agent"), folder.path("again"));
    let table = SolvedTable::new(payoff, vec![0, 3, 1 << 40], vec![1.5, -2.0, 0.0]).unwrap();
    save_table(&path, &full_info(GAME, 1), &table).unwrap();
    assert_eq!(loaded(&path).unwrap(), table);
    let info = read_info(&path).unwrap();
    assert_eq!(info.trained, full_info(GAME, 1).trained);
    save_table(&again, &info, &table).unwrap();
    assert_eq!(fs::read(&path).unwrap(), fs::read(&again).unwrap());
    let error = load(&path, &Twenty48::standard(), GAME, 1).err().unwrap();
    assert!(error.to_string().ends_with("met a solved game, expected a network"), "{error}");
    save(&path, &full_info(GAME, 1), &mut tiny(&Twenty48::standard())).unwrap();
    assert_eq!(loaded(&path).unwrap_err(), "met another agent, expected a solved game");
}

/// A table of two boards, changed.
fn agent(change: impl FnOnce(&mut Value, &mut Value)) -> Value {
    let mut info = json!({
        "format": 2, "program": "0.1.0", "game": GAME, "rules_version": 1, "tuples": [],
        "precision": "f32", "table": {"boards": 2, "reward": "step"},
    });
    let mut header = json!({
        "boards": {"dtype": "U64", "shape": [2], "data_offsets": [0, 16]},
        "worth": {"dtype": "F32", "shape": [2], "data_offsets": [16, 24]},
    });
    change(&mut info, &mut header);
    header["__metadata__"] = json!({"afterstate": info.to_string()});
    header
}

#[test]
fn what_is_wrong_gets_its_sentence() {
    let folder = Folder::new("table-hostile");
    let path = folder.path("agent");
    let outcome = |header: Value, data: &[u8]| {
        fs::write(&path, forge(&header, data)).unwrap();
        loaded(&path).map(|_| ())
    };
    let mut sound = [0; 24];
    sound[8] = 7;
    assert_eq!(outcome(agent(|_, _| ()), &sound), Ok(()));
    let mut infinite = sound;
    infinite[20..].copy_from_slice(&f32::INFINITY.to_le_bytes());
    for (header, data, sentence) in [
        (agent(|_, _| ()), [0; 24], "met board 0 after board 0, expected ascending numbers"),
        (agent(|_, _| ()), infinite, "tensor worth: met inf as number 1, expected finite numbers"),
        (
            agent(|info, _| info["table"]["boards"] = json!(u64::MAX)),
            sound,
            "tensor boards: met U64 of shape [2], expected U64 of shape [18446744073709551615]",
        ),
        (
            agent(|info, _| info["table"]["reward"] = json!("joy")),
            sound,
            "met a damaged description of the agent: reward joy",
        ),
        (
            agent(|info, _| info["rules_version"] = json!(2)),
            sound,
            "the agent was trained under version 2 of the rules, expected version 1",
        ),
    ] {
        assert_eq!(outcome(header, &data).unwrap_err(), sentence);
    }
}
