//! The tables of solved games.

use std::fs;

use afterstate_games::RewardMixture;
use afterstate_games::spec::parse_rules;
use afterstate_games::tenten::TenTen;
use serde_json::json;

use super::*;
use crate::SolvedTable;
use crate::file::read_info;
use crate::test_files::Forged;

const GAME: &str = "1010:3x3,pieces=3";

fn game() -> TenTen {
    parse_rules(GAME).unwrap()
}

#[test]
fn tables_are_loaded_as_they_were_saved() {
    let (folder, reward) = (Folder::new("solved"), "2*lines+score".parse::<RewardMixture>());
    let (path, again) = (folder.path("agent"), folder.path("again"));
    let indices = (0..300).chain([1 << 40]).collect();
    let values = (0..301).map(|index| (index * 7919 % 101) as f32 - 50.0).collect();
    let table = SolvedTable::new(reward.unwrap(), indices, values).unwrap();
    let mut table = table.with_gamma(Some(0.9));
    Model::<TenTen>::save(&mut table, &path, &full_info(GAME, 1)).unwrap();
    let (info, mut model) = loaded(&path, &game()).unwrap();
    assert_eq!(info, read_info(&path).unwrap());
    assert_eq!(info.describe(), "optimal play of a solved game");
    assert_eq!(info.trained, full_info(GAME, 1).trained);
    assert_eq!(model.solved().unwrap().gamma(), Some(0.9));
    let (game, mut rng) = (game(), Rng::stream(1, 0));
    for state in random_states(&game, 300, 1) {
        let choice = (&table).choose(&game, &state, &mut rng);
        assert_eq!(model.policy().choose(&game, &state, &mut rng), choice);
        let Some(choice) = choice else { continue };
        assert_eq!(
            model.explain(&game, &state, &choice),
            Model::<TenTen>::explain(&table, &game, &state, &choice)
        );
        let mut searcher = model.searcher(&Search::GREEDY, 1).unwrap();
        assert_eq!(searcher.choose(&game, &state, &mut rng), Some(choice));
    }
    model.save(&again, &info).unwrap();
    assert_eq!(fs::read(&path).unwrap(), fs::read(&again).unwrap());
    let error = load(&path, &Twenty48::standard()).err().unwrap().to_string();
    let sentence = format!("agent: is an agent for {GAME}, not for 2048:4x4");
    assert!(error.ends_with(&sentence), "{error}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let info = json!({
        "format": 2, "program": "0.2.0", "game": GAME, "rules_version": 1, "kind": "solved",
        "table": {"boards": 2, "reward": "step"},
    });
    let tensors = json!({
        "boards": {"dtype": "U64", "shape": [2], "data_offsets": [0, 16]},
        "worth": {"dtype": "F32", "shape": [2], "data_offsets": [16, 24]},
    });
    let mut data = vec![0; 24];
    data[8] = 7;
    let mut agent = Forged { game: game(), info, tensors, data };
    assert_eq!(agent.load().unwrap().solved().unwrap().gamma(), None, "a file of an older program");
    agent.is_refused_with(&[
        (
            "table/boards",
            json!(u64::MAX),
            "has a tensor boards of U64 of shape [2], its model needs U64 of shape \
                 [18446744073709551615]",
        ),
        ("table/reward", json!("joy"), &"joy".parse::<RewardMixture>().unwrap_err().to_string()),
        ("table/gamma", json!(1.5), "has a discount factor of 1.5, but it must be 0 to 1"),
        (
            "rules_version",
            json!(2),
            "was trained under version 2 of the rules, this program plays version 1",
        ),
        (
            "game",
            json!("1010:3x3,pieces=4"),
            "is an agent for 1010:3x3,pieces=4, not for 1010:3x3,pieces=3",
        ),
    ]);
    agent.data[20..].copy_from_slice(&f32::INFINITY.to_le_bytes());
    let sentence = "has inf as entry 1 of tensor worth: weights must be finite";
    assert_eq!(agent.load().err().unwrap(), sentence);
    agent.data = vec![0; 24];
    let sentence = "board 0 comes after board 0: the indices of a solved table must ascend";
    assert_eq!(agent.load().err().unwrap(), sentence);
}
