//! Tables as runs: trained, saved, and played in the well that they learned and in wider ones.

use std::path::Path;

use afterstate_agents::{Agent, EvaluationSettings};
use afterstate_core::Device;
use afterstate_search::Search;
use afterstate_train::recipe::Recipe;
use afterstate_train::recipes::BUILT_IN;

use crate::{Run, Stop, open, recipe};

/// Trains a built-in recipe; returns the run and the notes of its plan.
fn trained(name: &str, settings: &[&str]) -> (Run, Vec<String>) {
    let run = Run::new(name, recipe(name, settings));
    let (outcome, notes) = run.train(Stop::Never).unwrap();
    assert!(outcome.finished);
    (run, notes)
}

/// The mean rows of a game, or why the agent cannot play.
fn rows(agent: &Path, rules: &str, games: u64) -> Result<f64, String> {
    let settings = EvaluationSettings {
        games,
        seed: 5,
        threads: Some(1),
        max_moves: Some(2_000),
        device: Device::Cpu,
    };
    let evaluation =
        open(rules).evaluate(&Agent::File(agent.to_owned()), &Search::GREEDY, &settings);
    evaluation.map(|evaluation| evaluation.score.mean).map_err(|error| error.to_string())
}

#[test]
fn a_contour_agent_plays_its_own_well_and_wider_ones() {
    let (run, notes) = trained("contour4", &["budget.episodes=60", "table.max_moves=5000"]);
    assert!(notes[0].starts_with("a table of 175 entries"), "{notes:?}");
    let agent = &run.agent();
    let four = rows(agent, "tetris:4x20,pieces=melax", 20).unwrap();
    assert!(four > 500.0, "2,000 pieces make 1,200 rows: {four}");
    assert!(rows(agent, "tetris:10x20,pieces=melax", 20).unwrap() > 0.0);
    // A table of afterstates does not depend on the pieces.
    assert!(rows(agent, "tetris:5x20", 20).unwrap() > 1.0);
    assert!(rows(agent, "2048", 1).unwrap_err().contains("tetris:4x20"));
}

#[test]
fn a_table_of_moves_belongs_to_its_pieces() {
    let (run, _) = trained("contour5-sarsa", &["budget.episodes=20"]);
    rows(&run.agent(), "tetris:10x20,pieces=melax", 2).unwrap();
    let error = rows(&run.agent(), "tetris:10x20", 1).unwrap_err();
    let shapes = "tensor table of F32 of shape [122500], its model needs F32 of shape [171500]";
    assert!(error.ends_with(shapes), "{error}");
}

#[test]
fn invalid_tables_are_named() {
    let text = BUILT_IN.iter().find(|(known, _)| *known == "contour4").unwrap().1;
    let error = |setting: &str| match Recipe::parse(text, &[setting.to_owned()]) {
        Ok(recipe) => Run::new("invalid", recipe).train(Stop::Never).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    };
    let narrow = "the window is narrower than the board: such a table plays, but cannot be learned";
    let part =
        "unknown part \"gold\" of the reward: expected point, higher, lower, hole or most_holes";
    let game = "2048 has no state aggregation: use another learner";
    for (setting, expected) in [
        ("game=tetris:10x20", narrow),
        ("table.reward.gold=1", part),
        ("game=2048:4x4", game),
        ("table.lambda=0.5", "table.lambda is 0.5, but must be 0 unless the method is sarsa or q"),
        ("table.discount=1.5", "table.discount is 1.5, but must be 0 to 1"),
        ("table.max_moves=0", "table.max_moves is 0, but must be 1 or more"),
    ] {
        assert_eq!(error(setting), expected);
    }
    let view = error("table.views=colours");
    assert!(view.starts_with("invalid view \"colours\": expected cells or heights, "), "{view}");
    assert!(error("table.exploration={epsilon=2}").contains("table.exploration"));
}
