//! The work of experiments on a cluster, beside that of evaluations and learners.

use afterstate_core::cluster::{Job, Work, WorkError};
use afterstate_engine::cluster;

use crate::carr;

/// Prepares a job that another process has written: of an experiment, an evaluation or a learner.
pub fn prepare(job: &Job) -> Result<Box<dyn Work>, WorkError> {
    carr::prepare(job).unwrap_or_else(|| cluster::prepare(job))
}
