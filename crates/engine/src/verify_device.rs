//! `verify-device`: what a GPU plays and learns, against the processor.

mod neural;
mod search;
mod tenten;
mod tetris;

use std::cell::{Cell, RefCell};
use std::sync::atomic::Ordering;

use afterstate_agents::evaluate::{EvaluateError, evaluate_policy};
use afterstate_agents::{EvaluationSettings, Summary};
use afterstate_core::{Game as _, Rng, threads};
use afterstate_cuda::{CudaError, Device, Expectimax, Launch, Needs, Player, Starts, Trainer};
use afterstate_games::Tuples;
use afterstate_games::twenty48::{Board, Twenty48};
use afterstate_learn::warp::{Replay, TcAtOnce};
use afterstate_learn::{Coherence, EpisodeResult, Tc, Td, TdLearner, Update};
use afterstate_values::weights::load;
use afterstate_values::{MemoryError, Network, NetworkPolicy};

/// One comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What is compared.
    pub what: String,
    /// What was found.
    pub found: String,
    /// Whether the two agree; `None` for what is measured, not judged.
    pub agrees: Option<bool>,
}

/// The comparison could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] CudaError),
    /// The processor could not play.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// A network could not be made.
    #[error(transparent)]
    Network(#[from] Box<dyn std::error::Error + Send + Sync>),
}

fn network_error(error: impl std::error::Error + Send + Sync + 'static) -> VerifyError {
    VerifyError::Network(Box::new(error))
}

/// Games that both play.
const GAMES: u64 = 2_000;

/// Games that one warp learns from.
const LEARNED: u64 = 20;

/// Moves of each training of a learning curve, and the number of trainings.
const MOVES: u64 = 10_000_000;
const SEEDS: u64 = 5;

/// Games at once, and the tiles below which a weight is not updated.
const AT_ONCE: [(u32, u32); 4] = [(FEW, 0), (64, 0), (1_056, 2), (1_056, 3)];

/// So few games learn as one after the other.
const FEW: u32 = 4;

/// Rules with tuples of every kind of layout.
fn networks() -> Result<Vec<(&'static str, Twenty48, Tuples)>, VerifyError> {
    let network = |name, (width, height), four, cells: &[&[usize]], stages: &[u64]| {
        let game = Twenty48::new(width, height, four).map_err(network_error)?;
        let cells: Vec<Vec<usize>> = cells.iter().map(|cells| cells.to_vec()).collect();
        let tuples = Tuples::new(&game, &cells).map_err(network_error)?;
        let tuples = tuples.with_stages(stages.to_vec()).map_err(network_error)?;
        Ok::<_, VerifyError>((name, game, tuples))
    };
    let lines: &[&[usize]] = &[&[0, 1, 2, 3], &[0, 1, 4, 5, 6], &[5], &[1, 2, 5, 6], &[3, 7, 11]];
    Ok(vec![
        network("2048:4x4", (4, 4), 0.1, lines, &[])?,
        network("2048:4x4 with stages", (4, 4), 0.1, &lines[..2], &[200, 400, 1_000])?,
        network("2048:3x3", (3, 3), 0.25, &[&[0, 1, 2, 3], &[4, 5, 7]], &[])?,
        network("2048:4x3", (4, 3), 0.1, &[&[0, 1, 2, 3], &[0, 4, 8]], &[])?,
    ])
}

/// Compares a device with the processor; `report` is called with each result.
pub fn verify_device(number: usize, mut report: impl FnMut(Check)) -> Result<bool, VerifyError> {
    let device = Device::open(number)?;
    let mut all = true;
    let mut add = |check: Check| {
        all &= check.agrees != Some(false);
        report(check);
    };
    for (name, game, tuples) in networks()? {
        add(same_games(&device, name, &game, &tuples)?);
        search::same_games(&device, name, &game, &tuples)?.into_iter().for_each(&mut add);
        for (coherent, lambda) in [(false, 0.0), (false, 0.5), (true, 0.0), (true, 0.5)] {
            add(same_learning(&device, name, &game, &tuples, coherent, lambda)?);
        }
    }
    tetris::same_games(&device)?.into_iter().for_each(&mut add);
    tenten::checks(&device)?.into_iter().for_each(&mut add);
    neural::checks(&device)?.into_iter().for_each(&mut add);
    for coherent in [false, true] {
        same_curve(&device, coherent)?.into_iter().for_each(&mut add);
    }
    Ok(all)
}

