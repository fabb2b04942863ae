//! Black-box optimisers: they ask for candidates and are told their scores.
//!
//! All of them maximise, draw from the RNG of the iteration only, and serialize their whole state: an
//! optimiser that is stopped resumes exactly.

/// Settings whose defaults stand beside them, for serde.
macro_rules! settings {
    ($(#[$of_all:meta])* $name:ident {
        $($(#[$attribute:meta])* $setting:ident: $type:ty = $default:expr,)*
    }) => {
        $(#[$of_all])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            $($(#[$attribute])* pub $setting: $type,)*
        }

        impl Default for $name {
            fn default() -> $name {
                $name { $($setting: $default,)* }
            }
        }
    };
}
pub(crate) use settings;

mod annealing;
mod any_optimiser;
mod cma_es;
mod cross_entropy;
mod genetic;
mod marchal_annealing;
mod normal;
mod particle_swarm;
#[cfg(test)]
mod tests;

pub use annealing::{Annealing, AnnealingSettings};
pub use any_optimiser::{AnyOptimiser, OptimiserChoice};
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

    /// The scores of the points that were asked for, in their order.
    fn tell(&mut self, points: &[Vec<f64>], scores: &[f64], rng: &mut Rng);

    /// The best point so far, by the optimiser's own estimate.
    fn best(&self) -> &[f64];

    /// The current step size or standard deviation of candidates.
    fn spread(&self) -> f64;

    /// Which points should play more games, by their mean scores so far; the others keep the mean of
    /// the games they have.
    fn promising(&self, means: &[f64]) -> Vec<bool> {
        vec![true; means.len()]
    }

    /// Whether all iterations are done.
    fn is_finished(&self) -> bool {
        false
    }

    /// Whether a state that was read from a file is one of a search in so many dimensions.
    fn is_valid(&self, dimensions: usize) -> bool;
}

/// A setting out of range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("invalid {setting} {value}: expected {expected}")]
pub struct SettingError {
    /// The setting.
    pub setting: &'static str,
    /// Its value.
    pub value: String,
    /// Its range.
    pub expected: &'static str,
}

/// An error unless a setting is in its range.
pub(crate) fn expect(
    holds: bool,
    setting: &'static str,
    value: impl std::fmt::Display + Copy,
    expected: &'static str,
) -> Result<(), SettingError> {
    if holds { Ok(()) } else { Err(SettingError { setting, value: format!("{value}"), expected }) }
}

/// The indices of the points by decreasing score, then by index.
fn ranked(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    order
}

/// Marks the best points.
fn top(means: &[f64], count: usize) -> Vec<bool> {
    let mut keep = vec![false; means.len()];
    ranked(means).into_iter().take(count).for_each(|i| keep[i] = true);
    keep
}

/// Whether a point has so many coordinates, all of them finite.
pub(crate) fn finite(point: &[f64], count: usize) -> bool {
    point.len() == count && point.iter().all(|x| x.is_finite())
}
