//! Evaluations: many games of one agent, and two agents on the same games.

use std::sync::Arc;

use afterstate_agents::{ComparisonReport, Evaluation, EvaluationReport, EvaluationSettings};
use afterstate_core::Device;
use afterstate_games::spec::GameSpec;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::agent::{Agent, parse_device, parse_search, parse_threads};
use crate::errors::{evaluate_error, to_python, value_error};
use crate::interrupt::{OnInterrupt, interruptible};
use crate::numbers::{optional, whole};

/// The most games of an evaluation, as of the program.
const MAX_GAMES: u64 = 10_000_000;

/// Games that have been played, and by whom.
#[pyclass(module = "afterstate._native", frozen)]
pub(crate) struct Played {
    pub(crate) rules: GameSpec,
    pub(crate) agent: String,
    pub(crate) search: String,
    pub(crate) settings: EvaluationSettings,
    pub(crate) evaluation: Evaluation,
}

impl Played {
    fn report(&self) -> EvaluationReport {
        let Played { rules, agent, search, settings, evaluation } = self;
        EvaluationReport::new(rules, agent, search, settings, evaluation)
    }
}

#[pymethods]
impl Played {
    /// The results as a dictionary.
    fn results<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.report())
    }

    /// The score of every game.
    fn scores<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.evaluation.scores.clone().into_pyarray(py)
    }

    fn __str__(&self) -> String {
        self.report().to_string()
    }
}

/// How many games to play; refuses none and too many.
pub(crate) fn settings(
    games: u64,
    seed: u64,
    max_moves: Option<u64>,
) -> PyResult<EvaluationSettings> {
    if !(1..=MAX_GAMES).contains(&games) {
        let message = format!("invalid number of games {games}: expected 1 to {MAX_GAMES}");
        return Err(value_error(message));
    }
    let device = Device::Cpu;
    Ok(EvaluationSettings { games, seed, threads: None, max_moves, device })
}

/// Plays games with an agent.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the settings of an evaluation")]
pub(crate) fn play_games(
    py: Python,
    agent: &Bound<'_, Agent>,
    search: &str,
    #[pyo3(from_py_with = whole)] games: u64,
    #[pyo3(from_py_with = whole)] seed: u64,
    #[pyo3(from_py_with = optional)] threads: Option<usize>,
    #[pyo3(from_py_with = optional)] moves: Option<u64>,
    device: &str,
) -> PyResult<Played> {
    let (agent, search) = (agent.get(), parse_search(search)?);
    let threads = Some(parse_threads(threads)?);
    let device = parse_device(device)?;
    let settings = EvaluationSettings { threads, device, ..settings(games, seed, moves)? };
    let (engine, loaded) = (Arc::clone(&agent.engine), agent.loaded.clone());
    let work = move |stop: &_| engine.evaluate_loaded(&loaded, &search, &settings, stop);
    let evaluation = interruptible(py, OnInterrupt::Leave, work, |_| Ok(()))?;
    Ok(Played {
        rules: agent.rules.clone(),
        agent: agent.loaded.name().to_owned(),
        search: search.to_string(),
        settings,
        evaluation: evaluation.map_err(|error| evaluate_error(&error))?,
    })
}

/// The comparison of two players of the same games: as a dictionary, and as text.
#[pyfunction]
pub(crate) fn compare_played<'py>(
    py: Python<'py>,
    first: &Bound<'py, Played>,
    second: &Bound<'py, Played>,
) -> PyResult<(Bound<'py, PyAny>, String)> {
    let (first, second) = (first.get(), second.get());
    let sides = [first, second].map(|one| (&*one.agent, &*one.search, &one.evaluation));
    let report = ComparisonReport::new(&first.rules, &first.settings, sides);
    Ok((to_python(py, &report)?, report.to_string()))
}
