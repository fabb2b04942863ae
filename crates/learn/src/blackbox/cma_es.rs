//! CMA-ES: the covariance matrix adaptation evolution strategy (Hansen 2016, "The CMA Evolution
//! Strategy: A Tutorial", with its default constants).
//!
//! Implemented here because a search must be stopped and resumed between any two games; existing
//! crates run to convergence and do not expose their state.

use afterstate_core::Rng;
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use serde::{Deserialize, Serialize};

use super::normal::normals;
use super::{Optimiser, SettingError, expect, finite, ranked, top};

settings! {
    /// The settings of the search.
    CmaEsSettings {
        /// Candidates per iteration; 0 for the tutorial's 4 + 3 ln(dimensions).
        population: usize = 0,
        /// The initial standard deviation.
        spread: f64 = 1.0,
    }
}

impl CmaEsSettings {
    /// The points of an iteration in so many dimensions.
    pub(super) fn points(&self, dimensions: usize) -> usize {
        match self.population {
            0 => 4 + (3.0 * (dimensions.max(1) as f64).ln()) as usize,
            population => population,
        }
    }

    /// Checks the ranges of the settings.
    pub fn check(&self) -> Result<(), SettingError> {
        let population = self.population;
        let holds = population == 0 || (4..=100_000).contains(&population);
        expect(holds, "population", population, "0 or 4 to 100000")?;
        expect(self.spread > 0.0 && self.spread < 1e9, "spread", self.spread, "more than 0")
    }
}

/// The distribution and its evolution paths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CmaEs {
    settings: CmaEsSettings,
    mean: Vec<f64>,
    sigma: f64,
    /// The covariance, row by row.
    covariance: Vec<f64>,
    covariance_path: Vec<f64>,
    sigma_path: Vec<f64>,
    iteration: u64,
}

/// The constants of the tutorial.
struct Constants {
    /// Recombination weights of the better half, decreasing, with sum 1.
    weights: Vec<f64>,
    /// Variance effective selection mass.
    mass: f64,
    sigma_rate: f64,
    damping: f64,
    path_rate: f64,
    rank_one: f64,
    rank_many: f64,
    /// The expected length of a standard normal vector.
    length: f64,
}

impl CmaEs {
    /// A search around a point.
    pub fn new(settings: CmaEsSettings, start: Vec<f64>) -> CmaEs {
        let n = start.len();
        let covariance = DMatrix::<f64>::identity(n, n).as_slice().to_vec();
        let (sigma, zero) = (settings.spread, vec![0.0; n]);
        let (covariance_path, sigma_path) = (zero.clone(), zero);
        CmaEs {
            settings,
            mean: start,
            sigma,
            covariance,
            covariance_path,
            sigma_path,
            iteration: 0,
        }
    }

    fn population(&self) -> usize {
        self.settings.points(self.mean.len())
    }

