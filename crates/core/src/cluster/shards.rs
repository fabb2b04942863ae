//! `Shards`: numbered items of a job, handed out in parts and answered in order. Which items share a
//! part depends on the cluster; what is answered, and in which order, does not.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::time::{Duration, Instant};

use super::pace::Pace;
use super::{Cluster, ClusterError, Job, OpenJob};

/// So many parts are handed out before answers are read again: they tell how long items take.
const BURST: usize = 32;

/// The answer to some of the items.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The items.
    pub items: Range<usize>,
    /// What the worker answered.
    pub bytes: Vec<u8>,
}

/// The items of a job that are handed out, and their answers.
pub struct Shards {
    job: Box<dyn OpenJob>,
    items: usize,
    /// The most items of a part.
    most: usize,
    /// Whether answers wait for those of earlier items.
    in_order: bool,
    /// The first item that is not handed out.
    next: usize,
    /// How many items have been answered; in order, the first whose answer has not been returned.
    returned: usize,
    /// The parts in the hands of workers since when, by their first item.
    out: HashMap<usize, (Range<usize>, Duration)>,
    /// Parts that were answered before an earlier one.
    waiting: BTreeMap<usize, Part>,
    pace: Pace,
    begun: Instant,
}

impl Shards {
    /// A job with items from 0 on.
    pub fn new(cluster: &dyn Cluster, job: &Job, items: usize) -> Result<Shards, ClusterError> {
        let (out, waiting) = (HashMap::new(), BTreeMap::new());
        let (job, most, begun) = (cluster.open(job)?, usize::MAX, Instant::now());
        let pace = Pace::default();
        let in_order = true;
        Ok(Shards { job, items, most, in_order, next: 0, returned: 0, out, waiting, pace, begun })
    }

    /// The same; every part is one item.
    pub fn one_by_one(self) -> Shards {
        Shards { most: 1, ..self }
    }

    /// The same; answers are returned as they come, so that those of long items can be saved at once.
    pub fn in_any_order(self) -> Shards {
        Shards { in_order: false, ..self }
    }

    /// Whether all answers have been returned.
    pub fn is_done(&self) -> bool {
        self.returned == self.items
    }

    /// The number of items.
    pub fn items(&self) -> usize {
        self.items
    }

    /// Hands out parts, as `task` writes them, and waits for answers, at most so long. Returns the
    /// next answers in the order of the items, as far as there are no gaps, or all of them.
    pub fn advance(
        &mut self,
        cluster: &dyn Cluster,
        wait: Duration,
        task: &dyn Fn(Range<usize>) -> String,
    ) -> Result<Vec<Part>, ClusterError> {
        self.advance_at(self.begun.elapsed(), cluster, wait, task)
    }

