//! Benchmarks of 1010!: sweeps over all boards of 5x5, and play by features on the full board.

use std::hint::black_box;

use afterstate_core::{Features, Game, Rng};
use afterstate_games::spec::Spec;
use afterstate_games::tenten::{BitTransitionModel, Scoring, TenTen, sets};
use afterstate_games::{Real, RewardMixture, TransitionModel};
use afterstate_learn::solve::sweep;

use super::Benchmark;

/// One sweep on all threads, the boards looked up on one, and play by features.
pub(super) const NAMES: [&str; 3] = ["1010/sweeps_5x5", "1010/edges_5x5", "1010/space_play"];

/// Boards of a piece of work.
const CHUNK: usize = 16_384;

/// Numbers of a table as large as that of 5x5.
const PLACES: usize = 1 << 25;

/// The benchmarks whose names contain a text.
pub(super) fn benchmarks(filter: &str, seed: u64) -> Vec<Benchmark> {
    let mut all = Vec::new();
    let wanted = |number: usize| NAMES[number].contains(filter);
    if wanted(0) {
        all.extend(transition_model().map(sweeps));
    }
    if wanted(1) {
        all.extend(transition_model().map(edges));
    }
    if wanted(2) {
        all.extend(space(seed));
    }
    all
}

fn rules(side: usize, set: &str) -> Option<TenTen> {
    TenTen::new(side, side, sets::named(set)?, 1, Scoring::Real).ok()
}

fn transition_model() -> Option<BitTransitionModel> {
    rules(5, "7").and_then(|game| BitTransitionModel::of(&game))
}

fn table() -> Vec<<f32 as Real>::Cell> {
    (0..PLACES).map(|place| ((place % 1_024) as f32).cell()).collect()
}

/// Whole sweeps of value iteration for r2, in single precision, on all threads.
fn sweeps(layout: BitTransitionModel) -> Benchmark {
    let table = table();
    let payoff = RewardMixture { lines: 1.0, ..RewardMixture::default() };
    let mut out = vec![0.0f32; TransitionModel::<f32>::boards(&layout).len()];
    let run = move || {
        sweep(&layout, &payoff, &table, &mut out, None);
        black_box(&out);
        1
    };
    Benchmark { name: NAMES[0], unit: "sweeps/s", run: Box::new(run), bound: None, nodes: None }
}

/// Boards looked up by a sweep on one thread, beside reads at random places of the same table.
fn edges(layout: BitTransitionModel) -> Benchmark {
    let table = table();
    let payoff = RewardMixture { lines: 1.0, ..RewardMixture::default() };
    let boards: Vec<u32> = TransitionModel::<f32>::boards(&layout).to_vec();
    let size = TransitionModel::<f32>::size(&layout);
    let each = size.edges as f64 / size.boards as f64;
    let mut out = vec![0.0f32; CHUNK];
    let mut begin = 0;
    let run = move || {
        let end = (begin + CHUNK).min(boards.len());
        let part = &boards[begin..end];
        TransitionModel::<f32>::best(&layout, &payoff, part, &table, &mut out[..part.len()], None);
        black_box(&out);
        begin = if end == boards.len() { 0 } else { end };
        (part.len() as f64 * each) as u64
    };
    let (places, mut rng) = (self::table(), Rng::stream(1, 0));
    let read = move || {
        let (mut sum, mut at) = (0.0, rng.below(PLACES));
        for _ in 0..CHUNK {
            // A full period over all places, and no read waits for the one before.
            at = (at.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)) % PLACES;
            sum += f32::load(&places[at]);
        }
        black_box(sum);
        CHUNK as u64
    };
    let (run, bound) = (Box::new(run), Some(Box::new(read) as super::Work));
    Benchmark { name: NAMES[1], unit: "edges/s", run, bound, nodes: None }
}

/// Greedy games on the full board by moves, perimeter and survival; all placements are counted.
fn space(seed: u64) -> Option<Benchmark> {
    let game = rules(10, "19")?;
    let features: Box<dyn Features<TenTen>> = game.features("space")?;
    let mut rng = Rng::stream(seed, 0);
    let mut state = game.start(&mut rng);
    let run = move || {
        let mut weighed = 0;
        for _ in 0..16 {
            weighed += game.count_moves(&state) as u64;
            state = match features.best(&game, &state, 0.0, &[10.0, -1.0, 200.0]) {
                Some(((_, step), _)) => game.sample(&step.after, &mut rng),
                None => game.start(&mut rng),
            };
        }
        weighed
    };
    Some(Benchmark {
        name: NAMES[2],
        unit: "placements/s",
        run: Box::new(run),
        bound: None,
        nodes: None,
    })
}
