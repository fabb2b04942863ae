//! Each kind of model: round trips, and one sentence for whatever does not fit.

mod linear;
mod neural;
mod ntuple;
mod solved;
mod table;

use afterstate_core::{Greedy, RandomPolicy, Rng};
use afterstate_games::twenty48::Twenty48;

use super::*;
use crate::GreedyRule;
use crate::test_files::{Folder, full_info};
use crate::test_networks::random_states;

fn loaded<G: Spec>(path: &Path, game: &G) -> Result<(AgentInfo, Box<dyn Model<G>>), String> {
    load(path, game).map_err(|error| error.problem.to_string())
}

/// The names are in files.
#[test]
fn kinds_are_told_apart_by_name() {
    let kinds = KINDS.iter().map(|kind| (kind.name, kind.any_rules, kind.searchable));
    assert_eq!(
        kinds.collect::<Vec<_>>(),
        [
            ("ntuple", false, true),
            ("linear", true, true),
            ("solved", false, true),
            ("table", true, false),
            ("neural", false, true)
        ]
    );
}

#[test]
fn rules_are_models_that_no_file_holds() {
    let (folder, game) = (Folder::new("rules"), Twenty48::standard());
    let (path, info) = (folder.path("agent"), full_info("2048:4x4", 1));
    let mut models: [Box<dyn Model<Twenty48>>; 3] =
        [Box::new(RandomPolicy), Box::new(Greedy), Box::new(GreedyRule::MostLines)];
    for model in &mut models {
        let error = model.save(&path, &info).unwrap_err().to_string();
        assert!(error.ends_with("agent: the agent has nothing that a file could hold"), "{error}");
        assert!(matches!(model.quantize().err().unwrap(), QuantizeError::Unsupported));
        assert!(model.afterstate_values().is_none() && model.linear().is_none());
    }
    let searched = models.map(|model| model.searcher(&Search::expectimax(2), 1).is_some());
    assert_eq!(searched, [false, true, false]);
    // Greedy play with one ply of search is greedy play.
    let (mut rng, greedy) = (Rng::stream(1, 0), Greedy);
    let mut searcher = Model::<Twenty48>::searcher(&greedy, &Search::GREEDY, 1).unwrap();
    for state in random_states(&game, 200, 1) {
        let chosen = searcher.choose(&game, &state, &mut rng);
        assert_eq!(chosen, Greedy.choose(&game, &state, &mut rng));
    }
    assert!(folder.names().is_empty());
}
