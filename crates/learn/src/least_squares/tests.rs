//! Least squares against sums by hand, and the solvers against each other.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use afterstate_core::Rng;

use super::*;

/// Rows of four features with noise in the target, and their solution by normal equations.
fn noisy(rows: usize) -> (LeastSquares, Vec<f64>) {
    let mut rng = Rng::stream(3, 0);
    let mut squares = LeastSquares::new(4);
    let (mut gram, mut moment) = (DMatrix::<f64>::zeros(4, 4), nalgebra::DVector::zeros(4));
    for _ in 0..rows {
        let row = [1.0, rng.unit() * 20.0, rng.unit() * 5.0, rng.unit() - 0.5];
        let target = 3.0 - 2.0 * row[1] + 0.5 * row[2] + 7.0 * row[3] + rng.unit();
        squares.add(row, target);
        let row = nalgebra::DVector::from_column_slice(&row);
        gram += &row * row.transpose();
        moment += row * target;
    }
    let solved = gram.lu().solve(&moment).unwrap();
    (squares, solved.as_slice().to_vec())
}

fn near(one: &[f64], other: &[f64], tolerance: f64) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(a, b)| (a - b).abs() <= tolerance * (1.0 + b.abs()))
}

#[test]
fn folded_rows_give_what_normal_equations_give() {
    for rows in [5, 40, 600, 5_000] {
        let (squares, expected) = noisy(rows);
        let solution = squares.solve(Solver::Exact).unwrap();
        assert!(near(&solution.weights, &expected, 1e-9), "{rows}: {solution:?} {expected:?}");
        assert!(!solution.regularised && solution.error < 0.4);
        assert!(squares.sound(4) && !squares.sound(5));
    }
}

#[test]
fn every_solver_reaches_the_exact_solution() {
    let (squares, expected) = noisy(300);
    for (solver, tolerance) in [
        (Solver::NelderMead, 1e-4),
        (Solver::Bfgs, 1e-7),
        (Solver::NewtonCg, 1e-5),
        (Solver::Sgd, 1e-6),
    ] {
        let solution = squares.solve(solver).unwrap();
        assert!(
            near(&solution.weights, &expected, tolerance),
            "{solver:?}: {solution:?} {expected:?}"
        );
    }
}

#[test]
fn singular_systems_are_regularised_and_said_to_be() {
    let mut squares = LeastSquares::new(3);
    for x in 0..100 {
        // The third feature is the sum of the others: no single answer.
        let x = f64::from(x);
        squares.add([1.0, x, 1.0 + x], 2.0 + 4.0 * x);
    }
    let solution = squares.solve(Solver::Exact).unwrap();
    assert!(solution.regularised && solution.error < 0.01, "{solution:?}");
    assert!(solution.weights.iter().all(|weight| weight.abs() < 10.0), "{solution:?}");
    let mut few = LeastSquares::new(3);
    few.add([1.0, 2.0, 3.0], 4.0);
    assert!(few.solve(Solver::Exact).unwrap().regularised);
    let mut zero = LeastSquares::new(2);
    zero.add([0.0, 0.0], 5.0);
    assert!(near(&zero.solve(Solver::Exact).unwrap().weights, &[0.0, 0.0], 1e-12));
    assert_eq!(LeastSquares::new(2).solve(Solver::Exact), Err(LeastSquaresError::NoRows));
}

#[test]
fn a_triangle_goes_on_from_text() {
    let (whole, _) = noisy(2_000);
    let text = serde_json::to_string(&whole).unwrap();
    assert!(text.len() < 60_000, "{}", text.len());
    let read: LeastSquares = serde_json::from_str(&text).unwrap();
    assert_eq!(read.solve(Solver::Exact), whole.solve(Solver::Exact));
}
