//! Benchmarks: speeds on one core, measured in interleaved rounds because machines are noisy.

use std::hint::black_box;
use std::time::{Duration, Instant};

use afterstate_core::{Episode, Game, RandomPlay, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_games::twenty48::{Board, Twenty48};
use serde::Serialize;

/// One measured speed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measurement {
    /// What was measured, as `game/what`.
    pub name: &'static str,
    /// The median over all rounds.
    pub value: f64,
    /// What the value counts.
    pub unit: &'static str,
    /// The limit that the machine sets, in the same unit, where one is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// The value as a part of the bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
}

/// Something to time: `run` does a small piece of work and returns how many units it did.
struct Benchmark {
    name: &'static str,
    unit: &'static str,
    run: Box<dyn FnMut() -> u64>,
}

/// The shortest time over which a speed is taken.
const ROUND: Duration = Duration::from_millis(40);

/// Runs every benchmark whose name contains `filter`, each for about so many seconds in all.
pub fn run(filter: &str, seconds: f64, seed: u64) -> Vec<Measurement> {
    let mut benchmarks = all(seed);
    benchmarks.retain(|benchmark| benchmark.name.contains(filter));
    let rounds = (seconds / ROUND.as_secs_f64()).ceil().max(3.0) as usize;
    let mut speeds = vec![Vec::with_capacity(rounds); benchmarks.len()];
    for _ in 0..rounds {
        for (benchmark, speeds) in benchmarks.iter_mut().zip(&mut speeds) {
            speeds.push(speed(&mut benchmark.run));
        }
    }
    let measured = benchmarks.iter().zip(&mut speeds).map(|(benchmark, speeds)| {
        speeds.sort_unstable_by(f64::total_cmp);
        let (name, unit) = (benchmark.name, benchmark.unit);
        Measurement { name, value: speeds[speeds.len() / 2], unit, bound: None, ratio: None }
    });
    measured.collect()
}

/// The names of all benchmarks.
pub fn names() -> Vec<&'static str> {
    all(1).iter().map(|benchmark| benchmark.name).collect()
}

fn speed(run: &mut dyn FnMut() -> u64) -> f64 {
    let (clock, mut done) = (Instant::now(), 0);
    while clock.elapsed() < ROUND {
        done += run();
    }
    done as f64 / clock.elapsed().as_secs_f64()
}

fn all(seed: u64) -> Vec<Benchmark> {
    let random = |name, unit, spec| random(name, unit, spec, seed);
    vec![
        four_moves(seed),
        random("2048/random_play", "moves/s", "2048"),
        random("tetris/random_play", "pieces/s", "tetris:10x20"),
        random("tetris/random_play_melax", "pieces/s", "tetris:6x2,melax"),
        random("1010/random_play", "placements/s", "1010:10x10,pieces=19"),
        random("1010/random_play_hand", "placements/s", "1010:10x10,pieces=19,hand=3"),
    ]
}

/// All four moves of boards from random games, in the order in which the games met them.
fn four_moves(seed: u64) -> Benchmark {
    let game = Twenty48::standard();
    let boards = boards_of_random_games(&game, 4096, seed);
    let run = move || {
        let mut sum = 0;
        for board in &boards {
            game.for_each_move(black_box(board), |_, step| {
                sum ^= step.after.nibbles().unwrap_or(0) ^ u64::from(step.reward.to_bits());
            });
        }
        black_box(sum);
        boards.len() as u64
    };
    Benchmark { name: "2048/four_moves", unit: "boards/s", run: Box::new(run) }
}

fn boards_of_random_games(game: &Twenty48, count: usize, seed: u64) -> Vec<Board> {
    let mut rng = Rng::stream(seed, 0);
    let mut boards = vec![game.start(&mut rng)];
    while boards.len() < count {
        let state = boards[boards.len() - 1];
        let moves = game.count_moves(&state);
        let choice = (moves > 0).then(|| game.nth_move(&state, rng.below(moves))).flatten();
        boards.push(match choice {
            Some((_, step)) => game.sample(&step.after, &mut rng),
            None => game.start(&mut rng),
        });
    }
    boards
}

/// Whole random games: choose, move, settle, deal.
fn random(name: &'static str, unit: &'static str, spec: &str, seed: u64) -> Benchmark {
    struct Play(u64);
    impl Visitor for Play {
        type Output = Box<dyn FnMut() -> u64>;
        fn visit<G: Spec>(self, game: &G) -> Self::Output {
            let (game, seed, mut number) = (game.clone(), self.0, 0);
            Box::new(move || {
                number += 1;
                let mut rng = Rng::stream(seed, number);
                black_box(Episode::play(&game, &mut RandomPlay, &mut rng)).moves
            })
        }
    }
    let spec: GameSpec = spec.parse().expect("the benchmarks name playable rules");
    Benchmark { name, unit, run: spec.with(Play(seed)) }
}
