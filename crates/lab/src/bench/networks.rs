//! Benchmarks of n-tuple networks on 2048, beside the limit that memory sets.
//!
//! The bound replays the recorded active_features of real play: every weight of every legal move is read
//! in the order in which play read it, prefetched as early as helps. No trainer that looks up the
//! same weights can be faster than its memory.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use afterstate_core::{Game, Policy, Rng};
use afterstate_games::twenty48::Twenty48;
use afterstate_learn::{Coherence, Tc, Td, TdLearner, Update};
use afterstate_values::weights::{load, prefetch};
use afterstate_values::{Network, NetworkPolicy};

use super::{Benchmark, Work};
use crate::patterns::{Pattern, tuples};

/// A network is trained for this many times the time of a measurement, so that what is timed is
/// real play with large tiles.
const WARM_UP: f64 = 10.0;

/// Moves whose active_features are replayed: enough that they do not stay in the caches.
const TRACED_MOVES: usize = 150_000;

/// How many active_features ahead of its use a weight is called: the best of 16 to 256 on the machine at
/// hand.
const AHEAD: usize = 128;

/// Games that are trained two at a time before the clock is looked at, as in a run.
const GROUP: u64 = 16;

/// Groups that two threads share before both wait for the last: enough that waiting hardly counts.
const SHARED_GROUPS: u64 = 32;

