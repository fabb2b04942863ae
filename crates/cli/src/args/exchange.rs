//! The command lines of CS3243's two programs.

use std::path::PathBuf;

use afterstate_learn::least_squares::Solver;
use clap::Args;

use super::values::part;

#[derive(Args)]
pub(crate) struct Player {
    /// Games to play at most
    pub(crate) games: u64,

    /// 22 weights with spaces between them: a constant, ten heights, nine differences, the largest
    /// height, holes
    #[arg(allow_hyphen_values = true)]
    pub(crate) weights: String,

    /// The seed of the games
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// Stop after so many boards, and drop the game that is under way
    #[arg(long, value_name = "N", default_value_t = afterstate_lab::exchange::MAX_BOARDS)]
    pub(crate) boards: usize,
}

#[derive(Args)]
pub(crate) struct Learner {
    /// Files that `player` wrote; standard input if there is none
    pub(crate) files: Vec<PathBuf>,

    /// The 22 weights by which the games were played; all 0 if they are not given
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) weights: Option<String>,

    /// How much of a temporal difference reaches the board before, from 0 to 1
    #[arg(long, default_value_t = 0.6, value_parser = part)]
    pub(crate) lambda: f64,

    /// How the least squares are found
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
