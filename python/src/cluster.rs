//! A cluster that Python has connected to, and the work of its workers.

use std::sync::Arc;
use std::time::Duration;

use afterstate_core::cluster::{self, Answer, Cluster, ClusterError, ClusterStatus, Job, OpenJob};
use afterstate_engine::fingerprint;
use afterstate_reproduce::on_cluster as work;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::value_error;

/// The version of the program, how its games behave, and its sources: workers that differ are refused.
#[pyfunction]
pub(crate) fn identity() -> String {
    static FINGERPRINT: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    let behaviour = FINGERPRINT.get_or_init(fingerprint::fingerprint);
    let sources = env!("AFTERSTATE_SOURCES");
    format!(
        "afterstate {} (behaviour {behaviour:016x}, sources {sources})",
        env!("CARGO_PKG_VERSION")
    )
}

/// A job as a worker has prepared it.
#[pyclass(module = "afterstate._native", frozen)]
pub(crate) struct Work(Box<dyn cluster::Work>);

#[pymethods]
impl Work {
    /// Prepares a job.
    #[new]
    fn new(
        py: Python,
        kind: String,
        rules: String,
        settings: String,
        data: &[u8],
    ) -> PyResult<Work> {
        let job = Job { kind, rules, settings, data: data.to_vec(), seconds: None };
        py.detach(|| work::prepare(&job)).map(Work).map_err(value_error)
    }

    /// Does a task.
    fn perform<'py>(&self, py: Python<'py>, task: &str) -> PyResult<Bound<'py, PyBytes>> {
        let answer = py.detach(|| self.0.perform(task)).map_err(value_error)?;
        Ok(PyBytes::new(py, &answer))
    }
}

/// Makes a cluster that of this process.
#[pyfunction]
pub(crate) fn connect_cluster(connection: Py<PyAny>) {
    cluster::connect(Arc::new(Connection(connection)));
}

/// The connection of `afterstate.cluster`.
struct Connection(Py<PyAny>);

impl Cluster for Connection {
    fn open(&self, job: &Job) -> Result<Box<dyn OpenJob>, ClusterError> {
        Python::attach(|py| {
            let Job { kind, rules, settings, data, seconds } = job;
            let arguments = (kind, rules, settings, PyBytes::new(py, data), seconds);
            let open = self.0.call_method1(py, "open", arguments);
            open.map(|open| Box::new(Handed(open)) as Box<dyn OpenJob>).map_err(|e| told(py, &e))
        })
    }

    fn status(&self) -> ClusterStatus {
        Python::attach(|py| {
            let status = self.0.call_method0(py, "status").and_then(|status| status.extract(py));
            let (nodes, workers, tasks, lost, copies, dashboard) = status.unwrap_or_default();
            ClusterStatus { nodes, workers, tasks, lost, copies, dashboard }
        })
    }
}

/// A job of the connection.
struct Handed(Py<PyAny>);

impl OpenJob for Handed {
    fn submit(&mut self, number: usize, task: &str) -> Result<(), ClusterError> {
        Python::attach(|py| {
            let submitted = self.0.call_method1(py, "submit", (number, task));
            submitted.map(drop).map_err(|error| told(py, &error))
        })
    }

    fn answers(&mut self, wait: Duration) -> Result<Vec<Answer>, ClusterError> {
        Python::attach(|py| {
            let answers = self.0.call_method1(py, "answers", (wait.as_secs_f64(),));
            let answers = answers
                .and_then(|answers| answers.extract::<Vec<(usize, f64, Bound<PyBytes>)>>(py));
            let answer = |(number, seconds, bytes): (usize, f64, Bound<PyBytes>)| Answer {
                number,
                seconds,
                bytes: bytes.as_bytes().to_vec(),
            };
            Ok(answers.map_err(|error| told(py, &error))?.into_iter().map(answer).collect())
        })
    }
}

impl Drop for Handed {
    fn drop(&mut self) {
        // Tasks that nobody waits for; a cluster that is gone has none.
        let _ = Python::attach(|py| self.0.call_method0(py, "close").map(drop));
    }
}

/// The sentence of an exception.
pub(crate) fn told(py: Python, error: &PyErr) -> ClusterError {
    ClusterError(error.value(py).to_string())
}
