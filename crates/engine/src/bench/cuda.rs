//! Benchmarks of the first NVIDIA GPU; none on a machine without one.

use std::time::Instant;

use afterstate_agents::controllers;
use afterstate_cuda::{
    BatchLaunch, BatchNeeds, BatchTrainer, Candidates, Device, Evaluation, Launch, LinearTetris,
    Needs, Player, Population, Starts, TenTenNetwork, TetrisJob, Trainer,
};
use afterstate_games::reward::Objective;
use afterstate_games::spec::parse_rules;
use afterstate_games::tenten::TenTen;
use afterstate_games::tetris::Tetris;
use afterstate_games::twenty48::Twenty48;
use afterstate_train::learners::ntuple::patterns::{Pattern, tuples};

use super::Benchmark;

/// Their names, and the tuples or the features of each.
pub(super) const NAMES: [(&str, &str); 8] = [
    ("2048/cuda_td_4x6", "4x6"),
    ("2048/cuda_td_8x6", "8x6"),
    ("2048/cuda_tc_8x6", "8x6"),
    ("2048/cuda_play_4x6", "4x6"),
    ("2048/cuda_play_8x6", "8x6"),
    ("tetris/cuda_dt_10x20", "dt"),
    ("1010/cuda_tc", "1010-record"),
    ("1010/cuda_play", "1010-record"),
];

/// A network is trained for this many times the time of a measurement, so that games reach large
/// tiles.
const WARM_UP: f64 = 5.0;

/// Games of one piece of work of play.
const GAMES: u64 = 8_192;

/// A benchmark by name; `None` without a GPU.
pub(super) fn benchmark(
    name: &'static str,
    set: &str,
    seconds: f64,
    seed: u64,
) -> Option<Benchmark> {
    let device = Device::open(0).ok()?;
    if name.starts_with("tetris") {
        return tetris(name, set, &device, seed);
    }
    if name.starts_with("1010") {
        return tenten(name, &device, seconds, seed);
    }
    let game = Twenty48::standard();
    let tuples = tuples(&game, &[Pattern::Word(set.to_owned())]).ok()?;
    let network = afterstate_cuda::Network::new(&game, &tuples).ok()?;
    let coherent = name.contains("tc");
    let needs =
        Needs { td: true, tc: coherent, trace: 1, restart: false, games: None, average: false };
    let mut trainer = Trainer::new(&device, &network, needs, seed).ok()?;
    let td = Launch {
        coherent: false,
        rate: 0.1,
        lambda: 0.0,
        trace: 1,
        min_tiles: 3,
        crowded_every: 256,
        coherence_every: 1,
        starts: Starts::Fresh,
        steps: 2_000,
    };
    let clock = Instant::now();
    while clock.elapsed().as_secs_f64() < WARM_UP * seconds {
        trainer.launch(&td).ok()?;
    }
    if name.contains("play") {
        let mut bytes = vec![0u8; network.weight_bytes() as usize];
        trainer.network.download(&mut bytes, None).ok()?;
        let words = bytes.as_chunks::<4>().0;
        let weights: Vec<f32> = words.iter().map(|&word| f32::from_le_bytes(word)).collect();
        let mut player = Player::new(&device, &network, &weights).ok()?;
        let mut first = 0;
        return Some(Benchmark::new(name, "moves/s", move || {
            let games = first..first + GAMES;
            first += GAMES;
            let played = player.play(&Evaluation { seed, games, max_moves: None });
            played.map_or(0, |games| games.iter().map(|game| u64::from(game.moves)).sum())
        }));
    }
    let launch = if coherent { Launch { coherent, rate: 1.0, ..td } } else { td };
    Some(Benchmark::new(name, "moves/s", move || {
        trainer.launch(&launch).map_or(0, |played| played.moves)
    }))
}

/// Games of a good controller, more than run at once and longer than a measurement.
fn tetris(name: &'static str, set: &str, device: &Device, seed: u64) -> Option<Benchmark> {
    let kernel = LinearTetris::new(&Tetris::standard(), set).ok()?;
    let mut population = Population::new(device, &kernel).ok()?;
    let weights = controllers::find("dt-20")?.weights.to_vec();
    let mut first = 0;
    Some(Benchmark::new(name, "pieces/s", move || {
        if population.left() < 2 * GAMES as usize {
            let job = |game| TetrisJob { game, candidate: 0, padding: 0 };
            let started = population.start(&Candidates {
                seed,
                reward: 0.0,
                weights: &weights,
                jobs: &(first..first + 4 * GAMES).map(job).collect::<Vec<_>>(),
                max_score: f64::INFINITY,
                max_moves: None,
            });
            first += 4 * GAMES;
            if started.is_err() {
                return 0;
            }
        }
        population.launch().map_or(0, |(_, moves)| moves)
    }))
}

/// The network of the recipe 1010-record, its first part learned before.
fn tenten(name: &'static str, device: &Device, seconds: f64, seed: u64) -> Option<Benchmark> {
    let game: TenTen = parse_rules("1010:10x10,pieces=19").ok()?;
    let sets = ["rectangles 3x3", "rectangles 10x1", "rectangles 4x4"];
    let tuples = tuples(&game, &sets.map(|set| Pattern::Word(set.to_owned()))).ok()?;
    let tuples = tuples.with_stages(vec![32, 42]).ok()?;
    let network = TenTenNetwork::new(&game, &tuples).ok()?;
    let needs = BatchNeeds { td: false, tc: true, games: 2_640, average: false };
    let mut trainer = BatchTrainer::new(device, &network, needs, seed).ok()?;
    let objective = Objective::Survival { points: 20.0, discount: 0.99 };
    let launch = BatchLaunch { coherent: true, rate: 1.0, objective, batches: 200 };
    let clock = Instant::now();
    while clock.elapsed().as_secs_f64() < WARM_UP * seconds {
        trainer.launch(&launch).ok()?;
    }
    if !name.contains("play") {
        return Some(Benchmark::new(name, "moves/s", move || {
            trainer.launch(&launch).map_or(0, |played| played.moves)
        }));
    }
    let mut bytes = vec![0u8; network.weight_bytes() as usize];
    trainer.network.download(&mut bytes, None).ok()?;
    let words = bytes.as_chunks::<4>().0;
    let weights: Vec<f32> = words.iter().map(|&word| f32::from_le_bytes(word)).collect();
    let mut player = Player::of_tenten(device, &network, &weights).ok()?;
    let mut first = 0;
    Some(Benchmark::new(name, "moves/s", move || {
        let games = first..first + GAMES;
        first += GAMES;
        // Games are truncated, so that the longest does not decide.
        let played = player.play(&Evaluation { seed, games, max_moves: Some(1_000) });
        played.map_or(0, |games| games.iter().map(|game| u64::from(game.moves)).sum())
    }))
}
