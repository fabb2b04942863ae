//! Simulated annealing as textbooks have it (Kirkpatrick, Gelatt & Vecchi 1983): a neighbour that
//! is worse is taken with the chance exp(-loss / temperature), and the temperature falls by a
//! fixed factor. A loss is a part of the score to beat: scores of games grow by orders of magnitude.

use afterstate_core::Rng;
use serde::{Deserialize, Serialize};

use super::draw::normals;
use super::{Optimiser, SettingError, expect, finite};

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
    /// Of the point here; none before the first.
    score: Option<f64>,
    best: Vec<f64>,
    best_score: Option<f64>,
}

impl Annealing {
    /// A search that starts at a point.
    pub fn new(settings: AnnealingSettings, start: Vec<f64>) -> Annealing {
        let best = start.clone();
        Annealing { settings, iteration: 0, here: start, score: None, best, best_score: None }
    }

    fn temperature(&self) -> f64 {
        let AnnealingSettings { iterations, hot, cold, .. } = self.settings;
        hot * (cold / hot).powf(self.iteration as f64 / iterations as f64)
    }
}

impl Optimiser for Annealing {
    fn ask(&mut self, rng: &mut Rng) -> Vec<Vec<f64>> {
        if self.score.is_none() {
            return vec![self.here.clone()];
        }
        let steps = normals(self.here.len(), rng);
        let spread = self.spread();
        vec![self.here.iter().zip(steps).map(|(x, step)| x + spread * step).collect()]
    }

    fn tell(&mut self, points: &[Vec<f64>], scores: &[f64], rng: &mut Rng) {
        let (Some(point), Some(&score)) = (points.first(), scores.first()) else { return };
        let chance = self.score.map_or(1.0, |here| {
            let loss = (here - score) / here.abs().max(1e-9);
            (-loss / self.temperature()).exp()
        });
        if rng.unit() < chance {
            (self.here, self.score) = (point.clone(), Some(score));
        }
        if self.best_score.is_none_or(|best| score > best) {
            (self.best, self.best_score) = (point.clone(), Some(score));
        }
        self.iteration += 1;
    }

    fn best(&self) -> &[f64] {
        &self.best
    }

    fn spread(&self) -> f64 {
        self.settings.spread * (self.temperature() / self.settings.hot).sqrt()
    }

    fn over(&self) -> bool {
        self.iteration >= self.settings.iterations
    }

    fn sound(&self, dimensions: usize) -> bool {
        self.settings.check().is_ok()
            && finite(&self.here, dimensions)
            && finite(&self.best, dimensions)
    }
}
