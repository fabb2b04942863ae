//! The arrays of a batch: made once, lent to the games for a step, and actions from any integers.

use afterstate_engine::GameBatch;
use numpy::ndarray::{Dimension, Ix1};
use numpy::{
    Element, PyArray, PyArray1, PyArray2, PyArray3, PyArrayDescrMethods, PyArrayMethods,
    PyReadonlyArray, PyReadonlyArray1, PyReadwriteArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PySlice;

/// The most games of a batch.
const MAX_GAMES: usize = 1 << 24;

/// The most threads of a batch.
const MAX_THREADS: usize = 256;

/// The most bytes of the arrays of a batch: 8 GiB.
const MAX_BYTES: u64 = 8 << 30;

/// Refuses batches of no or too many games or threads.
pub(crate) fn ensure_numbers(games: usize, threads: usize) -> PyResult<()> {
    for (what, given, most) in [("games", games, MAX_GAMES), ("threads", threads, MAX_THREADS)] {
        if !(1..=most).contains(&given) {
            let message = format!("invalid number of {what} {given}: expected 1 to {most}");
            return Err(PyValueError::new_err(message));
        }
    }
    Ok(())
}

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
    pub(crate) fn new(py: Python, batch: &dyn GameBatch, masks: bool) -> PyResult<Arrays> {
        let (games, columns) = (batch.games(), batch.columns());
        let rows = batch.cells() / columns;
        let legal = if masks { [games, batch.actions()] } else { [0, batch.actions()] };
        Ok(Arrays {
            cells: zeros(py, [games, rows, columns])?,
            pieces: zeros(py, [games, batch.piece_slots()])?,
            legal: zeros(py, legal)?,
        })
    }
}

/// The address of an array is a multiple of this: XLA copies others.
const ALIGNMENT: usize = 64;

/// An array of zeros that other packages can take without a copy.
pub(crate) fn zeros<T: Element, D: Dimension, const N: usize>(
    py: Python,
    shape: [usize; N],
) -> PyResult<Py<PyArray<T, D>>> {
    let kind = T::get_dtype(py);
    let bytes = shape.iter().product::<usize>() * kind.itemsize();
    let memory = PyArray1::<u8>::zeros(py, bytes + ALIGNMENT, false);
    let first = memory.data().align_offset(ALIGNMENT);
    let part = PySlice::new(py, first as isize, (first + bytes) as isize, 1);
    let array = memory.get_item(part)?.call_method1("view", (kind,))?;
    let array = array.call_method1("reshape", (shape.to_vec(),))?;
    Ok(array.cast_into::<PyArray<T, D>>()?.unbind())
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
    // NumPy lets the type of an array be changed in place.
    if array.dtype().itemsize() != size_of::<T>() {
        return Err(changed());
    }
    array.as_slice_mut().map_err(|_| changed())
}

/// Arrays that no longer are what they were made as.
pub(crate) fn changed() -> PyErr {
    PyValueError::new_err(
        "the shape or type of an array of the batch was changed: make a new batch",
    )
}

pub(crate) fn in_use(error: numpy::BorrowError) -> PyErr {
    PyValueError::new_err(match error {
        numpy::BorrowError::NotWriteable => {
            "an array of the batch is read-only: the batch writes it"
        }
        _ => "the arrays of the batch are in use by another call",
    })
}

/// An array of that type and number of dimensions, if it is one. Another thread may be writing it.
pub(crate) fn readonly<'py, T: Element, D: Dimension>(
    given: &Bound<'py, PyAny>,
) -> PyResult<Option<PyReadonlyArray<'py, T, D>>> {
    let array = given.cast::<PyArray<T, D>>().ok();
    array.map(|array| array.try_readonly().map_err(in_use)).transpose()
}

/// One truth value per game, from an array or from what NumPy makes one of.
pub(crate) fn read_mask(given: &Bound<'_, PyAny>, games: usize) -> PyResult<Vec<bool>> {
    let made = given.py().import("numpy")?.call_method1("asarray", (given,))?;
    let Some(mask) = readonly::<bool, Ix1>(&made)? else {
        let (shape, kind) = (made.getattr("shape")?, made.getattr("dtype")?);
        return Err(PyTypeError::new_err(format!(
            "a mask of shape {shape} and type {kind}: expected {games} of type bool"
        )));
    };
    if mask.len() != games {
        let message = format!("a mask of {} for {games} games: expected one per game", mask.len());
        return Err(PyValueError::new_err(message));
    }
    Ok(mask.as_array().to_vec())
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
            $(if let Some(array) = readonly::<$integer, Ix1>($array)? {
                return read_array(&array, numbers);
            })+
        };
    }
    read!(given; i64, i32, u32, u8, u64, i16, u16, i8);
    let made = given.py().import("numpy")?.call_method1("asarray", (given,))?;
    read!(&made; i64, i32, u32, u8, u64, i16, u16, i8);
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
