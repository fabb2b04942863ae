//! Optimisers that see only scores: they ask for candidates and are told how each of them did.
//!
//! All of them maximise, all that is random comes from the generator of the iteration, and all of
//! their state can be written down: an optimiser that is stopped goes on exactly.

mod annealing;
mod any;
mod cma_es;
mod cross_entropy;
mod draw;
mod genetic;
mod marchal_annealing;
mod particle_swarm;
#[cfg(test)]
mod tests;

pub use annealing::{Annealing, AnnealingSettings};
pub use any::{AnyOptimiser, OptimiserChoice};
pub use cma_es::{CmaEs, CmaEsSettings};
pub use cross_entropy::{CrossEntropy, CrossEntropySettings};
pub use genetic::{Genetic, GeneticSettings};
pub use marchal_annealing::{MarchalAnnealing, MarchalAnnealingSettings};
pub use particle_swarm::{ParticleSwarm, ParticleSwarmSettings};

use afterstate_core::Rng;

/// Searches for the point with the largest score.
pub trait Optimiser: Send {
    /// The points to score next.
    fn ask(&mut self, rng: &mut Rng) -> Vec<Vec<f64>>;

    /// What the points that were asked for scored, in their order.
    fn tell(&mut self, points: &[Vec<f64>], scores: &[f64], rng: &mut Rng);

    /// The point that it would choose by now.
    fn best(&self) -> &[f64];

    /// How far apart the points are that it asks for.
    fn spread(&self) -> f64;

    /// Which points are worth more games, by their mean scores so far: those that are not are
    /// scored by what they have.
    fn promising(&self, means: &[f64]) -> Vec<bool> {
        vec![true; means.len()]
    }

    /// Whether there is nothing left to do.
    fn over(&self) -> bool {
        false
    }

    /// Whether a state that was read from a file is one of a search in so many dimensions.
    fn sound(&self, dimensions: usize) -> bool;
}

/// Settings that make no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what}: met {met}, expected {expected}")]
pub struct SettingError {
    /// The setting.
    pub what: &'static str,
    /// What it is.
    pub met: String,
    /// What it may be.
    pub expected: &'static str,
}

/// Refuses a setting that does not hold.
fn expect(
    holds: bool,
    what: &'static str,
    met: impl std::fmt::Display + Copy,
    expected: &'static str,
) -> Result<(), SettingError> {
    if holds { Ok(()) } else { Err(SettingError { what, met: format!("{met}"), expected }) }
}

/// The points by falling score; equal scores by their number.
fn ranked(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    order
}

/// The best of some points, so many of them.
fn top(means: &[f64], count: usize) -> Vec<bool> {
    let mut keep = vec![false; means.len()];
    ranked(means).into_iter().take(count).for_each(|number| keep[number] = true);
    keep
}

/// Whether these are so many numbers, all of them finite.
fn finite(numbers: &[f64], count: usize) -> bool {
    numbers.len() == count && numbers.iter().all(|number| number.is_finite())
}
