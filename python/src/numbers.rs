//! Whole numbers from Python: one that does not fit raises, with a sentence.

use pyo3::exceptions::{PyIndexError, PyOverflowError, PyValueError};
use pyo3::prelude::*;

/// A number of games, moves or threads, or a seed.
pub(crate) fn whole<T: TryFrom<u64>>(given: &Bound<'_, PyAny>) -> PyResult<T> {
    let number = given.extract::<u64>().map(T::try_from);
    match number {
        Ok(Ok(number)) => Ok(number),
        Err(error) if !error.is_instance_of::<PyOverflowError>(given.py()) => Err(error),
        _ => Err(PyValueError::new_err(format!(
            "invalid number {given}: expected a whole number from 0 to {}",
            u64::MAX
        ))),
    }
}

/// The same, or none.
pub(crate) fn optional<T: TryFrom<u64>>(given: &Bound<'_, PyAny>) -> PyResult<Option<T>> {
    if given.is_none() { Ok(None) } else { whole(given).map(Some) }
}

/// The number of a game of a batch.
pub(crate) fn index(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    given.extract().map_err(|error: PyErr| {
        if !error.is_instance_of::<PyOverflowError>(given.py()) {
            return error;
        }
        PyIndexError::new_err(format!("there is no game {given}: expected 0 or more"))
    })
}
