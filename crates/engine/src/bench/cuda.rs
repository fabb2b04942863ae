//! Benchmarks of n-tuple networks of 2048 on the first NVIDIA GPU; none on a machine without one.

use std::time::Instant;

use afterstate_cuda::{Device, Evaluation, Launch, Needs, Player, Trainer};
use afterstate_games::twenty48::Twenty48;
use afterstate_train::learners::ntuple::patterns::{Pattern, tuples};

use super::Benchmark;

/// Their names, and the tuples of each.
pub(super) const NAMES: [(&str, &str); 5] = [
    ("2048/cuda_td_4x6", "4x6"),
    ("2048/cuda_td_8x6", "8x6"),
    ("2048/cuda_tc_8x6", "8x6"),
    ("2048/cuda_play_4x6", "4x6"),
    ("2048/cuda_play_8x6", "8x6"),
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
    let game = Twenty48::standard();
    let tuples = tuples(&game, &[Pattern::Word(set.to_owned())]).ok()?;
    let network = afterstate_cuda::Network::new(&game, &tuples).ok()?;
    let coherent = name.contains("tc");
    let needs = Needs { td: true, tc: coherent, trace: 1, games: None };
    let mut trainer = Trainer::new(&device, &network, needs, seed).ok()?;
    let td = Launch {
        coherent: false,
        rate: 0.1,
        lambda: 0.0,
        trace: 1,
        min_tiles: 3,
        coherence_every: 1,
        carousel: false,
        steps: 2_000,
    };
    let clock = Instant::now();
    while clock.elapsed().as_secs_f64() < WARM_UP * seconds {
        trainer.launch(&td).ok()?;
    }
    if name.contains("play") {
        let mut bytes = vec![0u8; network.weight_bytes() as usize];
        trainer.download(&mut bytes, None).ok()?;
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
