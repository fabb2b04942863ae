//! Learners and solvers from outside: against exact solutions, known values and reference
//! implementations.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod adversary;
mod lspi;
mod optimum;
mod policies;
mod printed;
mod records;
mod refused;
mod solve;
mod tables;

use std::sync::atomic::{AtomicU32, Ordering};

use afterstate_core::{Game, Rng};
use afterstate_games::tenten::{Scoring, TenTen, sets};

/// 1010! with one piece at a time.
fn tenten(width: usize, height: usize, set: &str) -> TenTen {
    TenTen::new(width, height, sets::named(set).unwrap(), 1, Scoring::Real).unwrap()
}

/// Plays so many games and sums their scores; game i starts and draws by the stream (seed, i).
fn episodes<G: Game>(
    game: &G,
    seed: u64,
    count: u64,
    mut play: impl FnMut(G::State, &mut Rng) -> f64,
) -> f64 {
    let episode = |number| {
        let mut rng = Rng::stream(seed, number);
        let start = game.start(&mut rng);
        play(start, &mut rng)
    };
    (0..count).map(episode).sum()
}

/// Weights, bit by bit.
fn bits(weights: &[AtomicU32]) -> Vec<u32> {
    weights.iter().map(|word| word.load(Ordering::Relaxed)).collect()
}
