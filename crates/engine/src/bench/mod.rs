//! Benchmarks of speed, on one core unless the name says otherwise. Benchmarks take turns in short
//! rounds, so that noise of the machine affects all of them.

mod cuda;
mod energy;
mod networks;
mod search;
mod solving;
mod tables;
mod tetris;

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use afterstate_core::{Episode, Game, RandomPolicy, Rng, threads};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_games::twenty48::{Board, Twenty48};
use serde::Serialize;

/// A measured speed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measurement {
    /// The benchmark, as `game/operation`.
    pub name: &'static str,
    /// The median over all rounds.
    pub value: f64,
    /// The unit.
    pub unit: &'static str,
    /// States that a search visits per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<f64>,
    /// The upper bound that the memory of the machine sets, in the same unit, if one is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// The value divided by the bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Joules of a GPU for a million units, where it counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joules: Option<f64>,
    /// The same work on the processor, where a GPU is compared with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processor: Option<OnProcessor>,
}

/// Work of a GPU, done by the processor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OnProcessor {
    /// All of them are used.
    pub cores: usize,
    /// The median over all rounds, in the unit of the measurement.
    pub value: f64,
    /// Joules of all processors for a million units, where a counter can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joules: Option<f64>,
}

/// A small piece of work that returns the number of units done.
type Work = Box<dyn FnMut() -> u64>;

/// Work to time, and the work that bounds its speed.
struct Benchmark {
    name: &'static str,
    unit: &'static str,
    run: Work,
    bound: Option<Work>,
    /// The states that a search has visited per unit of work.
    nodes: Option<Box<dyn Fn() -> f64>>,
    /// The same work on all cores of the processor.
    processor: Option<Work>,
    /// The energy that the device has used.
    joules: Option<energy::Counter>,
}

impl Benchmark {
    fn new(
        name: &'static str,
        unit: &'static str,
        run: impl FnMut() -> u64 + 'static,
    ) -> Benchmark {
        let (bound, nodes, processor, joules) = (None, None, None, None);
        Benchmark { name, unit, run: Box::new(run), bound, nodes, processor, joules }
    }
}

/// The shortest time over which a speed is measured.
const ROUND: Duration = Duration::from_millis(40);

/// Runs every benchmark whose name contains `filter`, each for about that many seconds in all. A
/// benchmark and its bound take turns. What is wrong with a GPU is told with the names that it fails,
/// but a machine without one only where nothing else is measured.
pub fn run(filter: &str, seconds: f64, seed: u64) -> (Vec<Measurement>, Vec<Failure>) {
    let (mut benchmarks, failures) = all(filter, seconds, seed);
    let rounds = (seconds / ROUND.as_secs_f64()).ceil().max(3.0) as usize;
    let mut speeds = vec![Speeds::default(); benchmarks.len()];
    for _ in 0..rounds {
        for (benchmark, speeds) in benchmarks.iter_mut().zip(&mut speeds) {
            speeds.own.push(speed(&mut benchmark.run));
            speeds.bound.extend(benchmark.bound.as_mut().map(|bound| speed(bound)));
            speeds.processor.extend(benchmark.processor.as_mut().map(|work| speed(work)));
        }
    }
    let measured = benchmarks.iter_mut().zip(&mut speeds).map(|(benchmark, speeds)| {
        let value = median(&mut speeds.own).unwrap_or(0.0);
        let bound = median(&mut speeds.bound);
        let Benchmark { run, processor, joules, .. } = benchmark;
        let time = if seconds > 0.0 { seconds.max(energy::MIN_SECONDS) } else { 0.0 };
        let joules = joules.as_ref().and_then(|counter| energy::per_million(run, counter, time));
        let processor = processor.as_mut().map(|work| OnProcessor {
            cores: threads::cores(),
            value: median(&mut speeds.processor).unwrap_or(0.0),
            joules: energy::per_million(work, &energy::of_processors(), time),
        });
        let nodes = benchmark.nodes.as_ref().map(|nodes| value * nodes());
        let (name, unit, ratio) =
            (benchmark.name, benchmark.unit, bound.map(|bound| value / bound));
        Measurement { name, value, unit, nodes, bound, ratio, joules, processor }
    });
    (measured.collect(), failures)
}

/// A benchmark that could not be run.
#[derive(Debug, thiserror::Error)]
#[error("{name} cannot be measured: {reason}")]
pub struct Failure {
    /// Its name.
    pub name: &'static str,
    /// What is wrong.
    pub reason: Box<dyn Error + Send + Sync>,
}

