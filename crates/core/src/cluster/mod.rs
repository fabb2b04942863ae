//! `Cluster`: other machines that work for this one. Work is a job, which all machines are told once,
//! and its tasks, which are plain text; an answer is bytes. Who schedules the tasks is not known here.

mod in_process;
mod pace;
mod shards;

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

pub use in_process::InProcess;
pub use shards::{Part, Shards};

/// What all tasks of a job share.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Job {
    /// What kind of work it is, such as `evaluation`.
    pub kind: String,
    /// The rules of the game.
    pub rules: String,
    /// The settings of the job, as its kind writes them.
    pub settings: String,
    /// What is too large for the settings, such as the file of an agent.
    pub data: Vec<u8>,
    /// The most seconds that a task should take: one that takes longer gets a second copy. `None` if other
    /// tasks of its kind tell how long that is.
    pub seconds: Option<f64>,
}

/// A job as a worker has prepared it: it does one task after the other.
pub trait Work: Send + Sync {
    /// Does a task. The answer depends on the job and the task alone, so that a task may be done
    /// twice and anywhere.
    fn perform(&self, task: &str) -> Result<Vec<u8>, WorkError>;
}

/// Why a task cannot be done.
pub type WorkError = Box<dyn std::error::Error + Send + Sync>;

/// What the machines of a cluster have done so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterStatus {
    /// Machines, as the cluster counts them.
    pub nodes: usize,
    /// Tasks that can run at the same time.
    pub workers: usize,
    /// Tasks that were answered.
    pub tasks: u64,
    /// Tasks that were begun again, since their worker or machine was lost.
    pub lost: u64,
    /// Second copies of tasks that took much longer than others.
    pub copies: u64,
    /// Where a browser shows the cluster.
    pub dashboard: Option<String>,
}

/// A cluster cannot be reached, or cannot do a task; in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ClusterError(pub String);

/// Machines that do tasks.
pub trait Cluster: Send + Sync {
    /// Tells all machines a job.
    fn open(&self, job: &Job) -> Result<Box<dyn OpenJob>, ClusterError>;

    /// What they have done, and how many they are now.
    fn status(&self) -> ClusterStatus;
}

/// A job whose tasks can be handed out. Dropping it drops the tasks that are not answered.
pub trait OpenJob: Send {
    /// Hands out a task.
    fn submit(&mut self, number: usize, task: &str) -> Result<(), ClusterError>;

    /// Waits for answers, at most so long.
    fn answers(&mut self, wait: Duration) -> Result<Vec<Answer>, ClusterError>;
}

/// The answer to a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The number that the task was handed out with.
    pub number: usize,
    /// The seconds that the worker took.
    pub seconds: f64,
    /// What it answered.
    pub bytes: Vec<u8>,
}

/// The cluster of this process.
static CONNECTED: RwLock<Option<Arc<dyn Cluster>>> = RwLock::new(None);

/// Makes a cluster that of this process: [`Device::Cluster`](crate::Device::Cluster) is it from now
/// on.
pub fn connect(cluster: Arc<dyn Cluster>) {
    *CONNECTED.write().unwrap_or_else(PoisonError::into_inner) = Some(cluster);
}

/// The cluster of this process.
pub fn connected() -> Result<Arc<dyn Cluster>, ClusterError> {
    let cluster = CONNECTED.read().unwrap_or_else(PoisonError::into_inner).clone();
    let missing = || ClusterError("this process is connected to no cluster: use --cluster".into());
    cluster.ok_or_else(missing)
}
