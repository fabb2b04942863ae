//! Benchmarks of the first NVIDIA GPU; none on a machine without one.

use std::error::Error;
use std::sync::atomic::Ordering;
use std::time::Instant;

use afterstate_agents::controllers;
use afterstate_core::{Game as _, Policy as _, Rng, threads};
use afterstate_cuda::{
    BatchLaunch, BatchNeeds, BatchTrainer, Candidates, CudaError, Device, Evaluation, Expectimax,
    Launch, LinearTetris, Needs, Player, Population, Starts, TenTenNetwork, TenTenPlayer,
    TetrisJob, Trainer,
};
use afterstate_games::Tuples;
use afterstate_games::reward::Objective;
use afterstate_games::spec::parse_rules;
use afterstate_games::tenten::TenTen;
use afterstate_games::tetris::Tetris;
use afterstate_games::twenty48::Twenty48;
use afterstate_search::{Search, Searcher};
use afterstate_train::learners::ntuple::patterns::{Pattern, tuples};
use afterstate_values::{Network, NetworkEvaluator, NetworkPolicy};

use super::search::positions;
use super::{Benchmark, Work};

/// Their names, and the tuples or the features of each.
pub(super) const NAMES: [(&str, &str); 10] = [
    ("2048/cuda_td_4x6", "4x6"),
    ("2048/cuda_td_8x6", "8x6"),
    ("2048/cuda_tc_8x6", "8x6"),
    ("2048/cuda_play_4x6", "4x6"),
    ("2048/cuda_play_8x6", "8x6"),
    ("2048/cuda_play_8x6_2ply", "8x6"),
    ("2048/cuda_play_8x6_3ply", "8x6"),
    ("tetris/cuda_dt_10x20", "dt"),
    ("1010/cuda_tc", "1010-record"),
    ("1010/cuda_play", "1010-record"),
];

/// A network is trained for this many times the time of a measurement, so that games reach large
/// tiles.
const WARM_UP: f64 = 5.0;

/// Games that are started at once: many more than are played at a time.
const GAMES: u64 = 65_536;

/// Games of Tetris.
const TETRIS_GAMES: u64 = 8_192;

/// What is wrong where there is no GPU.
pub(super) fn missing() -> Option<Reason> {
    Device::open(0).err().map(Into::into)
}

/// Why a GPU cannot be measured.
type Reason = Box<dyn Error + Send + Sync>;

/// A benchmark by name; `None` without a GPU.
pub(super) fn benchmark(
    name: &'static str,
    set: &str,
    seconds: f64,
    seed: u64,
) -> Result<Option<Benchmark>, Reason> {
    let Ok(device) = Device::open(0) else { return Ok(None) };
    if name.starts_with("tetris") {
        return tetris(name, set, &device, seed).map(Some);
    }
    if name.starts_with("1010") {
        return tenten(name, &device, seconds, seed).map(Some);
    }
    let game = Twenty48::standard();
    let tuples = tuples(&game, &[Pattern::Word(set.to_owned())])?;
    let network = afterstate_cuda::Network::new(&game, &tuples)?;
    let coherent = name.contains("tc");
    let needs =
        Needs { td: true, tc: coherent, trace: 1, restart: false, games: None, average: false };
    let mut trainer = Trainer::new(&device, &network, needs, seed)?;
    let td = Launch {
        coherent: false,
        rate: 0.1,
        lambda: 0.0,
        trace: 1,
        min_tiles: 3,
        crowded_every: 256,
        coherence_every: 1,
        starts: Starts::Fresh,
        staged: true,
        steps: 2_000,
    };
    let clock = Instant::now();
    while clock.elapsed().as_secs_f64() < WARM_UP * seconds {
        trainer.launch(&td)?;
    }
    if name.contains("play") {
        let mut bytes = vec![0u8; network.weight_bytes() as usize];
        trainer.network.download(&mut bytes, None)?;
        drop(trainer);
        let words = bytes.as_chunks::<4>().0;
        let weights: Vec<f32> = words.iter().map(|&word| f32::from_le_bytes(word)).collect();
        drop(bytes);
        return play(name, &device, &game, &tuples, &weights, seconds, seed).map(Some);
    }
    let launch = if coherent { Launch { coherent, rate: 1.0, ..td } } else { td };
    Ok(Some(Benchmark::new(name, "moves/s", move || {
        trainer.launch(&launch).map_or(0, |played| played.moves)
    })))
}

/// The search of a benchmark, and the moves that each core plays at a time.
fn search_of(name: &str) -> (Search, u64) {
    match name.rsplit('_').next() {
        Some("2ply") => (Search::expectimax(2), 200),
        Some("3ply") => (Search::expectimax(3), 20),
        _ => (Search::GREEDY, 5_000),
    }
}

