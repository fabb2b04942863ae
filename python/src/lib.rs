//! `afterstate._native`: what the Python package needs of the program. Everything from Python is
//! checked here: wrong arguments raise, and nothing panics.

#![expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]

mod agent;
mod arrays;
mod batch;
mod boards;
mod cluster;
mod errors;
mod evaluation;
mod interrupt;
mod numbers;
mod picture;
mod policy;
mod program;
mod replays;
mod saved;
mod seeds;
mod solving;
mod training;

use pyo3::prelude::*;

use errors::value_error;

/// The compiled part of the package `afterstate`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::agent::{Agent, agent_list};
    #[pymodule_export]
    use super::batch::Batch;
    #[pymodule_export]
    use super::cluster::{Work, connect_cluster, identity};
    #[pymodule_export]
    use super::evaluation::{Played, compare_played, play_games};
    #[pymodule_export]
    use super::policy::{Tree, played, tree};
    #[pymodule_export]
    use super::program::main;
    #[pymodule_export]
    use super::replays::{read_replay, record_game};
    #[pymodule_export]
    use super::solving::{Solution, solve};
    #[pymodule_export]
    use super::training::{
        measure_run, recipe_list, recipe_table, replace_file, run_metrics, run_overview, train,
    };
}
