//! Agent files of version 0.1 of the program, which named no kind and left no room for a strength.

use serde_json::json;

use super::*;
use crate::test_files::{Forged, forge, tensors};
use crate::test_networks::random_states;

/// A file of version 0.1 of some kind, loaded, played and saved again.
struct Old<'a> {
    file: Vec<u8>,
    kind: &'a str,
    describes: &'a str,
    /// A part of the new header.
    saves: &'a str,
}

impl Visitor for Old<'_> {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let folder = Folder::new(&format!("old-{}", self.kind));
        let path = folder.path("agent");
        fs::write(&path, &self.file).unwrap();
        let (info, mut model) = load(&path, game).unwrap();
        assert_eq!((info.kind.as_str(), info.describe().as_str()), (self.kind, self.describes));
        let mut rng = Rng::stream(1, 0);
        assert!(model.policy().choose(game, &game.start(&mut rng), &mut rng).is_some());
        model.save(&path, &info).unwrap();
        let saved = fs::read(&path).unwrap();
        assert_eq!(tensors(&saved), tensors(&self.file));
        let text = String::from_utf8_lossy(&saved);
        assert!(text.contains(self.saves), "{text}");
        assert_eq!(read_info(&path).unwrap(), info);
        assert_eq!(model.linear().is_some(), self.kind == "linear");
        if let Some(linear) = model.linear() {
            assert_eq!((linear.set(), linear.reward()), ("dellacherie", 0.1));
            assert_eq!(bytes_of(linear.weights()), tensors(&self.file));
        }
    }
}

#[test]
fn weights_of_features() {
    let header = concat!(
        r#"{"__metadata__":{"afterstate":"{\"format\":2,\"program\":\"0.1.0\","#,
        r#"\"game\":\"tetris:10x20\",\"rules_version\":1,\"tuples\":[],\"precision\":\"f32\","#,
        r#"\"features\":{\"set\":\"dellacherie\",\"names\":[\"landing height\","#,
        r#"\"eroded cells\",\"row transitions\",\"column transitions\",\"holes\",\"wells\"],"#,
        r#"\"reward\":0.1}}"},"weights":{"dtype":"F32","shape":[6],"data_offsets":[0,24]}}"#,
    );
    "tetris:10x20".parse::<GameSpec>().unwrap().with(Old {
        file: forge(header, &bytes_of(&[-1.0, 1.0, -1.0, -1.0, -4.0, -1.0])),
        kind: "linear",
        describes: "weights of the features dellacherie",
        saves: concat!(
            r#"\"kind\":\"linear\",\"features\":{\"names\":[\"landing height\","#,
            r#"\"eroded cells\",\"row transitions\",\"column transitions\",\"holes\","#,
            r#"\"wells\"],\"reward\":0.1,"#,
        ),
    });
}

#[test]
fn a_solved_game() {
    let header = concat!(
        r#"{"__metadata__":{"afterstate":"{\"format\":2,\"program\":\"0.1.0\","#,
        r#"\"game\":\"1010:3x3,pieces=3\",\"rules_version\":1,\"tuples\":[],"#,
        r#"\"precision\":\"f32\",\"table\":{\"boards\":2,\"reward\":\"score+2*lines\"}}"},"#,
        r#""boards":{"dtype":"U64","shape":[2],"data_offsets":[0,16]},"#,
        r#""worth":{"dtype":"F32","shape":[2],"data_offsets":[16,24]}}"#,
    );
    let data = [&0u64.to_le_bytes()[..], &3u64.to_le_bytes(), &bytes_of(&[1.5, -2.0])].concat();
    "1010:3x3,pieces=3".parse::<GameSpec>().unwrap().with(Old {
        file: forge(header, &data),
        kind: "solved",
        describes: "optimal play of a solved game",
        saves: r#"\"kind\":\"solved\",\"table\":{\"boards\":2,"#,
    });
}

