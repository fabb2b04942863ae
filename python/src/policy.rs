//! What a policy written in Python needs of a batch: boards to value, the best moves by these values,
//! and the results of its games.

use afterstate_engine::SearchTree;
use numpy::{IntoPyArray, PyArray1, PyArray3, PyArrayMethods};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::arrays::in_use;
use crate::batch::Batch;
use crate::errors::{evaluate_error, value_error};
use crate::evaluation::{Played, settings};
use crate::numbers::{optional, whole};

/// The deepest tree: there is no memory for deeper ones.
const MAX_PLIES: u32 = 8;

/// The moves and chance outcomes of some games of a batch, whose boards are valued in one call.
#[pyclass(module = "afterstate._native", frozen)]
pub(crate) struct Tree {
    tree: SearchTree,
    rows: usize,
    columns: usize,
}

#[pymethods]
impl Tree {
    /// The number of games.
    #[getter]
    fn games(&self) -> usize {
        self.tree.games()
    }

    /// The different boards at its leaves, afterstates of the last ply.
    fn boards<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let shape = [self.tree.boards(), self.rows, self.columns];
        PyArray1::from_slice(py, self.tree.cells()).reshape(shape)
    }

    /// The best action of each game by the values of the boards.
    fn best<'py>(
        &self,
        py: Python<'py>,
        values: &Bound<'py, PyArray1<f32>>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let values = values.try_readonly().map_err(in_use)?.as_array().to_vec();
        let (found, expected) = (values.len(), self.tree.boards());
        if found != expected {
            return Err(value_error(format!("{found} values for {expected} boards")));
        }
        Ok(py.detach(|| self.tree.best(&values)).into_pyarray(py))
    }
}

/// The tree of the games from the first on, of as many as have at most that many boards.
#[pyfunction]
pub(crate) fn tree(
    py: Python,
    batch: &Bound<'_, Batch>,
    first: usize,
    plies: u32,
    boards: usize,
) -> PyResult<Tree> {
    let batch = batch.try_borrow().map_err(value_error)?;
    if first >= batch.batch.games() {
        return Err(PyIndexError::new_err(format!("there is no game {first}")));
    }
    if !(1..=MAX_PLIES).contains(&plies) {
        let message = format!("invalid depth of {plies} plies: expected 1 to {MAX_PLIES}");
        return Err(value_error(message));
    }
    let (games, columns) = (&batch.batch, batch.batch.columns());
    let tree = py.detach(|| games.tree(first, plies, boards)).map_err(value_error)?;
    Ok(Tree { tree, rows: games.cells() / columns, columns })
}

/// The results of the games of a batch, each from its start, as an evaluation has them.
#[pyfunction]
pub(crate) fn played(
    batch: &Bound<'_, Batch>,
    agent: String,
    search: String,
    #[pyo3(from_py_with = whole)] seed: u64,
    #[pyo3(from_py_with = optional)] moves: Option<u64>,
    seconds: f64,
) -> PyResult<Played> {
    let batch = batch.try_borrow().map_err(value_error)?;
    let settings = settings(batch.batch.games() as u64, seed, moves)?;
    let evaluation = batch.batch.summary(moves, seconds).map_err(|error| evaluate_error(&error))?;
    Ok(Played { rules: batch.rules.clone(), agent, search, settings, evaluation })
}
