//! Exact solutions of small games.

use afterstate_learn::solution::{Estimate, Solution, SolveError};

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

/// The time of a sweep that is told before beside the time that it takes: the same machine at the same
/// moment, and a factor of five for what else it does.
#[test]
fn the_time_that_is_told_is_about_the_time_that_it_takes() {
    let engine = open("tetris:4x4");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let ratio = || {
        pool.install(|| {
            let plan = engine.estimate(None, 1.0).unwrap();
            let seconds = |sweeps| {
                let plan = Estimate { max_sweeps: Some(sweeps), ..plan };
                engine.solve(&plan, &mut |_| {}).unwrap().seconds
            };
            // Survival is told to take 150 sweeps.
            plan.seconds / 150.0 / ((seconds(12) - seconds(2)) / 10.0)
        })
    };
    let ratios: Vec<f64> = (0..5).map(|_| ratio()).collect();
    assert!(ratios.iter().any(|ratio| (0.2..5.0).contains(ratio)), "{ratios:?}");
}
