//! `Shards`: numbered items of a job, handed out in parts and answered in order. Which items share a
//! part depends on the cluster; what is answered, and in which order, does not.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::time::Duration;

use super::{Cluster, ClusterError, Job, OpenJob};

/// The seconds that a part should take: long beside what a cluster needs to hand it out, a few
/// milliseconds, and short beside what is lost with a machine.
const SECONDS: f64 = 1.0;

/// With many workers, parts are longer, for one process hands them all out: it needs less than this
/// for each (`results/cluster.md`).
const SECONDS_PER_WORKER: f64 = 2e-3;

/// The most items of a part while it is unknown how long an item takes.
const FIRST: usize = 16;

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
    /// The first item that is not handed out.
    next: usize,
    /// The first item whose answer has not been returned.
    returned: usize,
    /// The parts in the hands of workers, by their first item.
    out: HashMap<usize, Range<usize>>,
    /// Parts that were answered before an earlier one.
    waiting: BTreeMap<usize, Part>,
    /// The items that were answered, and the seconds that workers took for them.
    answered: (usize, f64),
}

impl Shards {
    /// A job with items from 0 on.
    pub fn new(cluster: &dyn Cluster, job: &Job, items: usize) -> Result<Shards, ClusterError> {
        let (out, waiting) = (HashMap::new(), BTreeMap::new());
        let job = cluster.open(job)?;
        let most = usize::MAX;
        Ok(Shards { job, items, most, next: 0, returned: 0, out, waiting, answered: (0, 0.0) })
    }

    /// The same; every part is one item.
    pub fn one_by_one(self) -> Shards {
        Shards { most: 1, ..self }
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
    /// next answers in the order of the items, as far as there are no gaps.
    pub fn advance(
        &mut self,
        cluster: &dyn Cluster,
        wait: Duration,
        task: &dyn Fn(Range<usize>) -> String,
    ) -> Result<Vec<Part>, ClusterError> {
        let workers = cluster.status().workers.max(1);
        // One part for each worker, and some that wait for the first to be free.
        while self.next < self.items && self.out.len() < workers + workers.div_ceil(2) {
            let items = self.next..self.next + self.size(workers);
            self.job.submit(items.start, &task(items.clone()))?;
            self.next = items.end;
            self.out.insert(items.start, items);
        }
        for answer in self.job.answers(wait)? {
            // A second copy may answer, too.
            let Some(items) = self.out.remove(&answer.number) else { continue };
            self.answered.0 += items.len();
            self.answered.1 += answer.seconds;
            self.waiting.insert(items.start, Part { items, bytes: answer.bytes });
        }
        let mut parts = Vec::new();
        while let Some(part) = self.waiting.remove(&self.returned) {
            self.returned = part.items.end;
            parts.push(part);
        }
        Ok(parts)
    }

    /// The size of the next part. The last parts are small, so that workers end together.
    fn size(&self, workers: usize) -> usize {
        let left = self.items - self.next;
        let even = left.div_ceil(2 * workers);
        let (items, seconds) = self.answered;
        let fitting = match items {
            0 => FIRST,
            _ => {
                let wanted = SECONDS.max(SECONDS_PER_WORKER * workers as f64);
                (wanted * items as f64 / seconds.max(1e-9)).min(1e9) as usize
            }
        };
        even.min(fitting).min(self.most).clamp(1, left)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{InProcess, Work, WorkError};
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
        let text = String::new;
        Job { kind: text(), rules: text(), settings: text(), data: Vec::new() }
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
    fn a_task_that_cannot_be_done_ends_the_job_with_its_sentence() {
        assert_eq!(all(3, 20).unwrap_err().to_string(), "item 13 cannot be done");
    }
}
