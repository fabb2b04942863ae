//! `InProcess`: a cluster of threads of this process, the reference implementation. Answers come in
//! an order of their own, and every seventh task is done twice, as real clusters do.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Answer, Cluster, ClusterError, ClusterStatus, Job, OpenJob, Work, WorkError};

/// Prepares a job for a worker.
type Prepare = dyn Fn(&Job) -> Result<Box<dyn Work>, WorkError> + Send + Sync;

/// Threads that do tasks.
pub struct InProcess {
    workers: usize,
    prepare: Arc<Prepare>,
    tasks: Arc<AtomicU64>,
    dashboard: Option<String>,
}

impl InProcess {
    /// So many workers, who prepare jobs by a function.
    pub fn new(
        workers: usize,
        prepare: impl Fn(&Job) -> Result<Box<dyn Work>, WorkError> + Send + Sync + 'static,
    ) -> InProcess {
        InProcess { workers, prepare: Arc::new(prepare), tasks: Arc::default(), dashboard: None }
    }

    /// The same, with an address at which a browser would show them.
    pub fn shown_at(self, url: &str) -> InProcess {
        InProcess { dashboard: Some(url.to_owned()), ..self }
    }
}

impl Cluster for InProcess {
    fn open(&self, job: &Job) -> Result<Box<dyn OpenJob>, ClusterError> {
        let work: Arc<dyn Work> = (self.prepare)(job).map_err(|error| told(&error))?.into();
        let (tasks, waiting) = channel::<(usize, String)>();
        let (answers, answered) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..self.workers {
            let (work, waiting, answers) = (work.clone(), waiting.clone(), answers.clone());
            thread::spawn(move || serve(&*work, &waiting, &answers));
        }
        let done = Arc::clone(&self.tasks);
        Ok(Box::new(Threads { tasks, answered, done }))
    }

    fn status(&self) -> ClusterStatus {
        let (tasks, dashboard) = (self.tasks.load(Ordering::Relaxed), self.dashboard.clone());
        let (nodes, workers) = (1, self.workers);
        ClusterStatus { nodes, workers, tasks, dashboard, ..ClusterStatus::default() }
    }
}

fn told(error: &WorkError) -> ClusterError {
    ClusterError(error.to_string())
}

type Answered = Result<Answer, ClusterError>;

/// The threads of a job. They end when it is dropped.
struct Threads {
    tasks: Sender<(usize, String)>,
    answered: Receiver<Answered>,
    done: Arc<AtomicU64>,
}

/// Does tasks until there are no more.
fn serve(work: &dyn Work, waiting: &Mutex<Receiver<(usize, String)>>, answers: &Sender<Answered>) {
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, task)) = next else { return };
        let copies = if number % 7 == 6 { 2 } else { 1 };
        for _ in 0..copies {
            let clock = Instant::now();
            let answer = work.perform(&task).map_err(|error| told(&error)).map(|bytes| {
                let seconds = clock.elapsed().as_secs_f64();
                Answer { number, seconds, bytes }
            });
            if answers.send(answer).is_err() {
                return;
            }
        }
    }
}

impl OpenJob for Threads {
    fn submit(&mut self, number: usize, task: &str) -> Result<(), ClusterError> {
        let sent = self.tasks.send((number, task.to_owned()));
        sent.map_err(|_| ClusterError("all workers are gone".to_owned()))
    }

    fn answers(&mut self, wait: Duration) -> Result<Vec<Answer>, ClusterError> {
        let Ok(first) = self.answered.recv_timeout(wait) else { return Ok(Vec::new()) };
        let mut answers: Vec<Answer> =
            [first].into_iter().chain(self.answered.try_iter()).collect::<Result<_, _>>()?;
        self.done.fetch_add(answers.len() as u64, Ordering::Relaxed);
        // Later tasks first.
        answers.sort_unstable_by_key(|answer| std::cmp::Reverse(answer.number));
        Ok(answers)
    }
}