/// Greedy games by weights that are whole numbers, whose sums are exact in any order.
fn same_games(
    device: &Device,
    name: &str,
    game: &Twenty48,
    tuples: &Tuples,
) -> Result<Check, VerifyError> {
    let weights = whole_weights(tuples);
    let network = with_weights(game, tuples, &weights)?;
    let settings = EvaluationSettings { games: GAMES, ..EvaluationSettings::default() };
    let here = evaluate_policy(game, || NetworkPolicy::new(&network), &settings)?;
    let there = play(device, game, tuples, &weights, settings.seed)?;
    let equal = here.scores.iter().zip(&there).filter(|(a, b)| a == b).count();
    Ok(Check {
        what: format!("{name}: greedy games"),
        found: format!("{equal} of {GAMES} have the same score"),
        agrees: Some(equal as u64 == GAMES && here.moves > GAMES),
    })
}

/// Weights that are whole numbers.
fn whole_weights(tuples: &Tuples) -> Vec<f32> {
    let mut rng = Rng::stream(3, 0);
    (0..tuples.weights()).map(|_| rng.below(2_000) as f32 - 500.0).collect()
}

fn play(
    device: &Device,
    game: &Twenty48,
    tuples: &Tuples,
    weights: &[f32],
    seed: u64,
) -> Result<Vec<f64>, VerifyError> {
    let kernels = afterstate_cuda::Network::new(game, tuples).map_err(network_error)?;
    let games = afterstate_cuda::Evaluation { seed, games: 0..GAMES, max_moves: None };
    let mut player = Player::new(device, &kernels, weights, Expectimax::GREEDY)?;
    let played = player.play(&games, &mut |_| {})?;
    Ok(played.iter().map(|game| f64::from(game.score)).collect())
}

fn with_weights(
    game: &Twenty48,
    tuples: &Tuples,
    weights: &[f32],
) -> Result<Network<Twenty48>, VerifyError> {
    let network = Network::new(game, tuples.clone(), 0.0).map_err(network_error)?;
    for (word, weight) in network.weights().iter().zip(weights) {
        word.store(weight.to_bits(), Ordering::Relaxed);
    }
    Ok(network)
}

/// Learning by one warp, one move per launch.
fn same_learning(
    device: &Device,
    name: &str,
    game: &Twenty48,
    tuples: &Tuples,
    coherent: bool,
    lambda: f32,
) -> Result<Check, VerifyError> {
    let mut rng = Rng::stream(2, 0);
    let first = tuples.stage_weights();
    let weight = |at| if at < first { rng.unit() as f32 * 30.0 } else { 0.0 };
    let weights: Vec<f32> = (0..tuples.weights()).map(weight).collect();
    let rate = if coherent { 1.0 } else { 0.1 };
    let trace = if lambda > 0.0 { 5 } else { 1 };
    let kernels = afterstate_cuda::Network::new(game, tuples).map_err(network_error)?;
    let needs = Needs {
        td: !coherent,
        tc: coherent,
        trace,
        restart: false,
        games: Some(1),
        average: false,
    };
    let mut trainer = Trainer::new(device, &kernels, needs, 5)?;
    let bytes: Vec<u8> = weights.iter().flat_map(|weight| weight.to_le_bytes()).collect();
    let mut sums_bytes = vec![0u8; 2 * bytes.len()];
    trainer.network.upload(&bytes, coherent.then_some(&sums_bytes[..]), 0)?;
    let launch = Launch {
        coherent,
        rate,
        lambda,
        trace,
        min_tiles: 0,
        crowded_every: 0,
        coherence_every: 1,
        starts: Starts::Fresh,
        staged: true,
        steps: 1,
    };
    let (mut afters, mut games) = (Vec::new(), Vec::new());
    while (games.len() as u64) < LEARNED {
        let played = trainer.launch(&launch)?;
        if played.moves > 0 {
            afters.push(Board::from_nibbles(trainer.first_afterstate()?));
        }
        games.extend(played.games.iter().map(|game| f64::from(game.score)));
    }
    let mut learned = bytes;
    trainer.network.download(&mut learned, coherent.then_some(&mut sums_bytes[..]))?;
    let network = with_weights(game, tuples, &weights)?;
    let sums = RefCell::new(vec![(0.0, 0.0); weights.len()]);
    let worst = Cell::new(0.0);
    let policy = Box::new(Replay { network: &network, afters: afters.iter(), worst: &worst });
    let expected = if coherent {
        let update = TcAtOnce { rate, sums: &sums };
        learn(game, TdLearner::new(game, &network, update, lambda).with_policy(policy))
    } else {
        learn(game, TdLearner::new(game, &network, Td { rate }, lambda).with_policy(policy))
    };
    let words = learned.as_chunks::<4>().0.iter().map(|&word| f32::from_le_bytes(word));
    let difference = words.zip(network.weights()).map(|(found, word)| (found - load(word)).abs());
    let difference = difference.fold(0.0, f32::max);
    let method = if coherent { "TC" } else { "TD" };
    Ok(Check {
        what: format!("{name}: {method}({lambda}) by one warp"),
        found: format!(
            "{} moves, weights differ by at most {difference:.1e}, moves by {:.1e} of their value",
            afters.len(),
            worst.get()
        ),
        agrees: Some(games == expected && difference < 5e-3 && worst.get() < 1e-5),
    })
}

