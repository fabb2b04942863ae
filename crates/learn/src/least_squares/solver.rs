//! The iterative minimisers that the notes of CS3243 name, beside the exact solution.
//!
//! They minimise f(x) = |R x - z|^2 / 2, where R is a regular triangle with columns of length 1 (a
//! Jacobi preconditioner) and z has length 1. The minimum is therefore 0, the gradient R'(R x - z)
//! and the Hessian R'R are exact, and |R x - z| measures the distance of any x from the minimum.

use afterstate_core::Rng;
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::LeastSquaresError;

/// The largest distance from the minimum at which a solver has converged: the root mean square by
/// which its predictions differ from those of the exact solution, relative to the latter.
pub const TOLERANCE: f64 = 1e-8;

/// How the smallest sum of squares is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Solver {
    /// QR decomposition: exact and the fastest.
    #[default]
    Exact,
    /// The downhill simplex of Nelder & Mead (1965), without derivatives; for few features.
    NelderMead,
    /// The quasi-Newton method of Broyden, Fletcher, Goldfarb & Shanno.
    Bfgs,
    /// Newton's method, each step by conjugate gradients.
    NewtonCg,
    /// Stochastic gradient descent, one row at a time.
    Sgd,
}

/// An iterative method: at most so many iterations from x = 0.
type Method = fn(&Problem, u64) -> DVector<f64>;

impl Solver {
    /// The x with the smallest |left x - right|, for a regular triangle.
    pub(super) fn minimise(
        self,
        left: &DMatrix<f64>,
        right: &DVector<f64>,
    ) -> Result<DVector<f64>, LeastSquaresError> {
        let (solver, method, max_iterations): (_, Method, _) = match self {
            Solver::Exact => {
                return left.solve_upper_triangular(right).ok_or(LeastSquaresError::NotFinite);
            }
            Solver::NelderMead => ("nelder_mead", Problem::nelder_mead, 1_000_000),
            Solver::Bfgs => ("bfgs", Problem::bfgs, 1_000),
            Solver::NewtonCg => ("newton_cg", Problem::newton_cg, 100),
            Solver::Sgd => ("sgd", Problem::sgd, 20_000_000),
        };
        let scales = DVector::from_iterator(left.ncols(), left.column_iter().map(|c| c.norm()));
        let size = right.norm().max(f64::MIN_POSITIVE);
        let mut r = left.clone();
        for (mut column, scale) in r.column_iter_mut().zip(&scales) {
            column /= *scale;
        }
        let problem = Problem { r, z: right / size };
        let x = problem.converged(solver, method(&problem, max_iterations))?;
        Ok(x.component_div(&scales) * size)
    }
}

pub(super) struct Problem {
    pub(super) r: DMatrix<f64>,
    pub(super) z: DVector<f64>,
}

impl Problem {
    /// The point at which a solver has stopped, if that is within the tolerance.
    pub(super) fn converged(
        &self,
        solver: &'static str,
        x: DVector<f64>,
    ) -> Result<DVector<f64>, LeastSquaresError> {
        let distance = self.distance(&x);
        let converged = distance <= TOLERANCE;
        if converged { Ok(x) } else { Err(LeastSquaresError::NotConverged { solver, distance }) }
    }

    fn residual(&self, x: &DVector<f64>) -> DVector<f64> {
        &self.r * x - &self.z
    }

    fn distance(&self, x: &DVector<f64>) -> f64 {
        self.residual(x).norm()
    }

    fn gradient(&self, x: &DVector<f64>) -> DVector<f64> {
        self.r.tr_mul(&self.residual(x))
    }

    fn start(&self) -> DVector<f64> {
        DVector::zeros(self.z.len())
    }

    /// BFGS with the exact step length of a quadratic.
    pub(super) fn bfgs(&self, max_iterations: u64) -> DVector<f64> {
        let n = self.z.len();
        let mut x = self.start();
        let mut inverse = DMatrix::<f64>::identity(n, n);
        for _ in 0..max_iterations {
            if self.distance(&x) <= TOLERANCE {
                break;
            }
            let gradient = self.gradient(&x);
            let direction = -(&inverse * &gradient);
            let image = &self.r * &direction;
            let length = -gradient.dot(&direction) / image.norm_squared();
            let (step, change) = (&direction * length, self.r.tr_mul(&image) * length);
            x += &step;
            let rho = 1.0 / step.dot(&change);
            let left = DMatrix::identity(n, n) - &step * change.transpose() * rho;
            inverse = &left * inverse * left.transpose() + &step * step.transpose() * rho;
        }
        x
    }