/// Training and play with one set of tuples.
pub(super) fn benchmarks(
    names: [&'static str; 4],
    set: &str,
    seconds: f64,
    seed: u64,
) -> Vec<Benchmark> {
    let Some(setting) = Setting::new(set, seconds, seed) else { return Vec::new() };
    let [td, tc, play, both] = names;
    let bound = || Some(setting.replay());
    let unit = "moves/s";
    vec![
        Benchmark { name: td, unit, run: setting.td(seed), bound: bound(), nodes: None },
        Benchmark { name: tc, unit, run: setting.tc(seed), bound: bound(), nodes: None },
        Benchmark { name: play, unit, run: setting.play(seed), bound: bound(), nodes: None },
        Benchmark {
            name: both,
            unit,
            run: setting.td_on_two_threads(seed),
            bound: Some(setting.replay_on_two_threads()),
            nodes: None,
        },
    ]
}

/// A network that was trained as those of the benchmarks are; `None` if the machine has no memory
/// for it.
pub(super) fn trained(
    game: &Twenty48,
    set: &str,
    seconds: f64,
    seed: u64,
) -> Option<Network<Twenty48>> {
    let tuples = tuples(game, &[Pattern::Word(set.to_owned())]).ok()?;
    let network = Network::new(game, tuples, 0.0).ok()?;
    let mut learner = TdLearner::new(game, &network, Td { rate: 0.1 }, 0.0);
    let (clock, mut number) = (Instant::now(), 0);
    while clock.elapsed().as_secs_f64() < WARM_UP * seconds {
        number += 1;
        let mut rng = Rng::stream(seed, number);
        let start = game.start(&mut rng);
        learner.episode(start, &mut rng, |_| {});
    }
    drop(learner);
    Some(network)
}

/// A trained network and the active_features of some of its games.
struct Setting {
    game: Twenty48,
    network: Arc<Network<Twenty48>>,
    trace: Arc<Vec<u32>>,
    traced_moves: u64,
}

impl Setting {
    /// `None` if the machine has no memory for it.
    fn new(set: &str, seconds: f64, seed: u64) -> Option<Setting> {
        let game = Twenty48::standard();
        let network = trained(&game, set, seconds, seed)?;
        let moves = if seconds > 0.0 { TRACED_MOVES } else { 1_000 };
        let (trace, traced_moves) = trace(&game, &network, moves, seed);
        let (network, trace) = (Arc::new(network), Arc::new(trace));
        Some(Setting { game, network, trace, traced_moves })
    }

    /// The reads of real play and nothing else.
    fn replay(&self) -> Work {
        let (network, trace, moves) = (self.network.clone(), self.trace.clone(), self.traced_moves);
        Box::new(move || {
            black_box(read(&network, &trace));
            moves
        })
    }

    /// The same reads on two threads at once, each with its own half first.
    fn replay_on_two_threads(&self) -> Work {
        let (network, trace, moves) = (self.network.clone(), self.trace.clone(), self.traced_moves);
        Box::new(move || {
            let (front, back) = trace.split_at(trace.len() / 2);
            thread::scope(|scope| {
                scope.spawn(|| black_box(read(&network, front) + read(&network, back)));
                black_box(read(&network, back) + read(&network, front));
            });
            2 * moves
        })
    }

    fn td(&self, seed: u64) -> Work {
        let (game, network) = (self.game.clone(), self.network.clone());
        let mut number = 0;
        Box::new(move || learn(&game, &network, Td { rate: 0.1 }, seed, &mut number))
    }

    /// Two threads that train the same weights, as a run with two threads does.
    fn td_on_two_threads(&self, seed: u64) -> Work {
        let (game, network) = (self.game.clone(), self.network.clone());
        let mut round = 0;
        Box::new(move || {
            round += 1;
            let groups = AtomicU64::new(0);
            let work = || {
                let mut moves = 0;
                loop {
                    let group = groups.fetch_add(1, Ordering::Relaxed);
                    if group >= SHARED_GROUPS {
                        return moves;
                    }
                    let mut number = (round * SHARED_GROUPS + group) * GROUP;
                    moves += learn(&game, &network, Td { rate: 0.1 }, seed, &mut number);
                }
            };
            thread::scope(|scope| {
                let other = scope.spawn(work);
                work() + other.join().unwrap_or(0)
            })
        })
    }

    fn tc(&self, seed: u64) -> Work {
        let (game, network) = (self.game.clone(), self.network.clone());
        let coherence = Coherence::new(network.tuples().weights());
        let mut number = 0;
        Box::new(move || match &coherence {
            Ok(coherence) => learn(&game, &network, Tc { rate: 1.0, coherence }, seed, &mut number),
            Err(_) => 0,
        })
    }

    fn play(&self, seed: u64) -> Work {
        let (game, network) = (self.game.clone(), self.network.clone());
        let mut number = 0;
        Box::new(move || {
            number += 1;
            let mut rng = Rng::stream(seed ^ 1, number);
            let mut player = NetworkPolicy::new(&*network);
            afterstate_core::Episode::play(&game, &mut player, &mut rng).moves
        })
    }
}

/// Reads the traced weights in order, each called from memory well before.
fn read(network: &Network<Twenty48>, trace: &[u32]) -> f32 {
    let weights = network.weights();
    let mut sum = 0.0;
    for (i, &number) in trace.iter().enumerate() {
        if let Some(&later) = trace.get(i + AHEAD) {
            prefetch(&raw const weights[later as usize]);
        }
        sum += load(&weights[number as usize]);
    }
    sum
}

fn learn<U: Update>(
    game: &Twenty48,
    network: &Network<Twenty48>,
    update: U,
    seed: u64,
    number: &mut u64,
) -> u64 {
    let mut learner = TdLearner::new(game, network, update, 0.0);
    let (end, mut moves) = (*number + GROUP, 0);
    let next = |_: &mut U| {
        *number = (*number < end).then_some(*number + 1)?;
        let mut rng = Rng::stream(seed ^ 2, *number);
        Some((*number, game.start(&mut rng), rng))
    };
    learner.episodes(2, next, |_, played| moves += played.moves);
    moves
}

/// The active_features of all legal moves, move after move.
fn trace(game: &Twenty48, network: &Network<Twenty48>, moves: usize, seed: u64) -> (Vec<u32>, u64) {
    let mut trace = Vec::new();
    let mut numbers = vec![0; network.active_features()];
    let mut player = NetworkPolicy::new(network);
    let mut rng = Rng::stream(seed ^ 3, 0);
    let mut state = game.start(&mut rng);
    let mut made = 0;
    while made < moves {
        game.for_each_move(&state, |_, step| {
            network.indices(game, &step.after, &mut numbers);
            trace.extend_from_slice(&numbers);
        });
        state = match player.choose(game, &state, &mut rng) {
            Some((_, step)) => {
                made += 1;
                game.sample(&step.after, &mut rng)
            }
            None => game.start(&mut rng),
        };
    }
    (trace, made as u64)
}
