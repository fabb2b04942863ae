//! `Agent`: an agent that is loaded for some rules.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use afterstate_agents::agent::UnknownAgent;
use afterstate_agents::{Agent as AgentName, LoadedAgent};
use afterstate_core::Device;
use afterstate_core::threads::cores;
use afterstate_engine::catalogue::{self, AgentCard};
use afterstate_engine::{Engine, ValuesError, open};
use afterstate_games::spec::GameSpec;
use afterstate_search::Search;
use afterstate_session::board_json;
use afterstate_values::model::Tensor;
use numpy::{IntoPyArray, PyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::{PyFileNotFoundError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::batch::Batch;
use crate::boards::{json, read_boards, view, view_at};
use crate::errors::{agent_error, file_error, run_error, to_python, value_error};
use crate::interrupt::{OnInterrupt, interruptible};
use crate::numbers::optional;

/// Games whose moves are chosen or valued greedily between two looks for signals, on each thread.
const GAMES: usize = 1 << 12;

/// Boards that are valued between two looks for signals.
const BOARDS: usize = 1 << 18;

/// An agent, loaded for some rules: `load` makes one.
#[pyclass(module = "afterstate", frozen)]
pub(crate) struct Agent {
    /// Who it is, by name or file; `None` if it was made in memory.
    pub(crate) source: Option<AgentName>,
    pub(crate) rules: GameSpec,
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) loaded: LoadedAgent,
}

/// A search by its text.
pub(crate) fn parse_search(search: &str) -> PyResult<Search> {
    Search::from_str(search).map_err(value_error)
}

/// Where to play or to train.
pub(crate) fn parse_device(device: &str) -> PyResult<Device> {
    if device == "cluster" {
        return Ok(Device::Cluster);
    }
    device.parse().map_err(|error| value_error(format!("invalid device {device:?}: {error}")))
}

/// A number of threads; without one, as many as there are cores.
pub(crate) fn parse_threads(threads: Option<usize>) -> PyResult<usize> {
    match threads {
        None => Ok(cores()),
        Some(threads @ 1..=4096) => Ok(threads),
        Some(other) => {
            Err(value_error(format!("invalid number of threads {other}: expected 1 to 4096")))
        }
    }
}

/// An agent by its name or path.
fn find(name: &str) -> PyResult<AgentName> {
    name.parse().map_err(|error| match error {
        UnknownAgent::Name { .. }
            if name.contains(['/', '\\']) || name.ends_with(".safetensors") =>
        {
            PyFileNotFoundError::new_err(format!(
                "{name} is neither an agent file nor a run folder"
            ))
        }
        error => value_error(error),
    })
}

impl Agent {
    fn load(py: Python, agent: &AgentName, rules: GameSpec) -> PyResult<Agent> {
        let engine: Arc<dyn Engine> = Arc::from(open(&rules));
        let loaded = py.detach(|| engine.load(agent)).map_err(|error| agent_error(&error))?;
        let source = Some(engine.resolve(agent));
        Ok(Agent { source, rules, engine, loaded })
    }
}

#[pymethods]
impl Agent {
    #[new]
    #[pyo3(signature = (name, rules=None))]
    fn new(py: Python, name: PathBuf, rules: Option<&str>) -> PyResult<Agent> {
        let name = name.to_str().ok_or_else(|| {
            PyValueError::new_err(format!("the path {} is not UTF-8 text", name.display()))
        })?;
        let agent = find(name)?;
        let rules: GameSpec = match rules {
            Some(rules) => rules.parse().map_err(value_error)?,
            None => agent.rules().map_err(|error| file_error(&error))?.ok_or_else(|| {
                let (plays, example) = match agent.plays_any_game() {
                    true => ("any game: choose one", "2048"),
                    false => ("by any rules of its game: choose them", "tetris:10x10"),
                };
                value_error(format!("{agent} plays {plays}, such as rules={example:?}"))
            })?,
        };
        Agent::load(py, &agent, rules)
    }

    /// The same agent for other rules; itself if they are its own. Raises a ValueError if it cannot play
    /// by them.
    fn with_rules<'py>(slf: &Bound<'py, Agent>, rules: &str) -> PyResult<Bound<'py, Agent>> {
        let (agent, rules) = (slf.get(), rules.parse::<GameSpec>().map_err(value_error)?);
        if rules == agent.rules {
            return Ok(slf.clone());
        }
        let Some(source) = &agent.source else {
            let (own, name) = (&agent.rules, agent.name());
            return Err(value_error(format!("the agent {name} plays {own} only, not {rules}")));
        };
        Bound::new(slf.py(), Agent::load(slf.py(), source, rules)?)
    }

    /// The name, or the path of the file.
    #[getter]
    fn name(&self) -> &str {
        self.loaded.name()
    }

    /// The rules that it was loaded for, in their shortest form.
    #[getter]
    fn rules(&self) -> String {
        self.rules.to_string()
    }

    /// What the agent is, what trained it and how strong it is, as a dictionary.
    #[getter]
    fn card<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.source {
            Some(source) => {
                let card = AgentCard::of(source).map_err(|error| file_error(&error))?;
                to_python(py, &card)
            }
            None => {
                let card = [("agent", self.name()), ("game", &self.rules())];
                to_python(py, &std::collections::BTreeMap::from(card))
            }
        }
    }

    /// The weights, by the names that they have in the agent's file: read-only arrays on the agent's own
    /// memory, which they keep alive. Of a network with 16-bit weights, `scale` has one factor per tuple.
    /// Empty for an agent without weights.
    ///
    ///     >>> import afterstate
    ///     >>> agent = afterstate.load("tetris-10x10")
    ///     >>> agent.weights["weights"].dtype, agent.weights["weights"].flags.writeable
    ///     (dtype('float32'), False)
    #[getter]
    fn weights<'py>(slf: &Bound<'py, Agent>) -> PyResult<Bound<'py, PyDict>> {
        let (agent, weights) = (slf.get(), PyDict::new(slf.py()));
        for (name, tensor) in agent.engine.tensors(&agent.loaded).map_err(value_error)? {
            let array = match tensor {
                Tensor::Floats(numbers) => view(slf, numbers)?,
                Tensor::Longs(numbers) => view(slf, numbers)?,
                // Atomics have the representation of the numbers that they hold.
                Tensor::FloatBits(words) => {
                    view_at::<f32>(slf, words.as_ptr().cast(), words.len())?
                }
                Tensor::Shorts(words) => view_at::<i16>(slf, words.as_ptr().cast(), words.len())?,
                _ => continue,
            };
            weights.set_item(name, array)?;
        }
        Ok(weights)
    }

    /// The values of boards, afterstates as `Batch.afterstates` and `Batch.cells` have them: an array of
    /// shape (n, rows, columns) gives n numbers. A move is worth its reward plus the value of the board
    /// after it. Only networks and exact solutions have such values, the latter 0 for boards that play
    /// cannot reach; `move_values` works for others, too.
    ///
    ///     >>> import afterstate
    ///     >>> agent = afterstate.solve("2048:2x2").agent
    ///     >>> round(float(agent.values([[[3, 2], [0, 1]]])[0]), 2)
    ///     46.49
    fn values<'py>(
        &self,
        py: Python<'py>,
        boards: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let boards = read_boards(boards)?;
        let shape = boards.shape();
        let one = self.engine.batch(1, 0);
        let (rows, columns) = (one.cells() / one.columns(), one.columns());
        if shape[1..] != [rows, columns] {
            return Err(PyValueError::new_err(format!(
                "boards of shape ({}, {}, {}): expected (n, {rows}, {columns})",
                shape[0], shape[1], shape[2]
            )));
        }
        let (cells, mut values) = (boards.as_slice()?, vec![0.0; shape[0]]);
        let parts = cells.chunks(BOARDS * rows * columns).zip(values.chunks_mut(BOARDS));
        for (part, (cells, values)) in parts.enumerate() {
            let found = py.detach(|| self.engine.values(&self.loaded, cells, values));
            found.map_err(|error| match error {
                ValuesError::Cell { board, cell, max } => {
                    value_error(ValuesError::Cell { board: part * BOARDS + board, cell, max })
                }
                error => value_error(error),
            })?;
            py.check_signals()?;
        }
        Ok(values.into_pyarray(py))
    }

    /// The values of all legal moves of a batch, rewards included, in the order of
    /// `Batch.afterstates`.
    fn move_values<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'py, Batch>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let batch = batch.try_borrow().map_err(value_error)?;
        let (games, mut values) = (&batch.batch, Vec::new());
        for first in (0..games.games()).step_by(GAMES) {
            let part = first..games.games().min(first + GAMES);
            let found = py.detach(|| games.agent_values(part, &self.loaded, &mut values));
            if !found.map_err(value_error)? {
                let name = self.name();
                return Err(value_error(format!("{name} has no values: it only chooses moves")));
            }
            py.check_signals()?;
        }
        Ok(values.into_pyarray(py))
    }

    /// The action that the agent plays in every game of a batch; 0 in a game that is over. With the same
    /// seed the games are those of `evaluate`.
    ///
    /// Args:
    ///     batch: The games, of the rules that the agent was loaded for.
    ///     search: How far it looks ahead: "greedy", "expectimax:2", "expectimax:50ms", ...
    ///     threads: Threads to search on; one per core if None.
    ///
    ///     >>> import afterstate
    ///     >>> agent, batch = afterstate.load("tetris-10x10"), afterstate.Batch("tetris:10x10", games=4)
    ///     >>> batch.step(agent.choose(batch))
    ///     >>> batch.illegal.any()
    ///     np.False_
    #[pyo3(signature = (batch, search="greedy", threads=1))]
    fn choose<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'py, Batch>,
        search: &str,
        #[pyo3(from_py_with = optional)] threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let (search, threads) = (parse_search(search)?, parse_threads(threads)?);
        let mut batch = batch.try_borrow_mut().map_err(value_error)?;
        let games = &mut batch.batch;
        let mut actions = vec![0; games.games()];
        let loaded = self.loaded.clone();
        if search.is_greedy() {
            let never = AtomicBool::new(false);
            let slice = GAMES * threads;
            for (number, part) in actions.chunks_mut(slice).enumerate() {
                let first = number * slice;
                py.detach(|| games.agent_actions(first, &loaded, &search, threads, &never, part))
                    .map_err(value_error)?;
                py.check_signals()?;
            }
            return Ok(actions.into_pyarray(py));
        }
        // One move may take minutes: a copy of the games is searched, which can be left behind.
        let mut copy = games.copy();
        let work = move |stop: &AtomicBool| {
            let found = copy.agent_actions(0, &loaded, &search, threads, stop, &mut actions);
            found.map(|()| (copy, actions))
        };
        let searched = interruptible(py, OnInterrupt::Leave, work, |_| Ok(()))?;
        let (copy, actions) = searched.map_err(value_error)?;
        *games = copy;
        Ok(actions.into_pyarray(py))
    }

    /// Every legal move of a position with its value, the best first, and the reasons: an `Analysis`.
    ///
    /// Args:
    ///     position: The position as text, as `Batch.state` has it, or rows such as [[2, 0, 0, 2], ...],
    ///         the tiles of 2048, or a dictionary such as {"pieces": "T", "board": ["#..#", ...]}.
    ///     search: "greedy", "expectimax:3", "expectimax:50ms", ...
    ///     threads: Threads to search on; one per core if None.
    ///
    ///     >>> import afterstate
    ///     >>> found = afterstate.load("tetris-10x10").analyze("I|###.######|###.######")
    ///     >>> found.best.reward, len(found.moves)
    ///     (2.0, 17)
    #[pyo3(signature = (position, search="greedy", threads=None))]
    fn analyze<'py>(
        &self,
        position: &Bound<'py, PyAny>,
        search: &str,
        #[pyo3(from_py_with = optional)] threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, search, threads) = (position.py(), parse_search(search)?, parse_threads(threads)?);
        let position = match position.extract::<String>() {
            Ok(text) => text,
            Err(_) if position.hasattr("tolist")? => json(&position.call_method0("tolist")?)?,
            Err(_) => json(position)?,
        };
        let position = board_json::text(position).map_err(value_error)?;
        let (engine, loaded) = (Arc::clone(&self.engine), self.loaded.clone());
        let work = move |_: &AtomicBool| {
            let analyzer = engine.analyzer(&loaded, &search, threads).map_err(value_error)?;
            let none = || value_error(format!("{} has no values to analyze with", loaded.name()));
            analyzer.ok_or_else(none)?.analyze(&position).map_err(value_error)
        };
        let analysis = interruptible(py, OnInterrupt::Leave, work, |_| Ok(()))??;
        let found = to_python(py, &analysis)?;
        py.import("afterstate.analysis")?.call_method1("_analysis", (found,))
    }

    fn __repr__(&self) -> String {
        format!("Agent({:?}, rules={:?})", self.name(), self.rules())
    }

    /// Agents do not change: a copy is the same agent.
    fn __copy__(slf: Py<Agent>) -> Py<Agent> {
        slf
    }

    fn __deepcopy__(slf: Py<Agent>, _memo: &Bound<'_, PyAny>) -> Py<Agent> {
        slf
    }

    /// By name or by absolute path: a pickle holds no weights.
    fn __reduce__<'py>(
        slf: &Bound<'py, Agent>,
    ) -> PyResult<(Bound<'py, PyType>, (PathBuf, String))> {
        let agent = slf.get();
        let name = match &agent.source {
            Some(AgentName::File(path)) => std::path::absolute(path)?,
            Some(source) => source.to_string().into(),
            None => {
                return Err(PyTypeError::new_err(format!(
                    "{} is in memory only: save it, load the file and pickle that agent",
                    agent.name()
                )));
            }
        };
        Ok((slf.get_type(), (name, agent.rules())))
    }
}

/// All agents by name, as dictionaries, and sentences on files that could not be read.
#[pyfunction]
pub(crate) fn agent_list(py: Python<'_>) -> PyResult<(Bound<'_, PyAny>, Vec<String>)> {
    let (all, unreadable) = catalogue::list().map_err(|error| run_error(&error))?;
    Ok((to_python(py, &all)?, unreadable.iter().map(ToString::to_string).collect()))
}
