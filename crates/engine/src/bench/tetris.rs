//! Benchmarks of linear play of Tetris: whole games, by the weights of DT-20 for the DT features.

use std::hint::black_box;

use afterstate_agents::controllers;
use afterstate_core::{Features, Game, Policy, Rng};
use afterstate_games::spec::Spec;
use afterstate_games::tetris::Tetris;
use afterstate_games::tetris::features::{Dt, InstructionSet, Wells};
use afterstate_values::Linear;

use super::Benchmark;

/// Pieces between two checks of the clock.
const PIECES: u64 = 1_000;

/// The nine DT features with each instruction set, and the other feature sets.
pub(super) const NAMES: [&str; 6] = [
    "tetris/dt_avx512",
    "tetris/dt_avx2",
    "tetris/dt_scalar",
    "tetris/dt_next_pieces",
    "tetris/bertsekas",
    "tetris/cs3243",
];

/// A benchmark; `None` if the processor lacks the instruction set.
pub(super) fn benchmark(name: &'static str, seed: u64) -> Option<Benchmark> {
    let game = Tetris::standard();
    let dt =
        |speed| Box::new(Dt::nine(Wells::FromTop).with_instructions(speed)) as Box<dyn Features<_>>;
    let dt_20 = controllers::find("dt-20")?.weights.to_vec();
    let (set, features, weights) = match name {
        "tetris/dt_avx512" => ("dt", dt(InstructionSet::avx512()?), dt_20),
        "tetris/dt_avx2" => ("dt", dt(InstructionSet::avx2()?), dt_20),
        "tetris/dt_scalar" => ("dt", dt(InstructionSet::scalar()), dt_20),
        "tetris/dt_next_pieces" => ("dt", dt(InstructionSet::fastest()), dt_20),
        "tetris/bertsekas" => ("bertsekas", game.features("bertsekas")?, plain_weights(22)),
        _ => ("cs3243", game.features("cs3243")?, plain_weights(26)),
    };
    let linear = Linear::new(set, features, 0.0, weights).ok()?;
    let next_pieces = name == "tetris/dt_next_pieces";
    let unit = if next_pieces { "boards/s" } else { "pieces/s" };
    let mut rng = Rng::stream(seed, 0);
    let mut state = game.start(&mut rng);
    let run = move || {
        let mut player = &linear;
        let mut sum = 0.0;
        for _ in 0..PIECES {
            let Some((_, step)) = player.choose(&game, &state, &mut rng) else {
                state = game.start(&mut rng);
                continue;
            };
            if next_pieces {
                // The best placement of each of the seven next pieces.
                let mut add = |probability: f64, value: Option<f32>| {
                    sum += probability * f64::from(value.unwrap_or(0.0));
                };
                let weights = linear.weights();
                linear.features().best_of_each(&game, &step.after, 0.0, weights, &mut add);
            }
            state = game.sample(&step.after, &mut rng);
        }
        black_box(sum);
        PIECES
    };
    Some(Benchmark::new(name, unit, run))
}

/// Weights that play well enough for long games: they prefer low, even boards without holes.
fn plain_weights(count: usize) -> Vec<f32> {
    let mut weights = vec![0.0; count];
    weights[1..11].fill(-0.5);
    weights[11..20].fill(-0.5);
    weights[21] = -4.0;
    weights
}
