//! Exact solutions of small games.

use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use afterstate_agents::LoadedAgent;
use afterstate_engine::{Engine, open};
use afterstate_games::RewardMixture;
use afterstate_games::spec::GameSpec;
use afterstate_learn::solution::{Estimate, Solution as Solved};
use afterstate_learn::solve::SolveProgress;
use pyo3::prelude::*;

use crate::agent::{Agent, parse_threads};
use crate::errors::{file_error, os_error, value_error};
use crate::interrupt::{OnInterrupt, interruptible};
use crate::numbers::optional;

/// The exact solution of a small game: the value of its start, and optimal play.
#[pyclass(module = "afterstate", frozen)]
pub(crate) struct Solution {
    rules: GameSpec,
    engine: Arc<dyn Engine>,
    loaded: LoadedAgent,
    solved: Solved,
}

#[pymethods]
impl Solution {
    /// The rules, in their shortest form.
    #[getter]
    fn rules(&self) -> String {
        self.rules.to_string()
    }

    /// The expected score of optimal play, or its expected length in moves where that is the
    /// objective; None if it is infinite.
    #[getter]
    fn optimum(&self) -> Option<f64> {
        self.solved.optimum
    }

    /// The number of boards.
    #[getter]
    fn boards(&self) -> u64 {
        self.solved.size.boards
    }

    /// The number of moves and chance outcomes between them.
    #[getter]
    fn edges(&self) -> u64 {
        self.solved.size.edges
    }

    /// The number of sweeps over all boards.
    #[getter]
    fn sweeps(&self) -> u64 {
        self.solved.sweeps
    }

    /// The largest change of a value in the last sweep.
    #[getter]
    fn residual(&self) -> f64 {
        self.solved.residual
    }

    /// Seconds that it took.
    #[getter]
    fn seconds(&self) -> f64 {
        self.solved.seconds
    }

    /// The agent that plays optimally. It is in memory: `save` writes it to a file.
    #[getter]
    fn agent(&self) -> Agent {
        let (rules, engine) = (self.rules.clone(), Arc::clone(&self.engine));
        Agent { source: None, rules, engine, loaded: self.loaded.clone() }
    }

    /// Writes the agent that plays optimally to a file, for `load`.
    fn save(&self, py: Python, path: PathBuf) -> PyResult<()> {
        let saved = py.detach(|| self.engine.save_solution(&self.solved.table, &path));
        saved.map_err(|error| file_error(&error))
    }

    fn __repr__(&self) -> String {
        let optimum = self.solved.optimum.map_or("None".to_owned(), |value| value.to_string());
        format!("Solution({:?}, optimum={optimum}, boards={})", self.rules(), self.boards())
    }
}

/// Solves a small game exactly.
///
/// Args:
///     rules: The rules, such as "2048:2x2" or "1010:4x4,pieces=7". Rules that are too large for the
///         memory raise a ValueError before anything is allocated.
///     reward: What to maximise: "score", "step" (1 per move), "lines", "moves", or sums such as
///         "2*lines+moves". If None, the length of the game, or the score if no state can recur.
///     gamma: The discount factor.
///     sweeps: The most sweeps; if None, until the values have converged.
///     threads: Threads to solve on; one per core if None.
///
///     >>> import afterstate
///     >>> solution = afterstate.solve("2048:2x2")
///     >>> round(solution.optimum, 3)
///     66.964
///     >>> agent = solution.agent
///     >>> afterstate.evaluate(agent, games=2000).mean > 60
///     True
#[pyfunction]
#[pyo3(signature = (rules, reward=None, *, gamma=1.0, sweeps=None, threads=None))]
pub(crate) fn solve(
    py: Python,
    rules: &str,
    reward: Option<&str>,
    gamma: f64,
    #[pyo3(from_py_with = optional)] sweeps: Option<u64>,
    #[pyo3(from_py_with = optional)] threads: Option<usize>,
) -> PyResult<Solution> {
    let rules: GameSpec = rules.parse().map_err(value_error)?;
    let reward: Option<RewardMixture> =
        reward.map(|reward| reward.parse().map_err(value_error)).transpose()?;
    let threads = parse_threads(threads)?;
    if sweeps == Some(0) {
        return Err(value_error("0 sweeps solve nothing: expected at least 1, or None"));
    }
    let engine: Arc<dyn Engine> = Arc::from(open(&rules));
    let solver = Arc::clone(&engine);
    let work = move |stop: &AtomicBool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| {
            os_error(std::io::ErrorKind::Other, format!("cannot start threads: {error}"))
        })?;
        pool.install(|| {
            let estimate = solver.estimate(reward, gamma).map_err(value_error)?;
            let estimate = Estimate { max_sweeps: sweeps, ..estimate };
            // A solver has no other way out than to unwind; the result is not waited for.
            let mut observe = |_: &SolveProgress| {
                if stop.load(Ordering::Relaxed) {
                    resume_unwind(Box::new("stopped"));
                }
            };
            solver.solve(&estimate, &mut observe).map_err(value_error)
        })
    };
    let solved = interruptible(py, OnInterrupt::Leave, work, |_| Ok(()))??;
    let loaded = engine.load_solution(&solved.table);
    Ok(Solution { rules, engine, loaded, solved })
}