#[test]
fn a_learned_table() {
    let header = concat!(
        r#"{"__metadata__":{"afterstate":"{\"format\":2,\"program\":\"0.1.0\","#,
        r#"\"game\":\"tetris:4x20\",\"rules_version\":1,\"tuples\":[],\"precision\":\"f32\","#,
        r#"\"entries\":{\"moves\":false,\"sees\":[\"heights, differences, cap=2\"],"#,
        r#"\"combine\":\"average\",\"pay\":{\"point\":1.5},\"discount\":0.8}}"},"#,
        r#""table":{"dtype":"F32","shape":[125],"data_offsets":[0,500]}}"#,
    );
    let entries: Vec<f32> = (0..125).map(|entry| entry as f32 / 3.0).collect();
    "tetris:4x20".parse::<GameSpec>().unwrap().with(Old {
        file: forge(header, &bytes_of(&entries)),
        kind: "table",
        describes: "table of afterstates by heights, differences, cap=2",
        saves: r#"\"discount\":0.8,"#,
    });
}

/// The last phase of the recipe says which boards a network has learned the values of.
#[test]
fn a_network_over_states() {
    let (folder, game) = (Folder::new("old-states"), Twenty48::new(2, 2, 0.1).unwrap());
    let path = folder.path("agent");
    let old = |recipe: &str| {
        let weights: Vec<f32> = (0..256).map(|i| ((i * 7919) % 97) as f32).collect();
        let data = bytes_of(&weights);
        let shape = json!({"dtype": "F32", "shape": [256], "data_offsets": [0, 1024]});
        let trained = json!({"recipe": recipe, "seed": 1, "episodes": 2, "moves": 3});
        let info = json!({
            "format": 2, "program": "0.1.0", "game": "2048:2x2", "rules_version": 1,
            "tuples": [[2, 3]], "precision": "f32", "trained": trained,
        });
        let forged = Forged { game: game.clone(), info, tensors: json!({"tuple.0": shape}), data };
        fs::write(&path, forged.bytes()).unwrap();
        load(&path, &game).unwrap()
    };
    let states = "[[phase]]\nvalues = \"states\"\nrate = 1.0\n";
    let afterstates = "[[phase]]\nvalues = \"afterstates\"\nrate = 1.0\n";
    for (recipe, over_states) in [
        (states.to_owned(), true),
        (afterstates.to_owned(), false),
        (format!("{afterstates}{states}"), true),
        (format!("{states}{afterstates}"), false),
        (format!("# values = \"states\"\n{afterstates}"), false),
        ("tuples = [\"2 3\"]\n".to_owned(), false),
    ] {
        let (info, mut model) = old(&recipe);
        let expected = over_states.then(|| json!("states"));
        assert_eq!(
            (info.kind.as_str(), info.model.get("values_of")),
            ("ntuple", expected.as_ref())
        );
        assert_eq!(model.afterstate_values().is_none(), over_states);
        // It stays so without its recipe.
        let again = folder.path("again");
        model.save(&again, &AgentInfo { trained: None, ..info }).unwrap();
        let (info, again) = load(&again, &game).unwrap();
        assert_eq!(info.model.get("values_of"), expected.as_ref());
        assert_eq!(again.afterstate_values().is_none(), over_states);
    }
    // It is played by expectation over chance outcomes.
    let ((_, over_states), (_, over_afterstates)) = (old(states), old(afterstates));
    let (mut policy, mut rng) = (over_states.policy(), Rng::stream(1, 0));
    let mut differs = 0;
    for state in random_states(&game, 500, 1) {
        let best = game.best_move(&state, |(_, step)| {
            let mut expected = 0.0;
            game.for_each_chance(&step.after, |next, probability| {
                let board = game.board_of(&next);
                expected += probability as f32 * value(&*over_afterstates, &game, &board);
            });
            step.reward + expected
        });
        let choice = policy.choose(&game, &state, &mut rng);
        assert_eq!(choice, best.map(|(choice, _)| choice), "{state:?}");
        let other = over_afterstates.policy().choose(&game, &state, &mut rng);
        differs += u32::from(choice != other);
    }
    assert!(differs > 10, "{differs}");
}
