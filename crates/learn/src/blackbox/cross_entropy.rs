//! The cross-entropy method (Rubinstein), with the optional noise of Szita & Lőrincz (2006).
//!
//! Candidates are drawn from a normal distribution with independent dimensions, which is then fitted
//! to the elite. Its variances shrink too fast; the noise, a variance that is added in every
//! iteration and may decrease, prevents early convergence.

use afterstate_core::Rng;
use serde::{Deserialize, Serialize};

use super::normal::normal;
use super::{Optimiser, SettingError, expect, finite, ranked, top};

settings! {
    /// The settings of the search.
    CrossEntropySettings {
        /// Candidates per iteration.
        population: usize = 100,
        /// The number of best candidates to which the distribution is fitted.
        elite: usize = 10,
        /// The initial standard deviation.
        spread: f64 = 10.0,
        /// The variance added after the first iteration; 0 for the method without noise. Published
        /// for 10x20: 5, decreasing by 0.1 per iteration.
        noise: f64 = 0.0,
        /// The decrease of the noise per iteration.
        noise_fall: f64 = 0.0,
    }
}

impl CrossEntropySettings {
    /// Checks the ranges of the settings.
    pub fn check(&self) -> Result<(), SettingError> {
        let max = 100_000;
        expect((2..=max).contains(&self.population), "population", self.population, "2 to 100000")?;
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
    /// A search around a point.
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
        for (i, (mean, variance)) in self.mean.iter_mut().zip(&mut self.variance).enumerate() {
            let elite_values = || elite.iter().map(|&candidate| points[candidate][i]);
            *mean = elite_values().sum::<f64>() / count;
            *variance = elite_values().map(|x| (x - *mean) * (x - *mean)).sum::<f64>() / count;
            *variance += noise.max(0.0);
        }
    }

    fn best(&self) -> &[f64] {
        &self.mean
    }

    fn spread(&self) -> f64 {
        (self.variance.iter().sum::<f64>() / self.variance.len().max(1) as f64).sqrt()
    }

    /// Twice the elite, so that an unlucky candidate keeps its chance.
    fn promising(&self, means: &[f64]) -> Vec<bool> {
        top(means, 2 * self.settings.elite)
    }

    fn is_valid(&self, dimensions: usize) -> bool {
        self.settings.check().is_ok()
            && finite(&self.mean, dimensions)
            && finite(&self.variance, dimensions)
            && self.variance.iter().all(|&variance| variance >= 0.0)
    }
}
