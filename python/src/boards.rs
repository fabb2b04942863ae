//! Boards and positions from Python for an agent, and its weights as arrays.

use numpy::ndarray::{ArrayView1, Ix3};
use numpy::{Element, PyArray1, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::agent::Agent;
use crate::arrays::readonly;

/// An object of Python as JSON.
pub(crate) fn json(object: &Bound<'_, PyAny>) -> PyResult<String> {
    object.py().import("json")?.call_method1("dumps", (object,))?.extract()
}

/// A read-only array on numbers of the agent.
pub(crate) fn view<'py, T: Element>(
    agent: &Bound<'py, Agent>,
    numbers: &[T],
) -> PyResult<Bound<'py, PyAny>> {
    view_at(agent, numbers.as_ptr(), numbers.len())
}

/// A read-only array on memory of the agent's model.
#[allow(unsafe_code)]
pub(crate) fn view_at<'py, T: Element>(
    agent: &Bound<'py, Agent>,
    numbers: *const T,
    length: usize,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the pointer and the length are those of a slice of the model, which the agent keeps
    // alive and nobody changes: the agent is frozen, and models change only by exclusive references.
    // The array keeps the agent alive as its base.
    let array = unsafe {
        let view = ArrayView1::from_shape_ptr(length, numbers);
        PyArray1::borrow_from_array(&view, agent.clone().into_any())
    };
    array.call_method1("setflags", (false,))?;
    Ok(array.into_any())
}

/// Boards as bytes: an array of those without a copy, or of any other integers from 0 to 255.
pub(crate) fn read_boards<'py>(boards: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray3<'py, u8>> {
    if let Some(array) = readonly::<u8, Ix3>(boards)?
        && array.is_c_contiguous()
    {
        return Ok(array);
    }
    let numpy = boards.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (boards,))?;
    let (shape, dtype) = (array.getattr("shape")?, array.getattr("dtype")?);
    let kind: String = dtype.getattr("kind")?.extract()?;
    if !["i", "u"].contains(&kind.as_str()) {
        return Err(PyTypeError::new_err(format!(
            "boards of shape {shape} and type {dtype}: expected integers, the powers of two of 2048 \
             or 0 and 1"
        )));
    }
    if shape.len()? != 3 {
        return Err(PyValueError::new_err(format!(
            "boards of shape {shape}: expected three dimensions, boards, rows and columns"
        )));
    }
    if array.getattr("size")?.extract::<usize>()? > 0 {
        let (low, high): (i128, i128) =
            (array.call_method0("min")?.extract()?, array.call_method0("max")?.extract()?);
        if low < 0 || high > 255 {
            return Err(PyValueError::new_err(format!(
                "boards with cells of {low} to {high}: expected 0 to 255"
            )));
        }
    }
    let kwargs = PyDict::new(boards.py());
    kwargs.set_item("dtype", "uint8")?;
    let bytes = numpy.call_method("ascontiguousarray", (array,), Some(&kwargs))?;
    bytes.extract()
}