    /// The same, so long after the job was opened.
    fn advance_at(
        &mut self,
        now: Duration,
        cluster: &dyn Cluster,
        wait: Duration,
        task: &dyn Fn(Range<usize>) -> String,
    ) -> Result<Vec<Part>, ClusterError> {
        let workers = cluster.status().workers.max(1);
        // One part for each worker, and some that wait for the first to be free.
        let room = (workers + workers.div_ceil(2)).saturating_sub(self.out.len());
        let age =
            |(items, since): &(Range<usize>, Duration)| (items.len(), now.saturating_sub(*since));
        self.pace.in_hand(self.out.values().map(age));
        for _ in 0..room.min(BURST) {
            let left = self.items - self.next;
            if left == 0 {
                break;
            }
            let size = self.pace.size(left, workers).min(self.most);
            let items = self.next..self.next + size;
            self.job.submit(items.start, &task(items.clone()))?;
            self.next = items.end;
            self.out.insert(items.start, (items, now));
        }
        let more = room > BURST && self.next < self.items;
        for answer in self.job.answers(if more { Duration::ZERO } else { wait })? {
            // A second copy may answer, too.
            let Some((items, _)) = self.out.remove(&answer.number) else { continue };
            self.pace.answered(items.len(), answer.seconds);
            self.waiting.insert(items.start, Part { items, bytes: answer.bytes });
        }
        let mut parts = Vec::new();
        while let Some(entry) = self.waiting.first_entry() {
            if self.in_order && *entry.key() != self.returned {
                break;
            }
            let part = entry.remove();
            self.returned += part.items.len();
            parts.push(part);
        }
        Ok(parts)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

    use super::super::{Answer, ClusterStatus, InProcess, OpenJob, Work, WorkError};
    use super::*;

    /// Doubles every number of a task such as `3..7`.
    struct Doubles;

    impl Work for Doubles {
        fn perform(&self, task: &str) -> Result<Vec<u8>, WorkError> {
            let (start, end) = task.split_once("..").ok_or("no range")?;
            let range = start.parse::<usize>()?..end.parse::<usize>()?;
            if range.contains(&13) {
                return Err("item 13 cannot be done".into());
            }
            Ok(range.map(|item| (item * 2) as u8).collect())
        }
    }

    fn job() -> Job {
        Job::default()
    }

    fn all(workers: usize, items: usize) -> Result<Vec<u8>, ClusterError> {
        let cluster = InProcess::new(workers, |_| Ok(Box::new(Doubles)));
        collect(&cluster, Shards::new(&cluster, &job(), items)?)
    }

    fn collect(cluster: &InProcess, mut shards: Shards) -> Result<Vec<u8>, ClusterError> {
        let mut answers = Vec::new();
        while !shards.is_done() {
            let task = |items: Range<usize>| format!("{}..{}", items.start, items.end);
            for part in shards.advance(cluster, Duration::from_millis(10), &task)? {
                assert_eq!(part.items.start, answers.len());
                assert!(part.items.len() <= shards.most);
                answers.extend(part.bytes);
            }
        }
        Ok(answers)
    }

    #[test]
    fn answers_come_in_the_order_of_the_items_from_any_number_of_workers() {
        for workers in [1, 2, 7] {
            for items in [0, 1, 5, 12] {
                let expected: Vec<u8> = (0..items).map(|item| (item * 2) as u8).collect();
                assert_eq!(all(workers, items).unwrap(), expected, "{workers} workers");
            }
        }
    }

    #[test]
    fn parts_may_be_single_items() {
        let cluster = InProcess::new(1, |_| Ok(Box::new(Doubles)));
        let shards = Shards::new(&cluster, &job(), 9).unwrap().one_by_one();
        assert_eq!(collect(&cluster, shards).unwrap(), [0, 2, 4, 6, 8, 10, 12, 14, 16]);
    }

    #[test]
    fn answers_in_any_order_are_not_held_up_by_a_long_item() {
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let held = Mutex::new(receiver);
        /// Answers a number; the first waits until it may.
        struct Held(Mutex<std::sync::mpsc::Receiver<()>>);
        impl Work for Held {
            fn perform(&self, task: &str) -> Result<Vec<u8>, WorkError> {
                if task == "0" {
                    let _ = self.0.lock().unwrap().recv();
                }
                Ok(vec![task.parse()?])
            }
        }
        let held = Mutex::new(Some(Held(held)));
        let cluster =
            InProcess::new(2, move |_| Ok(Box::new(held.lock().unwrap().take().ok_or("one job")?)));
        let shards = Shards::new(&cluster, &job(), 5).unwrap();
        let mut shards = shards.one_by_one().in_any_order();
        let task = |items: Range<usize>| items.start.to_string();
        let mut answers = Vec::new();
        let mut rounds = 0;
        while answers.len() < 5 {
            rounds += 1;
            assert!(rounds < 1000, "{answers:?}");
            for part in shards.advance(&cluster, Duration::from_millis(10), &task).unwrap() {
                assert_eq!(part.bytes, [part.items.start as u8]);
                answers.push(part.items.start);
            }
            if answers.len() == 4 && !answers.contains(&0) {
                // All others are here.
                let _ = sender.send(());
            }
            assert_eq!(shards.is_done(), answers.len() == 5);
        }
        assert_eq!(answers[4], 0);
    }

    #[test]
    fn a_task_that_cannot_be_done_ends_the_job_with_its_sentence() {
        assert_eq!(all(3, 20).unwrap_err().to_string(), "item 13 cannot be done");
    }

    /// A cluster by a clock of its own: how long a job takes if its driver and workers take so long.
    struct Simulated {
        workers: usize,
        state: Arc<Mutex<State>>,
    }

    struct State {
        clock: f64,
        /// When each worker is free.
        free: Vec<f64>,
        /// When the driver can read an answer, and the answer.
        answers: Vec<(f64, Answer)>,
        tasks: usize,
        each: fn(usize) -> f64,
    }

    /// The driver needs that for a task, of which half is for its answer; and how long both are on their way.
    const TASK: f64 = 1.1e-3;
    const WAY: f64 = 8e-3;

    struct Open(Arc<Mutex<State>>);

    impl Open {
        fn state(&self) -> MutexGuard<'_, State> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    impl Cluster for Simulated {
        fn open(&self, _: &Job) -> Result<Box<dyn OpenJob>, ClusterError> {
            Ok(Box::new(Open(Arc::clone(&self.state))))
        }

        fn status(&self) -> ClusterStatus {
            ClusterStatus { workers: self.workers, ..ClusterStatus::default() }
        }
    }

    impl OpenJob for Open {
        fn submit(&mut self, number: usize, task: &str) -> Result<(), ClusterError> {
            let state = &mut *self.state();
            let items = number..number + task.parse::<usize>().unwrap();
            state.clock += TASK / 2.0;
            state.tasks += 1;
            let first = state.free.iter_mut().min_by(|a, b| a.total_cmp(b)).unwrap();
            let seconds: f64 = items.map(state.each).sum();
            *first = first.max(state.clock + WAY / 2.0) + seconds;
            let answer = Answer { number, seconds, bytes: Vec::new() };
            state.answers.push((*first + WAY / 2.0, answer));
            Ok(())
        }

        fn answers(&mut self, wait: Duration) -> Result<Vec<Answer>, ClusterError> {
            let state = &mut *self.state();
            let next = state.answers.iter().map(|answer| answer.0).fold(f64::INFINITY, f64::min);
            state.clock = state.clock.max(next.min(state.clock + wait.as_secs_f64()));
            let clock = state.clock;
            let ready = state.answers.extract_if(.., |answer| answer.0 <= clock);
            let ready: Vec<Answer> = ready.map(|(_, answer)| answer).collect();
            state.clock += ready.len() as f64 * TASK / 2.0;
            Ok(ready)
        }
    }

    /// Seconds and tasks of a job.
    fn simulated(workers: usize, items: usize, each: fn(usize) -> f64) -> (f64, usize) {
        let (free, answers) = (vec![0.0; workers], Vec::new());
        let state = Arc::new(Mutex::new(State { clock: 0.0, free, answers, tasks: 0, each }));
        let cluster = Simulated { workers, state: Arc::clone(&state) };
        let mut shards = Shards::new(&cluster, &job(), items).unwrap();
        let task = |items: Range<usize>| items.len().to_string();
        let clock = || Duration::from_secs_f64(state.lock().unwrap().clock);
        while !shards.is_done() {
            shards.advance_at(clock(), &cluster, Duration::from_millis(50), &task).unwrap();
        }
        let state = state.lock().unwrap();
        (state.clock, state.tasks)
    }

    /// An iteration of 2,000 games, 4 seconds of work, gains nothing by more than a hundred workers; they
    /// must not make it slower, as single games would that the driver hands out in 2.2 seconds.
    #[test]
    fn more_workers_than_there_is_work_for_stay_idle() {
        let game = |item: usize| 1e-3 + 2e-3 * (item % 11) as f64 / 10.0;
        let times = [10, 100, 1000, 10_000].map(|workers| simulated(workers, 2000, game));
        assert!(times[0].0 < 0.5, "{times:?}");
        assert!(times[1..].iter().all(|&(seconds, _)| seconds < 0.6), "{times:?}");
        let (seconds, tasks) = simulated(10_000, 1_000_000, game);
        assert!(seconds < 4.0 && tasks < 3600, "{seconds} s, {tasks} tasks");
    }

    #[test]
    fn no_worker_has_long_games_while_others_are_idle() {
        // One in ten is lost at once, the others take as long as they can: two for each worker.
        let game = |item: usize| if item.is_multiple_of(10) { 1e-3 } else { 10.0 };
        let (seconds, _) = simulated(1000, 2000, game);
        assert!((20.0..21.0).contains(&seconds), "{seconds} s");
        let (seconds, _) = simulated(100, 2000, game);
        assert!((180.0..190.0).contains(&seconds), "{seconds} s");
    }
}
