//! The arrays of a batch: made once, lent to the games for a step, and actions from any integers.

use afterstate_engine::GameBatch;
use numpy::{Element, PyArray1, PyArray2, PyArray3, PyReadonlyArray1, PyReadwriteArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// The most bytes of the arrays of a batch: 8 GiB.
const MAX_BYTES: u64 = 8 << 30;

/// Refuses batches of so many games that their arrays would be too large; `one` has one of them.
pub(crate) fn ensure_memory(one: &dyn GameBatch, games: usize, masks: bool) -> PyResult<()> {
    let row = one.cells() + one.piece_slots() + one.actions() * usize::from(masks) + 256;
    let bytes = games as u64 * row as u64;
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    Err(PyValueError::new_err(format!(
        "{games} games need {} MiB: expected at most {} MiB; fewer games, or masks=False",
        bytes >> 20,
        MAX_BYTES >> 20
    )))
}

/// What a player sees of every game, in arrays.
pub(crate) struct Arrays {
    pub(crate) cells: Py<PyArray3<u8>>,
    pub(crate) pieces: Py<PyArray2<u8>>,
    pub(crate) legal: Py<PyArray2<bool>>,
}

impl Arrays {
    pub(crate) fn new(py: Python, batch: &dyn GameBatch, masks: bool) -> Arrays {
        let (games, columns) = (batch.games(), batch.columns());
        let rows = batch.cells() / columns;
        let legal = if masks { [games, batch.actions()] } else { [0, batch.actions()] };
        Arrays {
            cells: PyArray3::zeros(py, [games, rows, columns], false).unbind(),
            pieces: PyArray2::zeros(py, [games, batch.piece_slots()], false).unbind(),
            legal: PyArray2::zeros(py, legal, false).unbind(),
        }
    }
}

/// Borrows the arrays for writing, calls a function with their slices, and gives them back.
macro_rules! with_slices {
    ($py:ident, $($name:ident = $array:expr),+; $call:expr) => {{
        $(let mut $name = $array.bind($py).try_readwrite().map_err(in_use)?;)+
        $(let $name = slice(&mut $name)?;)+
        $call
    }};
}

pub(crate) fn slice<'a, T: Element, D: numpy::ndarray::Dimension>(
    array: &'a mut PyReadwriteArray<'_, T, D>,
) -> PyResult<&'a mut [T]> {
    array.as_slice_mut().map_err(|_| PyValueError::new_err("an array of the batch was reshaped"))
}

pub(crate) fn in_use(_: numpy::BorrowError) -> PyErr {
    PyValueError::new_err("the arrays of the batch are in use by another call")
}

/// The numbers of actions; one that is below 0 or too large is that of no action.
pub(crate) fn read_array<T: Element + Copy + TryInto<u32>>(
    given: &PyReadonlyArray1<'_, T>,
    numbers: &mut [u32],
) -> PyResult<()> {
    let given = given.as_array();
    if given.len() != numbers.len() {
        return Err(PyValueError::new_err(format!(
            "{} actions for {} games: expected one per game",
            given.len(),
            numbers.len()
        )));
    }
    for (number, &action) in numbers.iter_mut().zip(given) {
        *number = action.try_into().unwrap_or(u32::MAX);
    }
    Ok(())
}

/// Actions from an array of integers of any size, or from what NumPy makes one of.
pub(crate) fn read_actions(given: &Bound<'_, PyAny>, numbers: &mut [u32]) -> PyResult<()> {
    macro_rules! read {
        ($array:expr; $($integer:ty),+) => {
            $(if let Ok(array) = $array.extract::<PyReadonlyArray1<'_, $integer>>() {
                return read_array(&array, numbers);
            })+
        };
    }
    read!(given; i64, i32, u32, u8, u64, i16, u16, i8);
    let made = given.py().import("numpy")?.call_method1("asarray", (given,))?;
    read!(made; i64, i32, u32, u8, u64, i16, u16, i8);
    let (shape, kind) = (made.getattr("shape")?, made.getattr("dtype")?);
    Err(PyTypeError::new_err(format!(
        "actions of shape {shape} and type {kind}: expected {} integers",
        numbers.len()
    )))
}
pub(crate) use with_slices;

/// Where the moves of each game begin, their actions, their rewards, and the boards after them.
pub(crate) type Moves<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<f32>>,
    Bound<'py, PyArray3<u8>>,
);
