//! The program, as the package puts it on the path.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the program with the words after its name and returns its exit code.
#[pyfunction]
pub(crate) fn main(py: Python, words: Vec<OsString>) -> u8 {
    py.detach(|| afterstate::run([OsString::from("afterstate")].into_iter().chain(words)))
}
