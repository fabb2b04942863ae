//! Exact solutions of small games.

use afterstate_games::transition_model::Size;
use afterstate_learn::solution::{Solution, SolveError};

use crate::open;

fn solve(rules: &str, reward: Option<&str>, gamma: f64) -> Result<Solution, SolveError> {
    let (engine, reward) = (open(rules), reward.map(|reward| reward.parse().unwrap()));
    engine.solve(&engine.estimate(reward, gamma)?, &mut |_| {})
}

#[test]
fn every_small_game_is_solved() {
    let optimum = |rules| solve(rules, None, 1.0).unwrap().optimum;
    assert!((optimum("2048:2x2").unwrap() - 66.96415).abs() < 5e-6);
    assert!((optimum("1010:3x3,pieces=7").unwrap() - 69.83).abs() < 0.01);
    assert_eq!(optimum("1010:3x3,pieces=3"), None);
    let melax = optimum("tetris:4x2,melax").unwrap();
    assert!((-9_000.0..0.0).contains(&melax), "{melax}");
}

#[test]
fn a_game_that_is_too_large_names_the_memory() {
    let error = |rules, reward| solve(rules, reward, 1.0).unwrap_err().to_string();
    let large = error("1010:10x10", None);
    assert!(large.contains("2^102 bytes") && large.contains("learn instead"), "{large}");
    let large = error("2048:4x4", None);
    assert!(large.contains("2^") && large.contains("learn instead"), "{large}");
    assert!(error("1010:4x4,hand=3", None).contains("one piece at a time"));
    assert_eq!(error("2048:2x2", Some("r2")), "the reward r2 counts lines, but the game has none");
}

/// Boards and edges are estimated from four thousand indices; the sweeps are those of a typical game.
#[test]
fn the_work_that_is_told_is_about_the_work_that_it_takes() {
    let about = |told: u64, taken: u64, factor: f64| {
        let ratio = told as f64 / taken as f64;
        (1.0 / factor..factor).contains(&ratio)
    };
    for (rules, gamma) in [
        ("tetris:4x4", 1.0),
        ("tetris:4x4,pieces=melax", 1.0),
        ("1010:3x3,pieces=7", 1.0),
        ("1010:4x4,pieces=7", 1.0),
        ("1010:4x4,pieces=7", 0.5),
        ("1010:4x4,pieces=7", 0.9),
    ] {
        let plan = open(rules).estimate(None, gamma).unwrap();
        let solution = solve(rules, None, gamma).unwrap();
        let (told, taken) = (plan.size, solution.size);
        assert!(about(told.boards, taken.boards, 1.05), "{rules}: {told:?}, {taken:?}");
        assert!(about(told.edges, taken.edges, 1.1), "{rules}: {told:?}, {taken:?}");
        let work = |size: Size, sweeps: u64| (size.boards + size.edges) * sweeps;
        let (told, taken) = (work(told, plan.sweeps), work(taken, solution.sweeps));
        assert!(about(told, taken, 5.0), "{rules}, {gamma}: {told}, {taken}");
    }
}