    /// Newton steps whose linear systems R'R d = -g are solved by conjugate gradients, at most twice
    /// the dimensions of them; every step starts from the exact gradient again.
    pub(super) fn newton_cg(&self, max_iterations: u64) -> DVector<f64> {
        let mut x = self.start();
        for _ in 0..max_iterations {
            if self.distance(&x) <= TOLERANCE {
                break;
            }
            let mut rest = -self.gradient(&x);
            let mut direction = rest.clone();
            let mut square = rest.norm_squared();
            let small = 1e-24 * square;
            for _ in 0..2 * x.len() {
                let image = &self.r * &direction;
                let length = square / image.norm_squared();
                x += &direction * length;
                rest -= self.r.tr_mul(&image) * length;
                let next = rest.norm_squared();
                if next <= small {
                    break;
                }
                direction = &rest + direction * (next / square);
                square = next;
            }
        }
        x
    }

    /// Steps against the gradient of one row at a time, drawn in proportion to its squared length
    /// and divided by it: so steps of 1 converge (Strohmer & Vershynin 2009).
    pub(super) fn sgd(&self, max_iterations: u64) -> DVector<f64> {
        let rows = self.r.transpose();
        let squares: Vec<f64> = rows.column_iter().map(|row| row.norm_squared()).collect();
        let all: f64 = squares.iter().sum();
        let mut rng = Rng::stream(1, 0);
        let mut x = self.start();
        for iteration in 0..max_iterations {
            if iteration % 1_024 == 0 && self.distance(&x) <= TOLERANCE {
                break;
            }
            let mut left = rng.unit() * all;
            let drawn = squares.iter().position(|square| {
                left -= square;
                left < 0.0
            });
            let drawn = drawn.unwrap_or(squares.len() - 1);
            let row = rows.column(drawn);
            let error = row.dot(&x) - self.z[drawn];
            x.axpy(-error / squares[drawn].max(f64::MIN_POSITIVE), &row, 1.0);
        }
        x
    }

    /// The downhill simplex with the coefficients of Gao & Han (2012) for many dimensions. A simplex
    /// that has collapsed before it converged starts again around its best corner, as wide as that
    /// is from the minimum.
    pub(super) fn nelder_mead(&self, max_iterations: u64) -> DVector<f64> {
        let n = self.z.len();
        let dimensions = n as f64;
        let (expand, contract) = (1.0 + 2.0 / dimensions, 0.75 - 0.5 / dimensions);
        let shrink = 1.0 - 1.0 / dimensions;
        let corner = |x: DVector<f64>| (self.distance(&x), x);
        let mut simplex = vec![corner(self.start())];
        for _ in 0..max_iterations {
            simplex.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (best, worst) = (simplex[0].0, simplex[simplex.len() - 1].0);
            if best <= TOLERANCE {
                break;
            }
            if simplex.len() == 1 || worst - best <= 1e-3 * best {
                simplex.truncate(1);
                for axis in 0..n {
                    let mut x = simplex[0].1.clone();
                    x[axis] += best;
                    simplex.push(corner(x));
                }
                continue;
            }
            let Some((last, others)) = simplex.split_last_mut() else { break };
            let centre = others.iter().fold(self.start(), |sum, (_, x)| sum + x) / dimensions;
            let towards = |part: f64| corner(&centre + (&centre - &last.1) * part);
            let reflected = towards(1.0);
            if reflected.0 < best {
                let expanded = towards(expand);
                *last = if expanded.0 < reflected.0 { expanded } else { reflected };
            } else if reflected.0 < others[n - 1].0 {
                *last = reflected;
            } else {
                let outside = reflected.0 < worst;
                let contracted = towards(if outside { contract } else { -contract });
                if contracted.0 <= reflected.0.min(worst) {
                    *last = contracted;
                } else {
                    let best = simplex[0].1.clone();
                    for one in &mut simplex[1..] {
                        *one = corner(&best + (&one.1 - &best) * shrink);
                    }
                }
            }
        }
        simplex.swap_remove(0).1
    }
}
