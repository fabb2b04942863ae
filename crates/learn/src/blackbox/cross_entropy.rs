//! The cross-entropy method (Rubinstein), plain or with the noise of Szita & Lőrincz (2006).
//!
//! Candidates are drawn from a normal distribution with its own deviation in every dimension, and
//! the distribution becomes that of the best of them. Left alone the deviations fall too fast; the
//! noise, a variance that is added in every iteration and may fall with time, keeps them up.

use afterstate_core::Rng;
use serde::{Deserialize, Serialize};

use super::draw::normal;
use super::{Optimiser, SettingError, expect, finite, ranked, top};

/// How to search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CrossEntropySettings {
    /// Candidates of an iteration.
    pub population: usize,
    /// How many of them make the next distribution.
    pub elite: usize,
    /// The deviation at first.
    pub spread: f64,
    /// The variance that is added after the first iteration; 0 for the plain method. The
    /// published one on 10x20 is 5, falling by 0.1 an iteration.
    pub noise: f64,
    /// How much less it is after each.
    pub noise_fall: f64,
}

impl Default for CrossEntropySettings {
    fn default() -> CrossEntropySettings {
        CrossEntropySettings {
            population: 100,
            elite: 10,
            spread: 10.0,
            noise: 0.0,
            noise_fall: 0.0,
        }
    }
}

impl CrossEntropySettings {
    /// Whether they make sense.
    pub fn check(&self) -> Result<(), SettingError> {
        let most = 100_000;
        expect(
            (2..=most).contains(&self.population),
            "population",
            self.population,
            "2 to 100000",
        )?;
        expect(
            (1..=self.population).contains(&self.elite),
            "elite",
            self.elite,
            "1 to the population",
        )?;
        expect(self.spread > 0.0 && self.spread < 1e9, "spread", self.spread, "more than 0")?;
        expect((0.0..1e9).contains(&self.noise), "noise", self.noise, "0 or more")?;
        expect((0.0..1e9).contains(&self.noise_fall), "noise_fall", self.noise_fall, "0 or more")
    }
}

/// The distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrossEntropy {
    settings: CrossEntropySettings,
    mean: Vec<f64>,
    variance: Vec<f64>,
    iteration: u64,
}

impl CrossEntropy {
    /// A search that starts around a point.
    pub fn new(settings: CrossEntropySettings, start: Vec<f64>) -> CrossEntropy {
        let variance = vec![settings.spread * settings.spread; start.len()];
        CrossEntropy { settings, mean: start, variance, iteration: 0 }
    }
}

impl Optimiser for CrossEntropy {
    fn ask(&mut self, rng: &mut Rng) -> Vec<Vec<f64>> {
        let Self { mean, variance, settings, .. } = self;
        let mut draw = |(mean, variance): (&f64, &f64)| mean + variance.sqrt() * normal(rng);
        (0..settings.population)
            .map(|_| mean.iter().zip(&*variance).map(&mut draw).collect())
            .collect()
    }

    fn tell(&mut self, points: &[Vec<f64>], scores: &[f64], _: &mut Rng) {
        let elite = &ranked(scores)[..self.settings.elite.min(scores.len())];
        let noise = self.settings.noise - self.settings.noise_fall * self.iteration as f64;
        self.iteration += 1;
        let count = elite.len() as f64;
        for (place, (mean, variance)) in self.mean.iter_mut().zip(&mut self.variance).enumerate() {
            let there = || elite.iter().map(|&number| points[number][place]);
            *mean = there().sum::<f64>() / count;
            *variance = there().map(|x| (x - *mean) * (x - *mean)).sum::<f64>() / count;
            *variance += noise.max(0.0);
        }
    }

    fn best(&self) -> &[f64] {
        &self.mean
    }

    fn spread(&self) -> f64 {
        (self.variance.iter().sum::<f64>() / self.variance.len().max(1) as f64).sqrt()
    }

    /// Twice the elite, so that one that was unlucky is not lost.
    fn promising(&self, means: &[f64]) -> Vec<bool> {
        top(means, 2 * self.settings.elite)
    }

    fn sound(&self, dimensions: usize) -> bool {
        self.settings.check().is_ok()
            && finite(&self.mean, dimensions)
            && finite(&self.variance, dimensions)
            && self.variance.iter().all(|&variance| variance >= 0.0)
    }
}
