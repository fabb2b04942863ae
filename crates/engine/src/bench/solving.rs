//! Benchmarks of 1010!: sweeps over all boards of 5x5, and play by features on the full board.

use std::hint::black_box;

use afterstate_core::{Features, Game, Rng};
use afterstate_games::spec::Spec;
use afterstate_games::tenten::{BitTransitionModel, Scoring, TenTen, sets};
use afterstate_games::{Real, RewardMixture, TransitionModel};
use afterstate_learn::solve::sweep;

use super::Benchmark;

/// Sweeps on all threads, afterstates read on one thread, and play by features.
pub(super) const NAMES: [&str; 3] = ["1010/sweeps_5x5", "1010/edges_5x5", "1010/space_play"];

/// Boards per unit of work.
const CHUNK: usize = 16_384;

/// The length of the table of 5x5.
const TABLE_LEN: usize = 1 << 25;

/// A benchmark; `None` if its rules are not playable.
pub(super) fn benchmark(name: &'static str, seed: u64) -> Option<Benchmark> {
    match name {
        "1010/sweeps_5x5" => transition_model().map(sweeps),
        "1010/edges_5x5" => transition_model().map(edges),
        _ => space(seed),
    }
}

fn rules(side: usize, set: &str) -> Option<TenTen> {
    TenTen::new(side, side, sets::named(set)?, 1, Scoring::Real).ok()
}

fn transition_model() -> Option<BitTransitionModel> {
    rules(5, "7").and_then(|game| BitTransitionModel::of(&game))
}

fn table() -> Vec<<f32 as Real>::Cell> {
    (0..TABLE_LEN).map(|index| ((index % 1_024) as f32).cell()).collect()
}

/// Whole sweeps of value iteration for r2, in single precision, on all threads.
fn sweeps(model: BitTransitionModel) -> Benchmark {
    let table = table();
    let reward = RewardMixture { lines: 1.0, ..RewardMixture::default() };
    let mut out = vec![0.0f32; TransitionModel::<f32>::boards(&model).len()];
    Benchmark::new(NAMES[0], "sweeps/s", move || {
        sweep(&model, &reward, &table, &mut out, None);
        black_box(&out);
        1
    })
}

/// Afterstates read by a sweep on one thread.
fn edges(model: BitTransitionModel) -> Benchmark {
    let table = table();
    let reward = RewardMixture { lines: 1.0, ..RewardMixture::default() };
    let boards: Vec<u32> = TransitionModel::<f32>::boards(&model).to_vec();
    let size = TransitionModel::<f32>::size(&model);
    let edges_per_board = size.edges as f64 / size.boards as f64;
    let mut out = vec![0.0f32; CHUNK];
    let mut begin = 0;
    Benchmark::new(NAMES[1], "edges/s", move || {
        let end = (begin + CHUNK).min(boards.len());
        let part = &boards[begin..end];
        let model: &dyn TransitionModel<f32> = &model;
        model.bellman_backup(&reward, part, &table, &mut out[..part.len()], None);
        black_box(&out);
        begin = if end == boards.len() { 0 } else { end };
        (part.len() as f64 * edges_per_board) as u64
    })
}

/// Greedy games on the full board by moves, perimeter and survival. All evaluated placements count.
fn space(seed: u64) -> Option<Benchmark> {
    let game = rules(10, "19")?;
    let features: Box<dyn Features<TenTen>> = game.features("space")?;
    let mut rng = Rng::stream(seed, 0);
    let mut state = game.start(&mut rng);
    let run = move || {
        let mut evaluated = 0;
        for _ in 0..16 {
            evaluated += game.count_moves(&state) as u64;
            state = match features.best(&game, &state, 0.0, &[10.0, -1.0, 200.0]) {
                Some(((_, step), _)) => game.sample(&step.after, &mut rng),
                None => game.start(&mut rng),
            };
        }
        evaluated
    };
    Some(Benchmark::new(NAMES[2], "placements/s", run))
}
