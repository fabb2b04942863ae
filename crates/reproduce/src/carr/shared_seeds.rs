//! Work on seeds as plain data: a thread of this machine does it, or a worker of a cluster.

use std::ops::Range;
use std::time::Duration;

use afterstate_core::Device;
use afterstate_core::cluster::{Job, Shards, Work, WorkError, connected};
use afterstate_train::run::RunError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::contour::TableTraining;
use super::narrow::TableGames;
use super::seeds::{SavedSeeds, each_saved, first_seed, seeds};
use crate::{Error, TrainingCache};

/// Work that depends on its own fields, on the seed, and on what is given with the seed.
pub(super) trait SeedWork: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The kind of its jobs.
    const KIND: &'static str;
    /// What is given with each seed.
    type Given: Serialize + DeserializeOwned;
    /// What it gives.
    type Answer: Serialize + DeserializeOwned + Send;

    fn of_seed(&self, seed: u64, given: Self::Given) -> Result<Self::Answer, Error>;
}

/// How long answers are waited for between two looks at the stop flag.
const WAIT: Duration = Duration::from_millis(200);

/// A seed that takes longer than so many seconds, at each scale, is given to a second worker, too. Others do not
/// tell how long one takes: agents that have learned play a hundred times as long as those that have not.
const SLOW_SECONDS: [f64; 3] = [60.0, 120.0, 1800.0];

/// A task: a seed, and what is given with it.
#[derive(Serialize, Deserialize)]
struct Task<T> {
    seed: u64,
    given: T,
}

/// Does work for every seed, on the threads of a cache or on its cluster. What each seed gave is saved, and
/// read by the next call with the same settings.
pub(super) fn each_shared<W: SeedWork>(
    cache: &mut TrainingCache,
    name: &str,
    settings: &str,
    work: &W,
    given: impl Fn(u64) -> W::Given + Sync,
) -> Result<Vec<W::Answer>, Error> {
    if cache.device == Device::Cluster {
        share_out(cache, name, settings, work, &given)?;
    }
    // What has come back from a cluster is read from its files.
    each_saved(cache, name, settings, |seed| work.of_seed(seed, given(seed)))
}

/// Hands out all seeds that are not saved, and saves what comes back, in any order.
fn share_out<W: SeedWork>(
    cache: &mut TrainingCache,
    name: &str,
    settings: &str,
    work: &W,
    given: &dyn Fn(u64) -> W::Given,
) -> Result<(), Error> {
    let saved = SavedSeeds::<W::Answer>::of(cache, settings)?;
    let all = (0..seeds(cache)).map(|seed| first_seed(cache) + seed);
    let missing: Vec<u64> = all.filter(|&seed| saved.read(seed).is_none()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    cache.observer.begin(&format!("{name}: {} seeds on the cluster", missing.len()))?;
    let cluster = connected().map_err(failed)?;
    let job = Job {
        kind: W::KIND.to_owned(),
        settings: serde_json::to_string(work).map_err(failed)?,
        seconds: Some(cache.scale.pick(SLOW_SECONDS)),
        ..Job::default()
    };
    let shards = Shards::new(&*cluster, &job, missing.len()).map_err(failed)?;
    let mut shards = shards.one_by_one().in_any_order();
    let task = |items: Range<usize>| {
        let seed = missing[items.start];
        // Numbers and texts only, which JSON can write.
        serde_json::to_string(&Task { seed, given: given(seed) }).unwrap_or_default()
    };
    while !shards.is_done() {
        cache.check_stopped()?;
        for part in shards.advance(&*cluster, WAIT, &task).map_err(failed)? {
            let answer = serde_json::from_slice(&part.bytes).map_err(failed)?;
            saved.write(missing[part.items.start], answer)?;
        }
    }
    Ok(())
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    RunError::Learner(error.into()).into()
}

/// Work as a worker has prepared it.
struct Prepared<W>(W);

impl<W: SeedWork> Work for Prepared<W> {
    fn perform(&self, task: &str) -> Result<Vec<u8>, WorkError> {
        let Task { seed, given } = serde_json::from_str(task)?;
        Ok(serde_json::to_vec(&self.0.of_seed(seed, given)?)?)
    }
}

/// Prepares a job, if it is of this kind.
pub(crate) fn prepare(job: &Job) -> Option<Result<Box<dyn Work>, WorkError>> {
    fn open<W: SeedWork>(job: &Job) -> Result<Box<dyn Work>, WorkError> {
        Ok(Box::new(Prepared(serde_json::from_str::<W>(&job.settings)?)))
    }
    match &*job.kind {
        TableTraining::KIND => Some(open::<TableTraining>(job)),
        TableGames::KIND => Some(open::<TableGames>(job)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const VIEW: &str = "heights,differences,cap=3,window=4,mirror";

    fn perform(kind: &str, settings: &Value, task: &Value) -> Result<Value, String> {
        let job = Job { kind: kind.into(), settings: settings.to_string(), ..Job::default() };
        let told = |error: WorkError| error.to_string();
        let work = prepare(&job).unwrap().map_err(told)?;
        Ok(serde_json::from_slice(&work.perform(&task.to_string()).map_err(told)?).unwrap())
    }

    #[test]
    fn work_on_a_seed_is_plain_data_and_checked() {
        let reward =
            json!({"point": 1.0, "higher": 0.0, "lower": 0.0, "hole": -0.4, "max_holes": 3});
        for moves in [false, true] {
            let table = json!({"rules": "tetris:4x20,pieces=melax", "view": VIEW, "moves": moves});
            let learning =
                json!({"reward": reward, "rate": 0.2, "lambda": 0.0, "end": 0.0, "max_moves": 50});
            let training = json!({"table": table, "learning": learning, "games": 3});
            let task = json!({"seed": 7, "given": null});
            let learned = perform(TableTraining::KIND, &training, &task).unwrap();
            assert_eq!(learned["rows"].as_array().unwrap().len(), 3);
            assert!(!learned["changed"].as_array().unwrap().is_empty());
            let games = json!({
                "rules": "tetris:10x20,pieces=melax", "table": table, "reward": reward,
                "combine": "largest", "count": 2, "max_moves": 30,
            });
            let task = |given: &Value| json!({"seed": 7, "given": given});
            let played = perform(TableGames::KIND, &games, &task(&learned)).unwrap();
            assert_eq!(played.as_array().unwrap().len(), 2);
            let mut other = learned.clone();
            other["size"] = json!(1_u64 << 60);
            let refused = perform(TableGames::KIND, &games, &task(&other)).unwrap_err();
            assert!(refused.contains("a table has 1152921504606846976 entries instead of"));
            assert!(perform(TableGames::KIND, &games, &task(&json!(null))).is_err());
            assert!(perform(TableGames::KIND, &training, &task(&learned)).is_err());
        }
        assert!(prepare(&Job::default()).is_none());
    }
}