/// The speeds of a benchmark in all rounds.
#[derive(Clone, Default)]
struct Speeds {
    own: Vec<f64>,
    bound: Vec<f64>,
    processor: Vec<f64>,
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// The names of all benchmarks.
pub fn names() -> Vec<&'static str> {
    let networks = NETWORKS.iter().flat_map(|row| row.1);
    let rules = RULES.iter().map(|row| row.0);
    rules
        .chain(tetris::NAMES)
        .chain(networks)
        .chain(solving::NAMES)
        .chain(tables::NAMES)
        .chain(search::names())
        .chain(cuda::NAMES.map(|row| row.0))
        .collect()
}

fn speed(run: &mut dyn FnMut() -> u64) -> f64 {
    let (clock, mut done) = (Instant::now(), 0);
    while clock.elapsed() < ROUND {
        done += run();
    }
    done as f64 / clock.elapsed().as_secs_f64()
}

const FOUR_MOVES: &str = "2048/four_moves";

/// Benchmarks of the rules: name, unit, and the rules whose random games are timed.
const RULES: &[(&str, &str, &str)] = &[
    (FOUR_MOVES, "boards/s", "2048"),
    ("2048/random_play", "moves/s", "2048"),
    ("tetris/random_play", "pieces/s", "tetris:10x20"),
    ("tetris/random_play_melax", "pieces/s", "tetris:6x2,melax"),
    ("1010/random_play", "placements/s", "1010:10x10,pieces=19"),
    ("1010/random_play_hand", "placements/s", "1010:10x10,pieces=19,hand=3"),
];

/// Benchmarks of networks: tuples, and the names of training by TD, by TC, of play, and of training
/// by TD on two threads.
const NETWORKS: &[(&str, [&str; 4])] = &[
    ("4x6", ["2048/td_4x6", "2048/tc_4x6", "2048/play_4x6", "2048/td_4x6_two_threads"]),
    ("8x6", ["2048/td_8x6", "2048/tc_8x6", "2048/play_8x6", "2048/td_8x6_two_threads"]),
];

fn all(filter: &str, seconds: f64, seed: u64) -> (Vec<Benchmark>, Vec<Failure>) {
    let wanted = |name: &&str| name.contains(filter);
    let rules = RULES.iter().filter(|row| wanted(&row.0));
    let mut benchmarks: Vec<_> = rules.map(|row| of_rules(row, seed)).collect();
    let tetris = tetris::NAMES.into_iter().filter(wanted);
    benchmarks.extend(tetris.filter_map(|name| tetris::benchmark(name, seed)));
    for (set, names) in NETWORKS.iter().filter(|(_, names)| names.iter().any(wanted)) {
        benchmarks.extend(networks::benchmarks(*names, set, seconds, seed));
    }
    let solving = solving::NAMES.into_iter().filter(wanted);
    benchmarks.extend(solving.filter_map(|name| solving::benchmark(name, seed)));
    let tables = tables::NAMES.into_iter().filter(wanted);
    benchmarks.extend(tables.filter_map(|name| tables::benchmark(name, seed)));
    benchmarks.extend(search::benchmarks(filter, seconds, seed));
    benchmarks.retain(|benchmark| benchmark.name.contains(filter));
    let mut failures = Vec::new();
    for (name, set) in cuda::NAMES.into_iter().filter(|row| wanted(&row.0)) {
        match cuda::benchmark(name, set, seconds, seed) {
            Ok(Some(benchmark)) => benchmarks.push(benchmark),
            Ok(None) => {}
            Err(reason) => failures.push(Failure { name, reason }),
        }
    }
    if benchmarks.is_empty() && failures.is_empty() {
        let reason = cuda::missing();
        let name = cuda::NAMES.iter().map(|row| row.0).find(wanted);
        failures.extend(name.zip(reason).map(|(name, reason)| Failure { name, reason }));
    }
    (benchmarks, failures)
}

/// All four moves of the boards of random games, in the order of play.
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
    Benchmark::new(FOUR_MOVES, "boards/s", run)
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

/// Whole random games, or all moves of their boards.
fn of_rules(&(name, unit, spec): &(&'static str, &'static str, &str), seed: u64) -> Benchmark {
    if name == FOUR_MOVES {
        return four_moves(seed);
    }
    struct Play(u64);
    impl Visitor for Play {
        type Output = Work;
        fn visit<G: Spec>(self, game: &G) -> Self::Output {
            let (game, seed, mut number) = (game.clone(), self.0, 0);
            Box::new(move || {
                number += 1;
                let mut rng = Rng::stream(seed, number);
                black_box(Episode::play(&game, &mut RandomPolicy, &mut rng)).moves
            })
        }
    }
    let spec: GameSpec = spec.parse().expect("the benchmarks name playable rules");
    Benchmark::new(name, unit, spec.with(Play(seed)))
}
