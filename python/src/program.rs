//! The program, as the package puts it on the path.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::cluster::told;

/// Runs the program with the words after its name and returns its exit code. `connect` is called with
/// the address of a cluster if the words have one.
#[pyfunction]
pub(crate) fn main(py: Python, words: Vec<OsString>, connect: Py<PyAny>) -> u8 {
    let connect = move |address: &str| {
        Python::attach(|py| connect.call1(py, (address,)).map(drop).map_err(|e| told(py, &e)))
    };
    let words = [OsString::from("afterstate")].into_iter().chain(words);
    py.detach(|| afterstate::run_with(words, Some(&connect)))
}
