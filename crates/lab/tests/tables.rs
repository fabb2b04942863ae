//! Tables as runs: trained, stopped and resumed, saved, and played in the well that they learned
//! and in a wider one.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use afterstate_lab::recipe::Recipe;
use afterstate_lab::recipes::BUILT_IN;
use afterstate_lab::run::{Folder, Observer, RunError, Status, train};
use afterstate_lab::{Agent, Plan, evaluate};

#[derive(Default)]
struct Silent(Vec<String>);

impl Observer for Silent {
    fn plan(&mut self, note: &str) -> Result<(), RunError> {
        self.0.push(note.to_owned());
        Ok(())
    }

    fn round(&mut self, _: &Status) -> Result<(), RunError> {
        Ok(())
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tables-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn recipe(name: &str, settings: &[&str]) -> Recipe {
    let (_, text) = BUILT_IN.iter().find(|(known, _)| *known == name).unwrap();
    let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
    Recipe::parse(text, &settings).unwrap()
}

/// Trains into a new folder and returns it with what was said.
fn trained(name: &str, settings: &[&str]) -> (Folder, Vec<String>) {
    let folder = Folder::create(&folder(name), recipe(name, settings)).unwrap();
    let mut watch = Silent::default();
    let outcome = train(&folder, 1, &AtomicBool::new(false), &mut watch).unwrap();
    assert!(outcome.finished);
    (folder, watch.0)
}

fn rows(agent: PathBuf, rules: &str, games: u64) -> f64 {
    let plan = Plan { games, seed: 5, threads: Some(1), max_moves: Some(2_000) };
    evaluate(&rules.parse().unwrap(), &Agent::File(agent), &plan).unwrap().score.mean
}

#[test]
fn a_contour_agent_plays_its_own_well_and_wider_ones() {
    let (folder, said) = trained("contour4", &["budget.episodes=60", "table.cut=5000"]);
    assert!(said[0].starts_with("a table of 175 entries"), "{said:?}");
    let four = rows(folder.agent(), "tetris:4x20,pieces=melax", 20);
    assert!(four > 500.0, "2,000 pieces make 1,200 rows: {four}");
    assert!(rows(folder.agent(), "tetris:10x20,pieces=melax", 20) > 0.0);
    // A table of afterstates does not know pieces.
    assert!(rows(folder.agent(), "tetris:5x20", 20) > 1.0);
    let plan = Plan { games: 1, seed: 1, threads: Some(1), max_moves: None };
    let error = evaluate(&"2048".parse().unwrap(), &Agent::File(folder.agent()), &plan);
    assert!(error.unwrap_err().to_string().contains("tetris:4x20"));
    fs::remove_dir_all(folder.path()).unwrap();
}

#[test]
fn a_table_of_moves_belongs_to_its_pieces() {
    let (folder, _) = trained("contour5-sarsa", &["budget.episodes=20"]);
    rows(folder.agent(), "tetris:10x20,pieces=melax", 2);
    let plan = Plan { games: 1, seed: 1, threads: Some(1), max_moves: None };
    let error = evaluate(&"tetris:10x20".parse().unwrap(), &Agent::File(folder.agent()), &plan);
    assert!(error.unwrap_err().to_string().contains("expected F32 of shape"));
    fs::remove_dir_all(folder.path()).unwrap();
}

/// A stopped run goes on as if it had not been stopped: the same bytes.
#[test]
fn stopped_tables_go_on() {
    for (name, settings) in [
        ("melax", &["budget.episodes=6"][..]),
        ("contour4-sarsa", &["budget.episodes=60", "log.window=5"]),
        ("contour-ntuple", &["budget.episodes=6", "log.window=2"]),
    ] {
        let (whole, _) = trained(name, settings);
        let bytes = fs::read(whole.agent()).unwrap();
        fs::remove_dir_all(whole.path()).unwrap();
        let part = Folder::create(&folder(name), recipe(name, settings)).unwrap();
        let stopped = train(&part, 1, &AtomicBool::new(true), &mut Silent::default()).unwrap();
        assert!(!stopped.finished);
        let outcome = train(&part, 1, &AtomicBool::new(false), &mut Silent::default()).unwrap();
        assert!(outcome.finished);
        assert!(fs::read(part.agent()).unwrap() == bytes, "{name}");
        fs::remove_dir_all(part.path()).unwrap();
    }
}

#[test]
fn wrong_tables_get_a_sentence() {
    let said = |name: &str, settings: &[&str]| {
        let folder = Folder::create(&folder("wrong"), recipe(name, settings)).unwrap();
        let error = train(&folder, 1, &AtomicBool::new(false), &mut Silent::default()).err();
        fs::remove_dir_all(folder.path()).unwrap();
        error.unwrap().to_string()
    };
    let narrow = said("contour4", &["game=tetris:10x20"]);
    assert!(narrow.contains("met a window narrower than the board"), "{narrow}");
    let view = said("contour4", &["table.sees=colours"]);
    assert!(view.contains("met \"colours\", expected cells or heights"), "{view}");
    let pay = said("contour4", &["table.pay.gold=1"]);
    assert_eq!(pay, "pay: met \"gold\", expected point, higher, lower, hole or most_holes");
    let game = said("contour4", &["game=2048:4x4"]);
    assert_eq!(game, "met a table, expected another learner: 2048 has none");
    let text = BUILT_IN.iter().find(|(known, _)| *known == "contour4").unwrap().1;
    let wrong = |setting: &str| Recipe::parse(text, &[setting.to_owned()]).unwrap_err().to_string();
    assert_eq!(
        wrong("table.lambda=0.5"),
        "table.lambda: met 0.5, expected 0, or method sarsa or q"
    );
    assert_eq!(wrong("table.discount=1.5"), "table.discount: met 1.5, expected 0 to 1");
    assert_eq!(wrong("table.cut=0"), "table.cut: met 0, expected 1 or more moves");
    assert!(wrong("table.explore={epsilon=2}").contains("table.explore"));
}
