//! Errors of the program as exceptions of Python: `OSError` for files, `ValueError` for the rest.

use std::fmt::Display;
use std::io;

use afterstate_agents::AgentError;
use afterstate_agents::evaluate::EvaluateError;
use afterstate_session::ReplayError;
use afterstate_train::run::RunError;
use afterstate_values::AgentFileError;
use afterstate_values::file::Problem;
use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyMemoryError, PyOSError, PyPermissionError,
    PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;
use serde::Serialize;

/// An error of the program as a `ValueError`.
pub(crate) fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// An error of the system as the `OSError` of its kind, with a sentence of the program.
pub(crate) fn os_error(kind: io::ErrorKind, message: impl Display) -> PyErr {
    let message = message.to_string();
    match kind {
        io::ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
        io::ErrorKind::PermissionDenied => PyPermissionError::new_err(message),
        io::ErrorKind::AlreadyExists => PyFileExistsError::new_err(message),
        _ => PyOSError::new_err(message),
    }
}

pub(crate) fn file_error(error: &AgentFileError) -> PyErr {
    match &error.problem {
        Problem::Read(io) | Problem::Write(io) => os_error(io.kind(), error),
        Problem::Memory(_) => PyMemoryError::new_err(error.to_string()),
        _ => value_error(error),
    }
}

pub(crate) fn agent_error(error: &AgentError) -> PyErr {
    match error {
        AgentError::File(file) => file_error(file),
        error => value_error(error),
    }
}

pub(crate) fn evaluate_error(error: &EvaluateError) -> PyErr {
    match error {
        EvaluateError::Agent(agent) => agent_error(agent),
        error => value_error(error),
    }
}

pub(crate) fn run_error(error: &RunError) -> PyErr {
    match error {
        RunError::File(_, io) | RunError::Observer(io) => os_error(io.kind(), error),
        RunError::Missing(_) => PyFileNotFoundError::new_err(error.to_string()),
        RunError::Taken(path) => PyFileExistsError::new_err(format!(
            "{path} already has a run: choose another folder, or resume it with resume={path:?}"
        )),
        RunError::Locked(_) => PyOSError::new_err(error.to_string()),
        RunError::Agent(file) => file_error(file),
        RunError::Measure(error) => evaluate_error(error),
        error => value_error(error),
    }
}

pub(crate) fn replay_error(path: impl Display, error: &ReplayError) -> PyErr {
    match error {
        ReplayError::Read(io) => os_error(io.kind(), format!("{path}: {error}")),
        error => value_error(format!("{path}: {error}")),
    }
}

/// What cannot happen, if it does.
pub(crate) fn bug(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("{what}: this is a bug of afterstate"))
}

/// Plain data as objects of Python, by way of JSON.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    data: &impl Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(data).map_err(|_| bug("a result cannot be written"))?;
    py.import("json")?.call_method1("loads", (text,))
}
