//! Games of Tetris by weighted features, on a GPU and on the processor.

use afterstate_agents::EvaluationSettings;
use afterstate_agents::controllers;
use afterstate_agents::evaluate::evaluate_policy;
use afterstate_core::Rng;
use afterstate_cuda::{Candidates, Device, LinearTetris, Population, TetrisJob};
use afterstate_games::spec::Spec;
use afterstate_games::tetris::{Setup, Tetris};
use afterstate_values::Linear;

use super::{Check, VerifyError, network_error};

/// Candidates, and the games of each.
const CANDIDATES: usize = 8;
const GAMES: u64 = 500;

/// Games are truncated after so many pieces.
const PIECES: u64 = 1_000;

/// The feature set, the well and the weight of the reward.
const CASES: [(&str, usize, usize, f32); 6] = [
    ("dt", 10, 20, 0.0),
    ("dt6", 10, 20, 0.0),
    ("dt", 10, 10, 0.0),
    ("dt6", 10, 6, -1.5),
    ("dt", 6, 8, 0.5),
    ("dt6", 4, 28, 0.0),
];

/// The same games by several candidates at once: good and bad ones, and one without preferences.
pub(super) fn same_games(device: &Device) -> Result<Vec<Check>, VerifyError> {
    CASES.iter().map(|case| same_games_of(device, case)).collect()
}

fn same_games_of(
    device: &Device,
    &(set, width, height, reward): &(&str, usize, usize, f32),
) -> Result<Check, VerifyError> {
    let game = Tetris::new(Setup::sized(width, height)).map_err(network_error)?;
    let good = controllers::find("dt-20").map_or(&[][..], |controller| controller.weights);
    let mut rng = Rng::stream(6, 0);
    let mut candidate = |number: usize| -> Vec<f32> {
        let spread = number as f32 - 1.0;
        let mut weight = |&weight: &f32| match number {
            0 => 0.0,
            _ => weight + spread * (rng.unit() as f32 - 0.5),
        };
        good.iter().map(&mut weight).collect()
    };
    let candidates: Vec<Vec<f32>> = (0..CANDIDATES).map(&mut candidate).collect();
    let settings = EvaluationSettings {
        games: GAMES,
        max_moves: Some(PIECES),
        ..EvaluationSettings::default()
    };
    let mut here = Vec::new();
    let mut moves = 0;
    for weights in &candidates {
        let features = game.features(set).ok_or_else(|| format!("no features {set}"));
        let features = features.map_err(|error| VerifyError::Network(error.into()))?;
        let linear = Linear::new(set, features, reward, weights.clone()).map_err(network_error)?;
        let played = evaluate_policy(&game, || &linear, &settings)?;
        moves += played.moves;
        here.extend(played.scores);
    }
    let kernel = LinearTetris::new(&game, set).map_err(network_error)?;
    let mut population = Population::new(device, &kernel)?;
    let numbers =
        (0..CANDIDATES as u32).flat_map(|candidate| (0..GAMES).map(move |game| (candidate, game)));
    let jobs: Vec<TetrisJob> =
        numbers.map(|(candidate, game)| TetrisJob { game, candidate, padding: 0 }).collect();
    population.start(&Candidates {
        seed: settings.seed,
        reward,
        weights: &candidates.concat(),
        jobs: &jobs,
        max_score: f64::INFINITY,
        max_moves: Some(PIECES),
    })?;
    let mut there = population.play()?;
    there.sort_unstable_by_key(|game| game.job);
    let equal = here.iter().zip(&there).filter(|(a, b)| **a == b.score as f64).count();
    let moves_there: u64 = there.iter().map(|game| game.moves).sum();
    Ok(Check {
        what: format!("tetris:{width}x{height}: games by {set}"),
        found: format!(
            "{equal} of {} have the same score; {moves_there} moves, {moves} on the processor",
            here.len()
        ),
        agrees: Some(equal == jobs.len() && here.len() == jobs.len() && moves == moves_there),
    })
}