fn learn<U: Update>(game: &Twenty48, mut learner: TdLearner<Twenty48, U>) -> Vec<f64> {
    let episode = |number| {
        let mut rng = Rng::stream(5, number);
        let start = game.start(&mut rng);
        let EpisodeResult { score, .. } = learner.episode(start, &mut rng, |_| {});
        score
    };
    (0..LEARNED).map(episode).collect()
}

/// The strength after so many moves, over several seeds, with so many games at once. Few games
/// learn as the processor does; what many lose by learning at once is shown.
fn same_curve(device: &Device, coherent: bool) -> Result<Vec<Check>, VerifyError> {
    let game = Twenty48::standard();
    let cells: Vec<Vec<usize>> = vec![vec![0, 1, 2, 4, 5], vec![4, 5, 6, 8, 9], vec![0, 1, 2, 3]];
    let tuples = Tuples::new(&game, &cells).map_err(network_error)?;
    let rate = if coherent { 1.0 } else { 0.1 };
    let kernels = afterstate_cuda::Network::new(&game, &tuples).map_err(network_error)?;
    let mean = |weights: &[f32], seed| -> Result<f64, VerifyError> {
        let scores = play(device, &game, &tuples, weights, 100 + seed)?;
        Ok(scores.iter().sum::<f64>() / GAMES as f64)
    };
    let learn_here = |(): &mut (), seed| learn_moves(&game, &tuples, coherent, rate, seed as u64);
    let learned = threads::map_with(threads::cores(), SEEDS as usize, || (), learn_here);
    let mut here = Vec::new();
    for (seed, weights) in (0..).zip(learned) {
        here.push(mean(&weights.map_err(network_error)?, seed)?);
    }
    let ((low, high), here) = interval(&here);
    let method = if coherent { "TC" } else { "TD" };
    let mut checks = Vec::new();
    for (games, min_tiles) in AT_ONCE {
        let launch = Launch {
            coherent,
            rate,
            lambda: 0.0,
            trace: 1,
            min_tiles,
            crowded_every: 0,
            coherence_every: 1,
            starts: Starts::Fresh,
            staged: true,
            steps: 500,
        };
        let mut there = Vec::new();
        for seed in 0..SEEDS {
            let needs = Needs {
                td: !coherent,
                tc: coherent,
                trace: 1,
                restart: false,
                games: Some(games),
                average: false,
            };
            let mut trainer = Trainer::new(device, &kernels, needs, seed)?;
            let mut moves = 0;
            while moves < MOVES {
                moves += trainer.launch(&launch)?.moves;
            }
            let mut bytes = vec![0u8; kernels.weight_bytes() as usize];
            trainer.network.download(&mut bytes, None)?;
            let words = bytes.as_chunks::<4>().0;
            let weights: Vec<f32> = words.iter().map(|&word| f32::from_le_bytes(word)).collect();
            there.push(mean(&weights, seed)?);
        }
        let (own, there) = interval(&there);
        let millions = MOVES / 1_000_000;
        checks.push(Check {
            what: format!(
                "{method}, {games} games at once, {millions} million moves, {SEEDS} seeds"
            ),
            found: format!("{there} points, {here} on the processor"),
            agrees: (games <= FEW).then_some(own.1 >= low && high >= own.0),
        });
    }
    Ok(checks)
}

/// The mean of some means with its interval.
fn interval(means: &[f64]) -> ((f64, f64), String) {
    let ends = Summary::of_games(means).and_then(|summary| summary.ci95).unwrap_or_default();
    let mean = means.iter().sum::<f64>() / means.len() as f64;
    (ends, format!("{mean:.0} ({:.0} to {:.0})", ends.0, ends.1))
}

/// The weights after so many moves on the processor.
fn learn_moves(
    game: &Twenty48,
    tuples: &Tuples,
    coherent: bool,
    rate: f32,
    seed: u64,
) -> Result<Vec<f32>, MemoryError> {
    let network = Network::new(game, tuples.clone(), 0.0)?;
    let coherence = Coherence::new(tuples.weights())?;
    if coherent {
        let update = Tc { rate, coherence: &coherence };
        play_moves(game, TdLearner::new(game, &network, update, 0.0), seed);
    } else {
        play_moves(game, TdLearner::new(game, &network, Td { rate }, 0.0), seed);
    }
    Ok(network.weights().iter().map(load).collect())
}

fn play_moves<U: Update>(game: &Twenty48, mut learner: TdLearner<Twenty48, U>, seed: u64) {
    let (mut moves, mut number) = (0, 0);
    while moves < MOVES {
        let mut rng = Rng::stream(seed, number);
        let start = game.start(&mut rng);
        moves += learner.episode(start, &mut rng, |_| {}).moves;
        number += 1;
    }
}
