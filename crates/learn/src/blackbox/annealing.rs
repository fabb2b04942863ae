//! Simulated annealing as textbooks have it (Kirkpatrick, Gelatt & Vecchi 1983): a neighbour that
//! is worse is taken with the chance exp(-loss / temperature), and the temperature falls by a
//! fixed factor. A loss is a part of the score to beat: scores of games grow by orders of magnitude.

use afterstate_core::Rng;
use serde::{Deserialize, Serialize};

use super::draw::normals;
use super::{Optimiser, SettingError, expect, finite};

/// A neighbour that loses more than this part of the score here, after the first few games, gets no
/// more of them.
const HOPELESS: f64 = 1.0 / 3.0;

/// How to search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AnnealingSettings {
    /// After so many iterations it is over.
    pub iterations: u64,
    /// The deviation of a step at first; it falls with the square root of the temperature.
    pub spread: f64,
    /// The temperature at first.
    pub hot: f64,
    /// The temperature at the end.
    pub cold: f64,
}

impl Default for AnnealingSettings {
    fn default() -> AnnealingSettings {
        AnnealingSettings { iterations: 1_000, spread: 0.5, hot: 1.0, cold: 0.01 }
    }
}

impl AnnealingSettings {
    /// Whether they make sense.
    pub fn check(&self) -> Result<(), SettingError> {
        let holds = (1..=1_000_000_000).contains(&self.iterations);
        expect(holds, "iterations", self.iterations, "1 to 1e9")?;
        expect(self.spread > 0.0 && self.spread < 1e9, "spread", self.spread, "more than 0")?;
        expect(self.cold > 0.0 && self.cold < 1e9, "cold", self.cold, "more than 0")?;
        expect(self.hot >= self.cold && self.hot < 1e9, "hot", self.hot, "cold or more")
    }
}

/// Where it is.
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

    /// The chance to go to a neighbour.
    fn chance(&self, here: f64, there: f64) -> f64 {
        let loss = (here - there) / here.abs().max(1e-9);
        (-loss / self.temperature()).exp()
    }
}

impl Optimiser for Annealing {
    /// The point here and a neighbour. Both are scored by the same games, this one again every
    /// time: a score that was lucky once would stand against all neighbours.
    fn ask(&mut self, rng: &mut Rng) -> Vec<Vec<f64>> {
        let steps = normals(self.here.len(), rng);
        let spread = self.spread();
        let neighbour = self.here.iter().zip(steps).map(|(x, step)| x + spread * step).collect();
        vec![self.here.clone(), neighbour]
    }

    fn tell(&mut self, points: &[Vec<f64>], scores: &[f64], rng: &mut Rng) {
        let ([_, neighbour], &[here, there]) = (points, scores) else { return };
        if rng.unit() < self.chance(here, there) {
            self.here.clone_from(neighbour);
        }
        self.iteration += 1;
    }

    fn best(&self) -> &[f64] {
        &self.here
    }

    /// A neighbour without a chance ends the comparison.
    fn promising(&self, means: &[f64]) -> Vec<bool> {
        let &[here, there] = means else { return vec![true; means.len()] };
        vec![there >= here - here.abs() * HOPELESS; 2]
    }

    fn spread(&self) -> f64 {
        self.settings.spread * (self.temperature() / self.settings.hot).sqrt()
    }

    fn over(&self) -> bool {
        self.iteration >= self.settings.iterations
    }

    fn sound(&self, dimensions: usize) -> bool {
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
    fn losses_are_taken_while_it_is_hot() {
        assert!(at(0).chance(100.0, 101.0) > 1.0, "what is better is always taken");
        // A tenth is lost, at temperatures of 1, 0.1 and 0.01.
        for (iteration, exponent) in [(0, -0.1_f64), (50, -1.0), (100, -10.0)] {
            assert!((at(iteration).chance(100.0, 90.0) - exponent.exp()).abs() < 1e-9);
        }
        assert!((at(100).spread() - 0.05).abs() < 1e-12, "steps fall by the root of 100");
    }

    #[test]
    fn a_hopeless_neighbour_ends_the_comparison() {
        assert_eq!(at(0).promising(&[90.0, 61.0]), [true, true]);
        assert_eq!(at(0).promising(&[90.0, 59.0]), [false, false]);
    }
}
