//! Simulated annealing (Kirkpatrick, Gelatt & Vecchi 1983): a worse neighbour is accepted with
//! probability exp(-loss / temperature), and the temperature falls by a fixed factor. Losses are
//! relative to the current score, for scores of games grow by orders of magnitude.

use afterstate_core::Rng;
use serde::{Deserialize, Serialize};

use super::normal::normals;
use super::{Optimiser, SettingError, expect, finite};

/// A neighbour that loses more than this part of the current score after its first games is given up.
const HOPELESS: f64 = 1.0 / 3.0;

settings! {
    /// The settings of the search.
    AnnealingSettings {
        /// The number of iterations.
        iterations: u64 = 1_000,
        /// The initial standard deviation of a step; it falls with the root of the temperature.
        spread: f64 = 0.5,
        /// The first temperature.
        hot: f64 = 1.0,
        /// The last temperature.
        cold: f64 = 0.01,
    }
}

impl AnnealingSettings {
    /// Checks the ranges of the settings.
    pub fn check(&self) -> Result<(), SettingError> {
        let holds = (1..=1_000_000_000).contains(&self.iterations);
        expect(holds, "iterations", self.iterations, "1 to 1e9")?;
        expect(self.spread > 0.0 && self.spread < 1e9, "spread", self.spread, "more than 0")?;
        expect(self.cold > 0.0 && self.cold < 1e9, "cold", self.cold, "more than 0")?;
        expect(self.hot >= self.cold && self.hot < 1e9, "hot", self.hot, "cold or more")
    }
}

/// The state of the search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Annealing {
    settings: AnnealingSettings,
    iteration: u64,
    here: Vec<f64>,
}

impl Annealing {
    /// A search that starts at a point.
    pub fn new(settings: AnnealingSettings, start: Vec<f64>) -> Annealing {
        Annealing { settings, iteration: 0, here: start }
    }

    fn temperature(&self) -> f64 {
        let AnnealingSettings { iterations, hot, cold, .. } = self.settings;
        hot * (cold / hot).powf(self.iteration as f64 / iterations as f64)
    }

    /// The probability of accepting a neighbour.
    fn acceptance(&self, here: f64, there: f64) -> f64 {
        let loss = (here - there) / here.abs().max(1e-9);
        (-loss / self.temperature()).exp()
    }
}

impl Optimiser for Annealing {
    /// The current point and a neighbour. Both are scored by the same games, the current point again
    /// every time: a single lucky score would reject all neighbours.
    fn ask(&mut self, rng: &mut Rng) -> Vec<Vec<f64>> {
        let steps = normals(self.here.len(), rng);
        let spread = self.spread();
        let neighbour = self.here.iter().zip(steps).map(|(x, step)| x + spread * step).collect();
        vec![self.here.clone(), neighbour]
    }

    fn tell(&mut self, points: &[Vec<f64>], scores: &[f64], rng: &mut Rng) {
        let ([_, neighbour], &[here, there]) = (points, scores) else { return };
        if rng.unit() < self.acceptance(here, there) {
            self.here.clone_from(neighbour);
        }
        self.iteration += 1;
    }

    fn best(&self) -> &[f64] {
        &self.here
    }

    /// A hopeless neighbour ends the comparison.
    fn promising(&self, means: &[f64]) -> Vec<bool> {
        let &[here, there] = means else { return vec![true; means.len()] };
        vec![there >= here - here.abs() * HOPELESS; 2]
    }

    fn spread(&self) -> f64 {
        self.settings.spread * (self.temperature() / self.settings.hot).sqrt()
    }

    fn is_finished(&self) -> bool {
        self.iteration >= self.settings.iterations
    }

    fn is_valid(&self, dimensions: usize) -> bool {
        self.settings.check().is_ok() && finite(&self.here, dimensions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(iteration: u64) -> Annealing {
        let settings = AnnealingSettings { iterations: 100, hot: 1.0, cold: 0.01, spread: 0.5 };
        Annealing { iteration, ..Annealing::new(settings, vec![0.0; 2]) }
    }

    #[test]
    fn losses_are_accepted_while_it_is_hot() {
        assert!(at(0).acceptance(100.0, 101.0) > 1.0, "improvements are always accepted");
        // A loss of a tenth at temperatures of 1, 0.1 and 0.01.
        for (iteration, exponent) in [(0, -0.1_f64), (50, -1.0), (100, -10.0)] {
            assert!((at(iteration).acceptance(100.0, 90.0) - exponent.exp()).abs() < 1e-9);
        }
        assert!((at(100).spread() - 0.05).abs() < 1e-12, "steps fall by the root of 100");
    }

    #[test]
    fn a_hopeless_neighbour_ends_the_comparison() {
        assert_eq!(at(0).promising(&[90.0, 61.0]), [true, true]);
        assert_eq!(at(0).promising(&[90.0, 59.0]), [false, false]);
    }
}
