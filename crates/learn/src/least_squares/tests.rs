//! Least squares against normal equations, and the iterative solvers against the exact one.

use afterstate_core::{Features, Rng};
use afterstate_games::tetris::Tetris;
use afterstate_games::tetris::features::Bertsekas;

use super::solver::Problem;
use super::*;
use crate::lambda_pi::Trajectory;
use crate::resumable_game::{ResumableGame, WeightedFeatures};

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
fn folded_rows_agree_with_normal_equations() {
    for rows in [5, 40, 600, 5_000] {
        let (squares, expected) = noisy(rows);
        let solution = squares.solve(Solver::Exact).unwrap();
        assert!(near(&solution.weights, &expected, 1e-9), "{rows}: {solution:?} {expected:?}");
        assert!(!solution.regularised && solution.error < 0.4);
        assert!(squares.is_valid(4) && !squares.is_valid(5));
    }
}

const ITERATIVE: [Solver; 4] = [Solver::NelderMead, Solver::Bfgs, Solver::NewtonCg, Solver::Sgd];

/// Each solver finds the exact minimum, and weights that differ from the exact ones by at most so
/// much, which grows with the condition number.
fn reach_the_minimum(solvers: &[Solver], squares: &LeastSquares, tolerance: f64) {
    let exact = squares.solve(Solver::Exact).unwrap();
    for &solver in solvers {
        let solution = squares.solve(solver).unwrap();
        assert!((solution.error / exact.error - 1.0).abs() < 1e-12, "{solver:?}: {solution:?}");
        assert!(near(&solution.weights, &exact.weights, tolerance), "{solver:?}: {solution:?}");
    }
}

#[test]
fn every_solver_reaches_the_exact_solution() {
    for rows in [5, 300] {
        let (squares, expected) = noisy(rows);
        reach_the_minimum(&ITERATIVE, &squares, 1e-6);
        for solver in ITERATIVE {
            assert!(near(&squares.solve(solver).unwrap().weights, &expected, 1e-6), "{solver:?}");
        }
    }
    let mut one = LeastSquares::new(1);
    (0..9).for_each(|x| one.add([f64::from(x)], f64::from(3 * x + x % 2)));
    reach_the_minimum(&ITERATIVE, &one, 1e-6);
}

#[test]
fn every_solver_reaches_the_minimum_of_games_of_tetris() {
    for (boards, height, hole) in
        [(200, 0.0, 0.0), (2_000, 0.0, 0.0), (2_000, -0.1, -0.1), (200, -1.0, -20.0)]
    {
        let squares = tetris(boards, height, hole);
        assert!(!squares.solve(Solver::Exact).unwrap().regularised);
        reach_the_minimum(&ITERATIVE, &squares, 1e-5);
    }
}

/// Four columns of lengths 1e-9 to 1e6, two of which differ by a share of them.
fn badly_scaled(share: f64) -> LeastSquares {
    let mut rng = Rng::stream(3, 1);
    let mut squares = LeastSquares::new(4);
    for _ in 0..300 {
        let [a, b, c] = [(); 3].map(|()| rng.unit());
        squares.add([1.0, 1e6 * a, 1e-9 * b, a + share * c], 3.0 - 2.0 * a + b + c + rng.unit());
    }
    squares
}

#[test]
fn columns_of_any_scale_have_the_exact_solution() {
    let squares = badly_scaled(1.0);
    let exact = squares.solve(Solver::Exact).unwrap();
    assert!(!exact.regularised && (exact.weights[2] * 1e-9 - 1.0).abs() < 0.2, "{exact:?}");
    reach_the_minimum(&ITERATIVE, &squares, 1e-5);
}

#[test]
fn a_solver_that_does_not_converge_says_so() {
    let collinear = badly_scaled(1e-7);
    reach_the_minimum(&[Solver::Bfgs, Solver::NewtonCg], &collinear, 1.0);
    let error = collinear.solve(Solver::Sgd).unwrap_err();
    assert!(matches!(error, LeastSquaresError::NotConverged { solver: "sgd", .. }), "{error}");
    let error = LeastSquaresError::NotConverged { solver: "sgd", distance: 0.00123 }.to_string();
    assert_eq!(
        error,
        "sgd did not converge: its relative distance from the least-squares solution is 1.2e-3, \
         above the tolerance of 1e-8; use the solver exact"
    );
    let r = DMatrix::from_row_slice(3, 3, &[1.0, 0.6, 0.6, 0.0, 0.8, 0.6, 0.0, 0.0, 0.5]);
    let problem = Problem { r, z: nalgebra::DVector::from_element(3, 0.5) };
    for method in [Problem::nelder_mead, Problem::bfgs, Problem::newton_cg, Problem::sgd] {
        assert!(problem.converged("", method(&problem, 0)).is_err());
    }
    assert!(problem.converged("", problem.bfgs(2)).is_err());
    assert!(problem.converged("", problem.bfgs(4)).is_ok());
}

#[test]
fn singular_systems_are_regularised_and_flagged() {
    let mut squares = LeastSquares::new(3);
    for x in 0..100 {
        // The third feature is the sum of the others: the solution is not unique.
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
fn a_triangle_survives_serialization() {
    let (whole, _) = noisy(2_000);
    let text = serde_json::to_string(&whole).unwrap();
    assert!(text.len() < 60_000, "{}", text.len());
    let read: LeastSquares = serde_json::from_str(&text).unwrap();
    assert_eq!(read.solve(Solver::Exact), whole.solve(Solver::Exact));
}

/// The rows of one iteration of lambda-policy iteration: games of Tetris by the 22 features of
/// Bertsekas & Tsitsiklis, heights that are nearly collinear with their maximum and the constant.
fn tetris(boards: usize, height: f32, hole: f32) -> LeastSquares {
    let game = Tetris::standard();
    let features = Bertsekas::new(10);
    let mut weights = [height; 22];
    (weights[0], weights[21]) = (1.0, hole);
    let policy = WeightedFeatures { features: &features, reward: 1.0, weights: &weights };
    let (mut squares, mut out, mut episode) = (LeastSquares::new(22), [0.0; 22], 0);
    while (squares.rows() as usize) < boards {
        let mut played = ResumableGame::new(&game, Rng::stream(1, episode));
        let mut trajectory = Trajectory::new(22);
        played.advance(&game, &policy, 5_000, f64::INFINITY, |state, choice| {
            features.describe(&game, state, choice, &mut out);
            trajectory.add(&out, choice.1.reward);
        });
        trajectory.fit(&weights.map(f64::from), 0.6, &mut squares);
        episode += 1;
    }
    squares
}