/// Games of a trained network by search or without, beside the same on all cores.
fn play(
    name: &'static str,
    device: &Device,
    game: &Twenty48,
    tuples: &Tuples,
    weights: &[f32],
    seconds: f64,
    seed: u64,
) -> Result<Benchmark, Reason> {
    let (search, _) = search_of(name);
    let kernels = afterstate_cuda::Network::new(game, tuples)?;
    let search = Expectimax::new(&search)?;
    let mut player = Player::new(device, &kernels, weights, search)?;
    let (mut first, mut before) = (0, 0);
    let mut launch = move || {
        if player.left() == 0 {
            let games = first..first + GAMES;
            (first, before) = (games.end, 0);
            player.start(&Evaluation { seed, games, max_moves: None })?;
        }
        let moves = player.launch()?.moves;
        Ok::<u64, CudaError>(moves - std::mem::replace(&mut before, moves))
    };
    // Games are all at their start at first, where boards are emptier than later.
    let clock = Instant::now();
    while clock.elapsed().as_secs_f64() < WARM_UP * seconds {
        launch()?;
    }
    let counter = device.clone();
    let on_device = Benchmark::new(name, "moves/s", move || launch().unwrap_or(0));
    Ok(Benchmark {
        processor: Some(on_processor(name, game, tuples, weights, seconds, seed)?),
        joules: Some(Box::new(move || counter.joules())),
        ..on_device
    })
}

/// The same network and search on all cores of the processor, from positions of whole games.
fn on_processor(
    name: &str,
    game: &Twenty48,
    tuples: &Tuples,
    weights: &[f32],
    seconds: f64,
    seed: u64,
) -> Result<Work, Reason> {
    let network = Network::new(game, tuples.clone(), 0.0)?;
    for (word, weight) in network.weights().iter().zip(weights) {
        word.store(weight.to_bits(), Ordering::Relaxed);
    }
    let states = positions(game, &mut NetworkPolicy::new(&network), seconds, seed);
    let (search, moves) = search_of(name);
    let (game, mut round) = (game.clone(), 0);
    Ok(Box::new(move || {
        round += 1;
        let play = |core: u64| {
            let mut rng = Rng::stream(seed ^ round, core);
            let mut state = states[rng.below(states.len())];
            let mut searcher = Searcher::new(NetworkEvaluator::new(&network), search);
            let mut played = 0;
            while played < moves {
                state = match searcher.choose(&game, &state, &mut rng) {
                    Some((_, step)) => game.sample(&step.after, &mut rng),
                    None => game.start(&mut rng),
                };
                played += 1;
            }
            played
        };
        threads::scoped(0..threads::cores() as u64, play).into_iter().sum()
    }))
}

/// Games of a good controller, more than run at once and longer than a measurement.
fn tetris(name: &'static str, set: &str, device: &Device, seed: u64) -> Result<Benchmark, Reason> {
    let kernel = LinearTetris::new(&Tetris::standard(), set)?;
    let mut population = Population::new(device, &kernel)?;
    let weights = controllers::find("dt-20").map_or(Vec::new(), |known| known.weights.to_vec());
    let mut first = 0;
    Ok(Benchmark::new(name, "pieces/s", move || {
        if population.left() < 2 * TETRIS_GAMES as usize {
            let job = |game| TetrisJob { game, candidate: 0, padding: 0 };
            let started = population.start(&Candidates {
                seed,
                reward: 0.0,
                weights: &weights,
                jobs: &(first..first + 4 * TETRIS_GAMES).map(job).collect::<Vec<_>>(),
                max_score: f64::INFINITY,
                max_moves: None,
            });
            first += 4 * TETRIS_GAMES;
            if started.is_err() {
                return 0;
            }
        }
        population.launch().map_or(0, |(_, moves)| moves)
    }))
}

/// The network of the recipe 1010-record, its first part learned before.
fn tenten(
    name: &'static str,
    device: &Device,
    seconds: f64,
    seed: u64,
) -> Result<Benchmark, Reason> {
    let game: TenTen = parse_rules("1010:10x10,pieces=19")?;
    let sets = ["rectangles 3x3", "rectangles 10x1", "rectangles 4x4"];
    let tuples = tuples(&game, &sets.map(|set| Pattern::Word(set.to_owned())))?;
    let tuples = tuples.with_stages(vec![32, 42])?;
    let network = TenTenNetwork::new(&game, &tuples)?;
    let needs = BatchNeeds { td: false, tc: true, games: 2_640, average: false };
    let mut trainer = BatchTrainer::new(device, &network, needs, seed)?;
    let objective = Objective::Survival { points: 20.0, discount: 0.99 };
    let launch = BatchLaunch { coherent: true, rate: 1.0, objective, batches: 200 };
    let clock = Instant::now();
    while clock.elapsed().as_secs_f64() < WARM_UP * seconds {
        trainer.launch(&launch)?;
    }
    if !name.contains("play") {
        return Ok(Benchmark::new(name, "moves/s", move || {
            trainer.launch(&launch).map_or(0, |played| played.moves)
        }));
    }
    let mut bytes = vec![0u8; network.weight_bytes() as usize];
    trainer.network.download(&mut bytes, None)?;
    let words = bytes.as_chunks::<4>().0;
    let weights: Vec<f32> = words.iter().map(|&word| f32::from_le_bytes(word)).collect();
    let mut player = TenTenPlayer::new(device, &network, &weights)?;
    let mut first = 0;
    Ok(Benchmark::new(name, "moves/s", move || {
        let games = first..first + GAMES;
        first += GAMES;
        // Games are truncated, so that the longest does not decide.
        let played = player.play(&Evaluation { seed, games, max_moves: Some(1_000) });
        played.map_or(0, |games| games.iter().map(|game| u64::from(game.moves)).sum())
    }))
}
