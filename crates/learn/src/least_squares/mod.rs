//! Linear least squares over any number of rows, of which only a triangle is kept.
//!
//! The rows (features and target) are folded by QR into an upper triangle R of one more than the
//! number of features: the sum of squares of R r - z is that of all rows, up to a constant. The fold
//! is orthogonal, so the condition number is not squared as in normal equations.

mod solver;
#[cfg(test)]
mod tests;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

pub use solver::{Solver, TOLERANCE};

/// Rows folded at a time.
const BLOCK: usize = 512;

/// A pivot below this part of the length of its column is taken for zero.
const SINGULAR: f64 = 1e-10;

/// The ridge that regularisation adds, as a part of the largest pivot.
const RIDGE: f64 = 1e-6;

/// A least-squares problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeastSquares {
    /// Features per row.
    columns: usize,
    /// The triangle, row by row, and the rows that are not folded yet; a row is the features and the
    /// target.
    kept: Vec<f64>,
    /// The number of rows added.
    rows: u64,
}

/// The least-squares solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// One weight per feature.
    pub weights: Vec<f64>,
    /// The root mean squared error.
    pub error: f64,
    /// Whether the rows do not determine all weights, so that a ridge prefers small ones.
    pub regularised: bool,
}

/// There is no solution.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LeastSquaresError {
    /// There are no rows.
    #[error("no rows to fit: least squares need at least one")]
    NoRows,
    /// Rows or weights overflow.
    #[error("the weights are not finite: the rows have features or targets that are too large")]
    NotFinite,
    /// An iterative solver stopped before it reached the minimum.
    #[error(
        "{solver} did not converge: its relative distance from the least-squares solution is \
         {distance:.1e}, above the tolerance of {TOLERANCE:.0e}; use the solver exact"
    )]
    NotConverged {
        /// Its name.
        solver: &'static str,
        /// The root mean square by which its predictions differ from those of the exact solution,
        /// relative to the latter.
        distance: f64,
    },
}

impl LeastSquares {
    /// A problem without rows, of so many features.
    pub fn new(columns: usize) -> LeastSquares {
        LeastSquares { columns, kept: Vec::new(), rows: 0 }
    }

    /// Whether a problem that was read from a file is one of so many features.
    pub fn is_valid(&self, columns: usize) -> bool {
        let width = columns + 1;
        self.columns == columns
            && self.kept.len().is_multiple_of(width)
            && self.kept.len() <= (width + BLOCK) * width
            && self.kept.iter().all(|entry| entry.is_finite())
    }

    /// The number of rows added.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds a row.
    pub fn add(&mut self, features: impl IntoIterator<Item = f64>, target: f64) {
        let before = self.kept.len();
        self.kept.extend(features.into_iter().take(self.columns));
        self.kept.resize(before + self.columns, 0.0);
        self.kept.push(target);
        self.rows += 1;
        if self.kept.len() >= (self.columns + 1 + BLOCK) * (self.columns + 1) {
            self.fold();
        }
    }

    /// Folds all rows into the triangle.
    fn fold(&mut self) {
        let width = self.columns + 1;
        if self.kept.len() <= width * width {
            return;
        }
        let matrix = DMatrix::from_row_slice(self.kept.len() / width, width, &self.kept);
        let triangle = matrix.qr().r();
        self.kept.clear();
        self.kept.extend((0..width * width).map(|i| triangle[(i / width, i % width)]));
    }

    /// The weights with the smallest sum of squared errors.
    pub fn solve(&self, solver: Solver) -> Result<Solution, LeastSquaresError> {
        if self.rows == 0 {
            return Err(LeastSquaresError::NoRows);
        }
        let mut folded = self.clone();
        let width = self.columns + 1;
        // Rows of zeros fill the triangle where there are fewer rows than columns.
        folded.kept.resize(folded.kept.len().max((width + 1) * width), 0.0);
        folded.fold();
        let mut triangle = DMatrix::from_row_slice(width, width, &folded.kept);
        if triangle.iter().any(|entry| !entry.is_finite()) {
            return Err(LeastSquaresError::NotFinite);
        }
        // Relative to its column, a pivot does not depend on the scales of the features.
        let singular = |j: usize| triangle[(j, j)].abs() <= SINGULAR * triangle.column(j).norm();
        let regularised = (0..self.columns).any(singular);
        if regularised {
            let largest = (0..self.columns).map(|j| triangle[(j, j)].abs()).fold(0.0, f64::max);
            for column in 0..self.columns {
                let mut row = vec![0.0; width];
                row[column] = if largest > 0.0 { RIDGE * largest } else { 1.0 };
                folded.kept.extend(row);
            }
            folded.fold();
            triangle = DMatrix::from_row_slice(width, width, &folded.kept);
        }
        let left = triangle.view((0, 0), (self.columns, self.columns)).into_owned();
        let right = triangle.column(self.columns).rows(0, self.columns).into_owned();
        let weights = solver.minimise(&left, &right)?;
        if !weights.iter().all(|weight| weight.is_finite()) {
            return Err(LeastSquaresError::NotFinite);
        }
        let rest = (left * &weights - right).norm_squared()
            + triangle[(self.columns, self.columns)].powi(2);
        Ok(Solution {
            weights: weights.as_slice().to_vec(),
            error: (rest / self.rows as f64).sqrt(),
            regularised,
        })
    }
}