    fn constants(&self) -> Constants {
        let (n, lambda) = (self.mean.len() as f64, self.population() as f64);
        let half = self.population() / 2;
        let raw = (1..=half).map(|rank| ((lambda + 1.0) / 2.0).ln() - (rank as f64).ln());
        let raw: Vec<f64> = raw.collect();
        let sum: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|weight| weight / sum).collect();
        let mass = 1.0 / weights.iter().map(|weight| weight * weight).sum::<f64>();
        let sigma_rate = (mass + 2.0) / (n + mass + 5.0);
        let damping = 1.0 + 2.0 * (((mass - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + sigma_rate;
        let path_rate = (4.0 + mass / n) / (n + 4.0 + 2.0 * mass / n);
        let rank_one = 2.0 / ((n + 1.3).powi(2) + mass);
        let rank_many = 2.0 * (mass - 2.0 + 1.0 / mass) / ((n + 2.0).powi(2) + mass);
        let rank_many = rank_many.min(1.0 - rank_one);
        let length = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
        let (rank_many, weights) = (rank_many.max(0.0), weights);
        Constants { weights, mass, sigma_rate, damping, path_rate, rank_one, rank_many, length }
    }

    /// The eigenvectors of the covariance and the standard deviations along them.
    fn axes(&self) -> (DMatrix<f64>, DVector<f64>) {
        let n = self.mean.len();
        let eigen = SymmetricEigen::new(DMatrix::from_row_slice(n, n, &self.covariance));
        let smallest = 1e-20 * eigen.eigenvalues.max().max(f64::MIN_POSITIVE);
        (eigen.eigenvectors, eigen.eigenvalues.map(|value| value.max(smallest).sqrt()))
    }
}

impl Optimiser for CmaEs {
    fn ask(&mut self, rng: &mut Rng) -> Vec<Vec<f64>> {
        let (directions, deviations) = self.axes();
        let mean = DVector::from_column_slice(&self.mean);
        let mut draw = || {
            let sphere = DVector::from_vec(normals(self.mean.len(), rng));
            let point = &mean + self.sigma * (&directions * deviations.component_mul(&sphere));
            point.as_slice().to_vec()
        };
        (0..self.population()).map(|_| draw()).collect()
    }

    fn tell(&mut self, points: &[Vec<f64>], scores: &[f64], _: &mut Rng) {
        let n = self.mean.len();
        let constants = self.constants();
        let Constants { weights, mass, sigma_rate, damping, .. } = &constants;
        let (directions, deviations) = self.axes();
        let old = DVector::from_column_slice(&self.mean);
        // The steps of the better half, in units of sigma.
        let steps: Vec<DVector<f64>> = ranked(scores)
            .into_iter()
            .take(weights.len())
            .map(|number| (DVector::from_column_slice(&points[number]) - &old) / self.sigma)
            .collect();
        let step = steps
            .iter()
            .zip(weights)
            .fold(DVector::zeros(n), |sum: DVector<f64>, (s, w)| sum + s * *w);
        self.mean = (&old + self.sigma * &step).as_slice().to_vec();
        let rotated = directions.transpose() * &step;
        let whitened = &directions * rotated.component_div(&deviations);
        let path = DVector::from_column_slice(&self.sigma_path) * (1.0 - sigma_rate)
            + whitened * (sigma_rate * (2.0 - sigma_rate) * mass).sqrt();
        self.iteration += 1;
        let settled = 1.0 - (1.0 - sigma_rate).powf(2.0 * self.iteration as f64);
        let long = path.norm() / settled.sqrt();
        let moving = long < (1.4 + 2.0 / (n as f64 + 1.0)) * constants.length;
        let moving = if moving { 1.0 } else { 0.0 };
        let rate = constants.path_rate;
        let rank_path = DVector::from_column_slice(&self.covariance_path) * (1.0 - rate)
            + &step * (moving * (rate * (2.0 - rate) * mass).sqrt());
        let (one, many) = (constants.rank_one, constants.rank_many);
        let lost = (1.0 - moving) * rate * (2.0 - rate);
        let mut covariance = DMatrix::from_row_slice(n, n, &self.covariance)
            * (1.0 - one - many + one * lost)
            + (&rank_path * rank_path.transpose()) * one;
        for (step, weight) in steps.iter().zip(weights) {
            covariance += (step * step.transpose()) * (many * weight);
        }
        self.sigma *= ((sigma_rate / damping) * (path.norm() / constants.length - 1.0)).exp();
        // The matrix is symmetric, so row and column order agree.
        self.covariance = covariance.as_slice().to_vec();
        self.covariance_path = rank_path.as_slice().to_vec();
        self.sigma_path = path.as_slice().to_vec();
    }

    fn best(&self) -> &[f64] {
        &self.mean
    }

    fn spread(&self) -> f64 {
        let n = self.mean.len();
        let trace: f64 = (0..n).map(|i| self.covariance[i * n + i]).sum();
        self.sigma * (trace / n.max(1) as f64).sqrt()
    }

    /// Only the better half is recombined.
    fn promising(&self, means: &[f64]) -> Vec<bool> {
        top(means, self.population() / 2)
    }

    fn is_valid(&self, dimensions: usize) -> bool {
        self.settings.check().is_ok()
            && finite(&self.mean, dimensions)
            && finite(&self.covariance_path, dimensions)
            && finite(&self.sigma_path, dimensions)
            && finite(&self.covariance, dimensions * dimensions)
            && self.sigma.is_finite()
            && self.sigma > 0.0
    }
}
