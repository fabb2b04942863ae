//! "Home made" simulated annealing: algorithms 1 to 4 of a student project (CS3243, group 23).
//!
//! An iteration moves some weights of one agent up or down by the same amount, fewer of them and by
//! less with every iteration. A candidate is given up after five games below two thirds of the best
//! score, and accepted if it is better, or otherwise with a probability of at most one half.
//!
//! Two errors of the printed pseudocode are corrected by its text. The number of changes
//! is printed as 5 [1 - floor(i / maxIter)], which never falls; the text says that it falls in a
//! straight line from 5, so the bracket is around the whole: ceil(5 (1 - i / maxIter)). The
//! relative error is printed over an unknown `avrg`; it is the score of the heuristic to beat.

use afterstate_core::Rng;
use serde::{Deserialize, Serialize};

use super::{Optimiser, SettingError, expect, finite};

settings! {
    /// The settings of the search.
    MarchalAnnealingSettings {
        /// The number of iterations (maxIter).
        iterations: u64 = 1_000,
    }
}

impl MarchalAnnealingSettings {
    /// Checks the ranges of the settings.
    pub fn check(&self) -> Result<(), SettingError> {
        let holds = (1..=1_000_000_000).contains(&self.iterations);
        expect(holds, "iterations", self.iterations, "1 to 1e9")
    }
}

/// The heuristic to beat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarchalAnnealing {
    settings: MarchalAnnealingSettings,
    iteration: u64,
    weights: Vec<f64>,
    score: f64,
}

impl MarchalAnnealing {
    /// A search from a heuristic without a score.
    pub fn new(settings: MarchalAnnealingSettings, start: Vec<f64>) -> MarchalAnnealing {
        MarchalAnnealing { settings, iteration: 0, weights: start, score: 0.0 }
    }

    /// The number of weights to change, linear from 5 (algorithm 1, line 2).
    fn changes(&self) -> u64 {
        let left = 1.0 - self.iteration as f64 / self.settings.iterations as f64;
        (5.0 * left).ceil().max(1.0) as u64
    }

    /// The amount of a change (algorithm 1, line 3).
    fn change(&self) -> f64 {
        (-(self.iteration as f64).powf(1.2) / self.settings.iterations as f64).exp()
    }

    /// The probability of accepting a heuristic that is not better (algorithm 4).
    fn acceptance(&self, score: f64) -> f64 {
        let error = (self.score - score + 1.0) / (self.score + 1.0);
        MarchalAnnealing::acceptance_of(error, self.iteration as f64)
    }

    /// The same by its relative error and the iteration.
    pub fn acceptance_of(error: f64, iteration: f64) -> f64 {
        (-error.powf(3.1) * iteration.powf(1.2)).exp().min(0.5)
    }
}

impl Optimiser for MarchalAnnealing {
    /// Algorithm 3.
    fn ask(&mut self, rng: &mut Rng) -> Vec<Vec<f64>> {
        let mut weights = self.weights.clone();
        for _ in 0..self.changes() {
            let chosen = rng.below(weights.len());
            let sign = if rng.below(2) == 0 { 1.0 } else { -1.0 };
            weights[chosen] += sign * self.change();
        }
        vec![weights]
    }

    fn tell(&mut self, points: &[Vec<f64>], scores: &[f64], rng: &mut Rng) {
        let (Some(weights), Some(&score)) = (points.first(), scores.first()) else { return };
        if score > self.score || rng.unit() < self.acceptance(score) {
            (self.weights, self.score) = (weights.clone(), score);
        }
        self.iteration += 1;
    }

    fn best(&self) -> &[f64] {
        &self.weights
    }

    fn spread(&self) -> f64 {
        self.change()
    }

    /// Algorithm 2: given up below two thirds of a score that is above 400.
    fn promising(&self, means: &[f64]) -> Vec<bool> {
        means.iter().map(|&mean| self.score <= 400.0 || mean >= self.score * 2.0 / 3.0).collect()
    }

    fn is_finished(&self) -> bool {
        self.iteration >= self.settings.iterations
    }

    fn is_valid(&self, dimensions: usize) -> bool {
        self.settings.check().is_ok() && finite(&self.weights, dimensions) && self.score.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(iteration: u64, score: f64) -> MarchalAnnealing {
        let settings = MarchalAnnealingSettings { iterations: 1_000 };
        MarchalAnnealing { iteration, score, ..MarchalAnnealing::new(settings, vec![0.0; 22]) }
    }

    #[test]
    fn changes_become_fewer_and_smaller() {
        let changes = [0, 1, 200, 201, 799, 800, 999].map(|i| at(i, 0.0).changes());
        assert_eq!(changes, [5, 5, 4, 4, 2, 1, 1]);
        assert_eq!(at(0, 0.0).change(), 1.0);
        // e^(-100^1.2 / 1000), by hand: 100^1.2 is 251.19.
        assert!((at(100, 0.0).change() - 0.77787).abs() < 1e-5);
    }

    #[test]
    fn worse_heuristics_are_accepted_with_at_most_one_half() {
        assert_eq!(at(0, 999.0).acceptance(0.0), 0.5);
        // (999 - 499 + 1) / 1000 = 0.501; 0.501^3.1 = 0.11737; 10^1.2 = 15.849.
        assert!((at(10, 999.0).acceptance(499.0) - (-0.11737_f64 * 15.849).exp()).abs() < 1e-4);
        assert!(at(1_000, 999.0).acceptance(499.0) < 1e-100);
    }

    #[test]
    fn hopeless_heuristics_are_given_up() {
        assert_eq!(at(9, 900.0).promising(&[599.0, 601.0]), [false, true]);
        assert_eq!(at(9, 400.0).promising(&[1.0]), [true], "scores of 400 and less are noise");
    }
}
