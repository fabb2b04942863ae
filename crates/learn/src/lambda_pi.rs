//! Lambda-policy iteration, optimistic and approximate, as the course notes of CS3243 give it
//! (after Bertsekas & Ioffe 1996): M games by the weights r(t), then the weights r(t+1) that fit, by
//! least squares, each board's value under r(t) plus the sum of lambda^(s-k) times the temporal
//! differences that follow it.
//!
//! In the notes' formula of the utility the weights of the height differences are r(k+2), which
//! would use the weights of the heights again: the index must be r(w+k), as their own list of
//! features says (a constant, w heights, w-1 differences, the largest height, the holes).
//!
//! A game's boards are i(0), the empty one, to i(N), the terminal one. The value of i(N) under r(t)
//! is 0, and it has a row of its own with the target 0: the sum of the formula goes up to N.

use serde::{Deserialize, Serialize};

use crate::least_squares::LeastSquares;

/// The boards of one game: their features, and the reward of the move to each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trajectory {
    columns: usize,
    features: Vec<f32>,
    rewards: Vec<f32>,
}

impl Trajectory {
    /// An empty trajectory of boards with so many features.
    pub fn new(columns: usize) -> Trajectory {
        Trajectory { columns, ..Trajectory::default() }
    }

    /// Adds a board by its features, and the reward of the move to it.
    pub fn add(&mut self, features: &[f32], reward: f32) {
        self.features.extend_from_slice(&features[..self.columns]);
        self.rewards.push(reward);
    }

    /// The number of boards.
    pub fn len(&self) -> usize {
        self.rewards.len()
    }

    /// Whether there are no boards.
    pub fn is_empty(&self) -> bool {
        self.rewards.is_empty()
    }

    /// The features and the reward of each board.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = (&[f32], f32)> + ExactSizeIterator {
        self.features.chunks_exact(self.columns.max(1)).zip(self.rewards.iter().copied())
    }

    /// Adds a row per board to a least-squares problem.
    pub fn fit(&self, weights: &[f64], lambda: f64, squares: &mut LeastSquares) {
        let value = |features: &[f32]| -> f64 {
            weights.iter().zip(features).map(|(weight, &x)| weight * f64::from(x)).sum()
        };
        // Backwards: the sum of a board is its own difference plus lambda times the next sum.
        let (mut sum, mut next_value, mut next_reward) = (0.0, 0.0, 0.0);
        let mut rows = Vec::with_capacity(self.len());
        for (number, (features, reward)) in self.rows().enumerate().rev() {
            let last = number + 1 == self.len();
            let here = if last { 0.0 } else { value(features) };
            if !last {
                let difference = next_reward + next_value - here;
                sum = difference + lambda * sum;
            }
            rows.push((features, here + sum));
            (next_value, next_reward) = (here, f64::from(reward));
        }
        for (features, target) in rows.into_iter().rev() {
            squares.add(features.iter().map(|&x| f64::from(x)), target);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::least_squares::Solver;

    /// Reference implementation: the double sum of the notes.
    fn targets(rows: &[([f32; 3], f32)], weights: &[f64], lambda: f64) -> Vec<f64> {
        let last = rows.len() - 1;
        let value = |k: usize| -> f64 {
            if k == last {
                return 0.0;
            }
            weights.iter().zip(rows[k].0).map(|(weight, x)| weight * f64::from(x)).sum()
        };
        let difference = |s: usize| f64::from(rows[s + 1].1) + value(s + 1) - value(s);
        let sum = |k: usize| -> f64 {
            (k..last).map(|s| lambda.powi((s - k) as i32) * difference(s)).sum()
        };
        (0..=last).map(|k| value(k) + sum(k)).collect()
    }

    #[test]
    fn rows_are_those_of_the_formula() {
        let rows = [
            ([1.0, 2.0, 0.0], 0.0),
            ([1.0, 5.0, 1.0], 2.0),
            ([1.0, 3.0, 4.0], 0.0),
            ([1.0, 7.0, 2.0], 1.0),
        ];
        let weights = [0.5, -1.5, 2.0];
        for lambda in [0.0, 0.6, 1.0] {
            let mut trajectory = Trajectory::new(3);
            rows.iter().for_each(|(features, reward)| trajectory.add(features, *reward));
            let (mut got, mut expected) = (LeastSquares::new(3), LeastSquares::new(3));
            trajectory.fit(&weights, lambda, &mut got);
            for ((features, _), target) in rows.iter().zip(targets(&rows, &weights, lambda)) {
                expected.add(features.map(f64::from), target);
            }
            let (got, expected) =
                (got.solve(Solver::Exact).unwrap(), expected.solve(Solver::Exact).unwrap());
            let near =
                got.weights.iter().zip(&expected.weights).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(near && (got.error - expected.error).abs() < 1e-12, "{got:?} {expected:?}");
        }
    }

    #[test]
    fn with_lambda_1_the_target_is_the_score_to_go() {
        let mut trajectory = Trajectory::new(1);
        for reward in [0.0, 1.0, 0.0, 4.0] {
            trajectory.add(&[1.0], reward);
        }
        let mut squares = LeastSquares::new(1);
        trajectory.fit(&[9.0], 1.0, &mut squares);
        // 5, 4, 4 and 0.
        let solution = squares.solve(Solver::Exact).unwrap();
        assert!((solution.weights[0] - 13.0 / 4.0).abs() < 1e-12);
    }
}
