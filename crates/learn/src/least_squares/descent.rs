//! The other ways to the smallest sum of squares that the notes of CS3243 name, from the crate argmin.

use std::cell::RefCell;

use afterstate_core::Rng;
use argmin::core::{CostFunction, Error, Executor, Gradient, Hessian, IterState, State};
use argmin::solver::landweber::Landweber;
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::neldermead::NelderMead;
use argmin::solver::newton::NewtonCG;
use argmin::solver::quasinewton::BFGS;
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::LeastSquaresError;

/// How the smallest sum is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Solver {
    /// By QR: exact and the fastest.
    #[default]
    Exact,
    /// The simplex of Nelder and Mead, without derivatives; good for a few features only.
    NelderMead,
    /// Broyden, Fletcher, Goldfarb and Shanno.
    Bfgs,
    /// Newton with conjugate gradients.
    NewtonCg,
    /// Stochastic gradient descent, one row at a time.
    Sgd,
}

/// Half the sum of squares of `left * x - right`, in columns of length 1.
struct Problem {
    left: DMatrix<f64>,
    right: DVector<f64>,
}

impl Problem {
    fn error(&self, x: &[f64]) -> DVector<f64> {
        &self.left * DVector::from_column_slice(x) - &self.right
    }
}

impl CostFunction for Problem {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok(0.5 * self.error(x).norm_squared())
    }
}

impl Gradient for Problem {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(self.left.tr_mul(&self.error(x)).as_slice().to_vec())
    }
}

impl Hessian for Problem {
    type Param = Vec<f64>;
    type Hessian = Vec<Vec<f64>>;

    fn hessian(&self, _: &Vec<f64>) -> Result<Vec<Vec<f64>>, Error> {
        let square = self.left.tr_mul(&self.left);
        Ok(square.row_iter().map(|row| row.iter().copied().collect()).collect())
    }
}

/// The gradient of one row at a time, each drawn in proportion to its squared length and divided by
/// it: so steps of 1 converge (Strohmer & Vershynin 2009).
struct Rows {
    problem: Problem,
    lengths: Vec<f64>,
    rng: RefCell<Rng>,
}

impl Gradient for Rows {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        let all: f64 = self.lengths.iter().sum();
        let mut left = self.rng.borrow_mut().unit() * all;
        let drawn = self.lengths.iter().position(|length| {
            left -= length;
            left < 0.0
        });
        let drawn = drawn.unwrap_or(self.lengths.len() - 1);
        let row = self.problem.left.row(drawn);
        let product: f64 = row.iter().zip(x).map(|(a, b)| a * b).sum();
        let part = (product - self.problem.right[drawn]) / self.lengths[drawn].max(1e-300);
        Ok(row.iter().map(|a| a * part).collect())
    }
}

impl Solver {
    fn name(self) -> &'static str {
        match self {
            Solver::Exact => "exact",
            Solver::NelderMead => "nelder_mead",
            Solver::Bfgs => "bfgs",
            Solver::NewtonCg => "newton_cg",
            Solver::Sgd => "sgd",
        }
    }

    /// Goes down from zero.
    pub(super) fn descend(
        self,
        left: &DMatrix<f64>,
        right: &DVector<f64>,
    ) -> Result<Vec<f64>, LeastSquaresError> {
        // Columns of length 1 and a target of length 1 make steps of one size good everywhere.
        let scales: Vec<f64> = left.column_iter().map(|column| column.norm().max(1e-300)).collect();
        let size = right.norm().max(1e-300);
        let mut scaled = left.clone();
        for (mut column, scale) in scaled.column_iter_mut().zip(&scales) {
            column /= *scale;
        }
        let problem = Problem { left: scaled, right: right / size };
        let found = self.run(problem).map_err(|error| LeastSquaresError::Solver {
            solver: self.name(),
            what: error.to_string(),
        })?;
        Ok(found.iter().zip(&scales).map(|(x, scale)| x * size / scale).collect())
    }

    fn run(self, problem: Problem) -> Result<Vec<f64>, Error> {
        let columns = problem.left.ncols();
        let start = vec![0.0; columns];
        let plain = |state: IterState<Vec<f64>, (), (), (), (), f64>| state;
        match self {
            Solver::Exact | Solver::NelderMead => {
                let mut simplex = vec![start; columns + 1];
                simplex.iter_mut().skip(1).enumerate().for_each(|(at, corner)| corner[at] = 1.0);
                let solver = NelderMead::new(simplex).with_sd_tolerance(1e-15)?;
                let done = Executor::new(problem, solver)
                    .configure(|state| plain(state).max_iters(200_000))
                    .timer(false)
                    .run()?;
                Ok(best(done.state()))
            }
            Solver::Bfgs => {
                let unit = |at: usize| (0..columns).map(|i| f64::from(u8::from(i == at))).collect();
                let inverse: Vec<Vec<f64>> = (0..columns).map(unit).collect();
                let solver = BFGS::new(MoreThuenteLineSearch::new())
                    .with_tolerance_grad(1e-12)?
                    .with_tolerance_cost(0.0)?;
                let done = Executor::new(problem, solver)
                    .configure(|state| state.param(start).inv_hessian(inverse).max_iters(2_000))
                    .timer(false)
                    .run()?;
                Ok(done.state().get_best_param().cloned().unwrap_or_default())
            }
            Solver::NewtonCg => {
                let solver = NewtonCG::new(MoreThuenteLineSearch::new()).with_tolerance(1e-30)?;
                let done = Executor::new(problem, solver)
                    .configure(|state| state.param(start).max_iters(200))
                    .timer(false)
                    .run()?;
                Ok(done.state().get_best_param().cloned().unwrap_or_default())
            }
            Solver::Sgd => {
                let lengths: Vec<f64> =
                    problem.left.row_iter().map(|row| row.norm_squared()).collect();
                let rng = RefCell::new(Rng::stream(1, 0));
                let done = Executor::new(Rows { problem, lengths, rng }, Landweber::new(1.0))
                    .configure(|state| state.param(start).max_iters(1_000_000))
                    .timer(false)
                    .run()?;
                // Without costs, the last is the best that is known.
                Ok(done.state().get_param().cloned().unwrap_or_default())
            }
        }
    }
}

fn best(state: &IterState<Vec<f64>, (), (), (), (), f64>) -> Vec<f64> {
    state.get_best_param().cloned().unwrap_or_default()
}
