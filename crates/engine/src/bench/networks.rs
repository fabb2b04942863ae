//! Benchmarks of n-tuple networks on 2048 against the bound that memory sets.
//!
//! The bound replays the feature lookups of play: it reads every weight of every legal move in the
//! same order, with the best prefetch distance. A trainer that reads the same weights cannot be
//! faster.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use afterstate_core::threads::scoped;
use afterstate_core::{Game, Policy, Rng};
use afterstate_games::twenty48::Twenty48;
use afterstate_learn::{Coherence, RecordTc, Records, Td, TdLearner, Update};
use afterstate_train::learners::ntuple::patterns::{Pattern, tuples};
use afterstate_values::values::TrainableValues;
use afterstate_values::weights::{load, prefetch};
use afterstate_values::{Network, NetworkPolicy, PlaysGames, Values};

use super::{Benchmark, Work};

/// A network is trained for this many times the time of a measurement, so that games reach large
/// tiles.
const WARM_UP: f64 = 10.0;

/// Moves whose feature lookups are replayed: more than the caches hold.
const TRACED_MOVES: usize = 150_000;

/// The prefetch distance in weights: the best of 16 to 256 on one machine.
const PREFETCH_DISTANCE: usize = 128;

/// Games that are trained or played two at a time between checks of the clock, as in a run.
const GROUP: u64 = 16;

/// Groups that two threads share between joins: enough to make the wait negligible.
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
    let benchmark = |name, run: Work, bound| Benchmark {
        bound: Some(bound),
        ..Benchmark::new(name, "moves/s", run)
    };
    vec![
        benchmark(td, setting.td(seed), setting.replay()),
        benchmark(tc, setting.tc(seed), setting.replay()),
        benchmark(play, setting.play(seed), setting.replay()),
        benchmark(both, setting.td_on_two_threads(seed), setting.replay_on_two_threads()),
    ]
}

/// A network trained by TD(0); `None` if memory is short.
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

/// A trained network and the feature lookups of some of its games.
struct Setting {
    game: Twenty48,
    network: Arc<Network<Twenty48>>,
    trace: Arc<Vec<u32>>,
    traced_moves: u64,
}

impl Setting {
    /// `None` if memory is short.
    fn new(set: &str, seconds: f64, seed: u64) -> Option<Setting> {
        let game = Twenty48::standard();
        let network = trained(&game, set, seconds, seed)?;
        let moves = if seconds > 0.0 { TRACED_MOVES } else { 1_000 };
        let (trace, traced_moves) = trace(&game, &network, moves, seed);
        let (network, trace) = (Arc::new(network), Arc::new(trace));
        Some(Setting { game, network, trace, traced_moves })
    }

    /// The reads of play and nothing else.
    fn replay(&self) -> Work {
        let (network, trace, moves) = (self.network.clone(), self.trace.clone(), self.traced_moves);
        Box::new(move || {
            black_box(read(&network, &trace));
            moves
        })
    }

    /// The same reads on each of two threads, which begin with different halves.
    fn replay_on_two_threads(&self) -> Work {
        let (network, trace, moves) = (self.network.clone(), self.trace.clone(), self.traced_moves);
        Box::new(move || {
            let (front, back) = trace.split_at(trace.len() / 2);
            let halves = [[front, back], [back, front]];
            let read =
                |[first, second]: [&[u32]; 2]| read(&network, first) + read(&network, second);
            black_box(scoped(halves.into_iter(), read));
            2 * moves
        })
    }

    fn td(&self, seed: u64) -> Work {
        let (game, network) = (self.game.clone(), self.network.clone());
        let mut number = 0;
        Box::new(move || learn(&game, &*network, Td { rate: 0.1 }, seed, &mut number))
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
                    moves += learn(&game, &*network, Td { rate: 0.1 }, seed, &mut number);
                }
            };
            scoped(0..2, |_| work()).into_iter().sum()
        })
    }

    /// In records, as a run does.
    fn tc(&self, seed: u64) -> Work {
        let (game, network) = (self.game.clone(), self.network.clone());
        let records = Records::new(&network).and_then(Result::ok);
        let coherence = Coherence::new(network.tuples().weights());
        if let (Some(records), Ok(coherence)) = (&records, &coherence) {
            records.fill(&network, coherence, 1);
        }
        let mut number = 0;
        Box::new(move || match &records {
            Some(records) => {
                let update = RecordTc { rate: 1.0, records };
                learn(&game, &records.values(&network), update, seed, &mut number)
            }
            None => 0,
        })
    }

    fn play(&self, seed: u64) -> Work {
        let (game, network) = (self.game.clone(), self.network.clone());
        let mut number = 0;
        Box::new(move || {
            let (end, mut moves) = (number + GROUP, 0);
            let mut next = || {
                number = (number < end).then_some(number + 1)?;
                Some((number, Rng::stream(seed ^ 1, number)))
            };
            network.play_games(&game, u64::MAX, &mut next, &mut |_, played| moves += played.moves);
            moves
        })
    }
}

/// Reads the traced weights in order, with prefetches.
fn read(network: &Network<Twenty48>, trace: &[u32]) -> f32 {
    let weights = network.weights();
    let mut sum = 0.0;
    for (i, &index) in trace.iter().enumerate() {
        if let Some(&later) = trace.get(i + PREFETCH_DISTANCE) {
            prefetch(&raw const weights[later as usize]);
        }
        sum += load(&weights[index as usize]);
    }
    sum
}

fn learn<U: Update, V: TrainableValues<Twenty48>>(
    game: &Twenty48,
    values: &V,
    update: U,
    seed: u64,
    number: &mut u64,
) -> u64 {
    let mut learner = TdLearner::new(game, values, update, 0.0);
    let (end, mut moves) = (*number + GROUP, 0);
    let next = |_: &mut U| {
        *number = (*number < end).then_some(*number + 1)?;
        let mut rng = Rng::stream(seed ^ 2, *number);
        Some((*number, game.start(&mut rng), rng))
    };
    learner.episodes(2, next, |_, played| moves += played.moves);
    moves
}

/// The feature lookups of all legal moves of play: indices of weights, and the number of moves.
fn trace(game: &Twenty48, network: &Network<Twenty48>, moves: usize, seed: u64) -> (Vec<u32>, u64) {
    let mut trace = Vec::new();
    let mut indices = vec![0; network.active_features()];
    let mut player = NetworkPolicy::new(network);
    let mut rng = Rng::stream(seed ^ 3, 0);
    let mut state = game.start(&mut rng);
    let mut played = 0;
    while played < moves {
        game.for_each_move(&state, |_, step| {
            network.indices(game, &step.after, &mut indices);
            trace.extend_from_slice(&indices);
        });
        state = match player.choose(game, &state, &mut rng) {
            Some((_, step)) => {
                played += 1;
                game.sample(&step.after, &mut rng)
            }
            None => game.start(&mut rng),
        };
    }
    (trace, played as u64)
}
