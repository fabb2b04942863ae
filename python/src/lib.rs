//! `afterstate._native`: what the Python package needs of the program. Everything from Python is
//! checked here: wrong arguments raise, and nothing panics.

mod arrays;
mod batch;
mod picture;
mod saved;

use pyo3::prelude::*;

/// The compiled part of the package `afterstate`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::batch::Batch;
}

/// An error of the program as a `ValueError`.
fn value_error(error: impl std::fmt::Display) -> PyErr {
    pyo3::exceptions::PyValueError::new_err(error.to_string())
}
