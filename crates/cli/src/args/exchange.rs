//! The arguments of `player` and `learner`, the two programs of CS3243.

use std::path::PathBuf;

use afterstate_learn::least_squares::Solver;
use clap::Args;

use super::values::{fraction, seed};

#[derive(Args)]
pub(crate) struct Player {
    /// The maximum number of games
    pub(crate) games: u64,

    /// 22 weights, separated by spaces: a constant, ten heights, nine differences, the largest
    /// height, holes
    #[arg(allow_hyphen_values = true)]
    pub(crate) weights: String,

    /// The seed of the games
    #[arg(long, default_value_t = 1, value_parser = seed)]
    pub(crate) seed: u64,

    /// Stop after this many boards, and drop the unfinished game
    #[arg(long, value_name = "N", default_value_t = afterstate_engine::cs3243::MAX_BOARDS)]
    pub(crate) boards: usize,
}

#[derive(Args)]
pub(crate) struct Learner {
    /// Files of `player` [default: standard input]
    pub(crate) files: Vec<PathBuf>,

    /// The 22 weights that `player` used [default: all 0]
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) weights: Option<String>,

    /// The decay of temporal differences, from 0 to 1
    #[arg(long, default_value_t = 0.6, value_parser = fraction)]
    pub(crate) lambda: f64,

    /// The solver of the least squares problem
    #[arg(long, value_enum, default_value_t = SolverName::Exact)]
    pub(crate) solver: SolverName,
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum SolverName {
    Exact,
    NelderMead,
    Bfgs,
    NewtonCg,
    Sgd,
}

impl From<SolverName> for Solver {
    fn from(name: SolverName) -> Solver {
        match name {
            SolverName::Exact => Solver::Exact,
            SolverName::NelderMead => Solver::NelderMead,
            SolverName::Bfgs => Solver::Bfgs,
            SolverName::NewtonCg => Solver::NewtonCg,
            SolverName::Sgd => Solver::Sgd,
        }
    }
}
