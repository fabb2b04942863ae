//! Least squares over any number of rows, of which only a triangle is kept.
//!
//! The rows (features and target) are folded by QR into an upper triangle R of one more than the
//! number of features: the sum of squares of R r - z is that of all rows, up to a constant. The fold
//! is orthogonal, so nothing is lost to squaring as it would be in normal equations.

mod descent;
#[cfg(test)]
mod tests;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

pub use descent::Solver;

/// Rows folded at a time.
const BLOCK: usize = 512;

/// A pivot below this part of the largest is taken for zero.
const SINGULAR: f64 = 1e-10;

/// How much of the largest pivot regularisation adds.
const RIDGE: f64 = 1e-6;

/// The rows so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeastSquares {
    /// Features of a row.
    columns: usize,
    /// The triangle, row by row, and the rows that are not folded yet: each of them is the
    /// features and the target.
    kept: Vec<f64>,
    /// All rows that were added.
    rows: u64,
}

/// The answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// One weight a feature.
    pub weights: Vec<f64>,
    /// The root of the mean squared error.
    pub error: f64,
    /// Whether the rows left some weights open, so that small ones were preferred.
    pub regularised: bool,
}

/// There is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LeastSquaresError {
    /// Nothing to learn from.
    #[error("met no rows, expected at least one")]
    NoRows,
    /// The numbers are too large.
    #[error("met weights that are not finite, expected smaller numbers in the rows")]
    NotFinite,
    /// An iterative solver gave up.
    #[error("{solver}: {what}")]
    Solver {
        /// Its name.
        solver: &'static str,
        /// What it said.
        what: String,
    },
}

impl LeastSquares {
    /// No rows yet, each to have so many features.
    pub fn new(columns: usize) -> LeastSquares {
        LeastSquares { columns, kept: Vec::new(), rows: 0 }
    }

    /// Whether a state that was read from a file is one of so many features.
    pub fn sound(&self, columns: usize) -> bool {
        let wide = columns + 1;
        self.columns == columns
            && self.kept.len().is_multiple_of(wide)
            && self.kept.len() <= (wide + BLOCK) * wide
            && self.kept.iter().all(|number| number.is_finite())
    }

    /// All rows that were added.
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
        let wide = self.columns + 1;
        if self.kept.len() <= wide * wide {
            return;
        }
        let matrix = DMatrix::from_row_slice(self.kept.len() / wide, wide, &self.kept);
        let triangle = matrix.qr().r();
        self.kept.clear();
        self.kept.extend((0..wide * wide).map(|at| triangle[(at / wide, at % wide)]));
    }

    /// The weights with the smallest sum of squared errors.
    pub fn solve(&self, solver: Solver) -> Result<Solution, LeastSquaresError> {
        if self.rows == 0 {
            return Err(LeastSquaresError::NoRows);
        }
        let mut folded = self.clone();
        let wide = self.columns + 1;
        // Fewer rows than columns make no triangle: rows of zeros change nothing.
        folded.kept.resize(folded.kept.len().max((wide + 1) * wide), 0.0);
        folded.fold();
        let pivot = |of: &LeastSquares, at: usize| of.kept[at * wide + at].abs();
        let pivots =
            |of: &LeastSquares| (0..self.columns).map(|at| pivot(of, at)).collect::<Vec<_>>();
        let largest = pivots(&folded).into_iter().fold(0.0, f64::max);
        let regularised = pivots(&folded).iter().any(|&pivot| pivot <= SINGULAR * largest);
        if regularised {
            for column in 0..self.columns {
                let ridge = if largest > 0.0 { RIDGE * largest } else { 1.0 };
                let mut row = vec![0.0; wide];
                row[column] = ridge;
                folded.kept.extend(row);
            }
            folded.fold();
        }
        let triangle = DMatrix::from_row_slice(wide, wide, &folded.kept);
        let (left, right) = (
            triangle.view((0, 0), (self.columns, self.columns)).into_owned(),
            triangle.view((0, self.columns), (self.columns, 1)).column(0).into_owned(),
        );
        let weights = match solver {
            Solver::Exact => {
                let solved = left.solve_upper_triangular(&right);
                solved.ok_or(LeastSquaresError::NotFinite)?.as_slice().to_vec()
            }
            solver => solver.descend(&left, &right)?,
        };
        if !weights.iter().all(|weight| weight.is_finite()) {
            return Err(LeastSquaresError::NotFinite);
        }
        let solved = nalgebra::DVector::from_column_slice(&weights);
        let rest =
            (left * solved - right).norm_squared() + triangle[(self.columns, self.columns)].powi(2);
        Ok(Solution { weights, error: (rest / self.rows as f64).sqrt(), regularised })
    }
}
