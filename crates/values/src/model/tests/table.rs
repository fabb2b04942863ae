//! Learned tables.

use std::fs;

use afterstate_games::spec::parse_rules;
use afterstate_games::tetris::Tetris;
use afterstate_games::{AggregationSpec, Combine};

use super::*;
use crate::ValueTable;
use crate::file::read_info;
use crate::weights::store;

fn game(spec: &str) -> Tetris {
    parse_rules(spec).unwrap()
}

fn fields() -> AggregationSpec {
    AggregationSpec {
        state_action: false,
        views: vec!["heights, differences, cap=2".to_owned()],
        combine: Combine::Average,
        reward: [("point".to_owned(), 1.5)].into(),
        discount: 0.8,
    }
}

fn table() -> ValueTable {
    let table = ValueTable::new(125, 5.0).unwrap();
    for (index, entry) in table.entries().iter().enumerate() {
        store(entry, (index * 7919 % 101) as f32 / 3.0);
    }
    table
}

#[test]
fn tables_are_loaded_as_they_were_saved() {
    let (folder, info) = (Folder::new("table"), full_info("tetris:4x20", 1));
    let (path, again) = (folder.path("agent"), folder.path("again"));
    let (game, mut rng) = (game("tetris:4x20"), Rng::stream(1, 0));
    let mut table = table();
    for (state_action, described) in [(false, "afterstates"), (true, "state-action pairs")] {
        let mut fields = AggregationSpec { state_action, ..fields() };
        if state_action {
            // One entry for each move of each piece.
            let size = game.aggregation(&fields).unwrap().size();
            table = ValueTable::new(size, 0.5).unwrap();
            store(&table.entries()[size as usize / 2], 1.5);
            fields.combine = Combine::Largest;
        }
        table.save(&path, &info, &fields).unwrap();
        let (found, mut model) = loaded(&path, &game).unwrap();
        assert_eq!(found, read_info(&path).unwrap());
        let read: AggregationSpec = serde_json::from_value(found.model["entries"].clone()).unwrap();
        assert_eq!(read, fields);
        let described = format!("table of {described} by heights, differences, cap=2");
        assert_eq!(found.describe(), described);
        let aggregation = game.aggregation(&fields).unwrap();
        let mut player = aggregation.policy(table.entries());
        for state in random_states(&game, 200, 1) {
            let choice = player.choose(&game, &state, &mut rng);
            assert_eq!(model.policy().choose(&game, &state, &mut rng), choice);
            // There is nothing to search with.
            let searched = model.searching(&Search::expectimax(2)).choose(&game, &state, &mut rng);
            assert_eq!(searched, choice);
        }
        model.save(&again, &found).unwrap();
        assert_eq!(fs::read(&path).unwrap(), fs::read(&again).unwrap());
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let (folder, info) = (Folder::new("table-wrong"), full_info("tetris:4x20", 1));
    let path = folder.path("agent");
    let mut table = table();
    table.save(&path, &info, &fields()).unwrap();
    assert!(loaded(&path, &game("tetris:4x12")).is_ok(), "the same entries");
    assert_eq!(
        loaded(&path, &game("tetris:5x20")).err().unwrap(),
        "has a tensor table of F32 of shape [125], its model needs F32 of shape [625]"
    );
    let error = load(&path, &Twenty48::standard()).err().unwrap().to_string();
    assert!(error.ends_with("agent: is an agent for tetris:4x20, not for 2048"), "{error}");

    let unknown = AggregationSpec { views: vec!["dreams".to_owned()], ..fields() };
    table.save(&path, &info, &unknown).unwrap();
    let sentence = game("tetris:4x20").aggregation(&unknown).err().unwrap();
    assert!(loaded(&path, &game("tetris:4x20")).err().unwrap().starts_with(&sentence[..60]));

    store(&table.entries()[3], f32::NAN);
    table.save(&path, &info, &fields()).unwrap();
    assert_eq!(
        loaded(&path, &game("tetris:4x20")).err().unwrap(),
        "has NaN as entry 3 of tensor table: weights must be finite"
    );
    let error = table.save(&path, &info, &AggregationSpec { discount: f32::NAN, ..fields() });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("cannot be written: its description could not be read back"), "{error}");
    assert_eq!(folder.names(), ["agent"]);
}
