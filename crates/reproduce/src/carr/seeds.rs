//! Many seeds of one training at once, and averages over them.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use afterstate_agents::Summary;
use afterstate_agents::statistics::exposure;
use afterstate_core::threads;
use afterstate_render::chart::Line;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::files::{create_folder, write_json};
use crate::measure::Value;
use crate::{Error, TrainingCache};

/// The number of seeds of every training but the shortest, at each scale.
pub(super) const SEEDS: [u64; 3] = [2, 25, 50];

/// The number of seeds at the scale of a cache.
pub(super) fn seeds(cache: &TrainingCache) -> u64 {
    cache.scale.pick(SEEDS)
}

/// Does some work for every seed, on the threads of a cache.
pub(super) fn each<T: Send>(
    cache: &mut TrainingCache,
    name: &str,
    work: impl Fn(u64) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let seeds = seeds(cache);
    each_of(cache, name, seeds, work)
}

/// The same for so many seeds.
pub(super) fn each_of<T: Send>(
    cache: &mut TrainingCache,
    name: &str,
    seeds: u64,
    work: impl Fn(u64) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    cache.observer.begin(&format!("{name}: {seeds} seeds"))?;
    let (stop, first) = (cache.stop, first_seed(cache));
    let work = |seed| {
        if stop.load(Ordering::Relaxed) { Err(Error::Stopped) } else { work(first + seed) }
    };
    threads::map(cache.threads, seeds as usize, |seed| work(seed as u64)).into_iter().collect()
}

/// What a seed gave, in a file.
#[derive(Serialize, Deserialize)]
struct Saved<T> {
    /// Everything that it depends on but the seed.
    settings: String,
    value: T,
}

/// What seeds gave, one file each.
pub(super) struct SavedSeeds<'a, T> {
    settings: &'a str,
    /// The folder, and how the names of the files begin.
    folder: PathBuf,
    prefix: String,
    value: PhantomData<fn() -> T>,
}

impl<'a, T: Serialize + DeserializeOwned> SavedSeeds<'a, T> {
    /// Those of some work, which its settings tell apart from other work.
    pub(super) fn of(cache: &TrainingCache, settings: &'a str) -> Result<Self, Error> {
        let folder = cache.path("carr");
        create_folder(&folder)?;
        let mut hasher = DefaultHasher::new();
        settings.hash(&mut hasher);
        let prefix = format!("{:016x}", hasher.finish());
        Ok(SavedSeeds { settings, folder, prefix, value: PhantomData })
    }

    fn path(&self, seed: u64) -> PathBuf {
        self.folder.join(format!("{}-seed{seed}.json", self.prefix))
    }

    /// What a seed gave, if it was saved.
    pub(super) fn read(&self, seed: u64) -> Option<T> {
        let text = fs::read(self.path(seed)).ok()?;
        let saved: Saved<T> = serde_json::from_slice(&text).ok()?;
        (saved.settings == self.settings).then_some(saved.value)
    }

    /// Saves what a seed gave, and returns it.
    pub(super) fn write(&self, seed: u64, value: T) -> Result<T, Error> {
        let saved = Saved { settings: self.settings.to_owned(), value };
        write_json(&self.path(seed), &saved)?;
        Ok(saved.value)
    }
}

/// The same as [`each`] for work that takes hours: what each seed gave is saved, and read by the next call
/// with the same settings.
pub(super) fn each_saved<T: Send + Serialize + DeserializeOwned>(
    cache: &mut TrainingCache,
    name: &str,
    settings: &str,
    work: impl Fn(u64) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let saved = SavedSeeds::of(cache, settings)?;
    each(cache, name, |seed| match saved.read(seed) {
        Some(value) => Ok(value),
        None => saved.write(seed, work(seed)?),
    })
}

/// The first of the seeds of [`each`].
pub(super) fn first_seed(cache: &TrainingCache) -> u64 {
    cache.seed * 1_000
}

/// The seed of games without learning: none of them is a game of the training.
pub(super) fn played_seed(seed: u64) -> u64 {
    seed ^ 0x5eed_0000
}

/// The mean of one number per seed or per game, with its interval; 0 without numbers.
pub(super) fn mean(numbers: &[f64]) -> Value {
    match Summary::of(numbers) {
        Some(Summary { mean, ci95, .. }) => Value::within(mean, ci95),
        None => Value::exact(0.0),
    }
}

fn average(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

/// The mean over seeds of each seed's games.
pub(super) fn mean_of_games(games: &[Vec<f64>]) -> Value {
    mean(&games.iter().map(|games| average(games)).collect::<Vec<f64>>())
}

/// The mean over seeds of each seed's last games.
pub(super) fn last(curves: &[Vec<f64>], games: usize) -> Value {
    let end = |curve: &Vec<f64>| average(&curve[curve.len().saturating_sub(games)..]);
    mean(&curves.iter().map(end).collect::<Vec<f64>>())
}

/// The mean over seeds of each block of games, with its interval as a band.
pub(super) fn line(name: &str, curves: &[Vec<f64>], block: usize) -> Line {
    let (games, block) = (curves.iter().map(Vec::len).min().unwrap_or(0), block.max(1));
    let (mut points, mut band) = (Vec::new(), Vec::new());
    for begin in (0..games).step_by(block) {
        let end = (begin + block).min(games);
        let part = |curve: &Vec<f64>| average(&curve[begin..end]);
        let Value { value, ci95, .. } = mean(&curves.iter().map(part).collect::<Vec<f64>>());
        points.push((end as f64, value));
        band.push(ci95.unwrap_or((value, value)));
    }
    Line { band: Some(band), ..Line::new(name, points) }
}

/// The mean number of games after which a curve first stays above a level for some games on
/// average, over the seeds that do, and the percentage of those that never do.
pub(super) fn jump(
    curves: &[Vec<f64>],
    level: f64,
    games: usize,
) -> (Option<Value>, Option<Value>) {
    let above = |window: &[f64]| window.iter().sum::<f64>() / window.len() as f64 >= level;
    let reaches = |curve: &Vec<f64>| curve.windows(games).position(above);
    let jumps: Vec<f64> = curves.iter().filter_map(reaches).map(|game| (game + 1) as f64).collect();
    let never = Value::percent((curves.len() - jumps.len()) as f64, curves.len() as f64);
    ((!jumps.is_empty()).then(|| mean(&jumps)), never)
}

/// The rows of games without learning, one list a seed.
pub(super) struct Played {
    pub(super) rows: Vec<Vec<f64>>,
    /// Games that were truncated.
    pub(super) truncated: u64,
}

impl Played {
    /// Games of each seed, and whether each was truncated.
    pub(super) fn of(games: Vec<Vec<(f64, bool)>>) -> Played {
        let truncated = games.iter().flatten().filter(|game| game.1).count() as u64;
        let rows = games.into_iter().map(|games| games.into_iter().map(|game| game.0).collect());
        Played { rows: rows.collect(), truncated }
    }

    /// The mean over seeds. Where games were truncated it is all rows over all ends, or the bound
    /// that no end in so many rows gives.
    pub(super) fn mean(&self) -> Value {
        if self.truncated == 0 {
            return mean_of_games(&self.rows);
        }
        let (games, rows) = (self.rows.iter().map(Vec::len).sum::<usize>() as u64, &self.rows);
        let total = rows.iter().flatten().sum();
        Value::exposure(exposure(total, games - self.truncated)).unwrap_or(Value::exact(0.0))
    }

    /// What a reader should know of truncated games.
    pub(super) fn note(&self, name: &str, max_moves: u64) -> Option<String> {
        let games: usize = self.rows.iter().map(Vec::len).sum();
        (self.truncated > 0).then(|| {
            format!(
                "{name}: {} of {games} games without learning were truncated after {max_moves} \
                 pieces; the mean is all rows over all ends.",
                self.truncated
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU64};

    use afterstate_core::Device;
    use afterstate_train::run::{Observer, Status};

    use super::*;
    use crate::{Scale, TableCache};

    struct Silent;

    impl Observer for Silent {
        fn round(&mut self, _: &Status) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_a_seed_gave_is_not_done_again() {
        let folder = std::env::temp_dir().join(format!("afterstate-seeds-{}", std::process::id()));
        let (stop, calls, mut tables) =
            (AtomicBool::new(false), AtomicU64::new(0), TableCache::default());
        let mut cache = TrainingCache {
            scale: Scale::Quick,
            folder: folder.clone(),
            seed: 3,
            threads: 1,
            device: Device::Cpu,
            stop: &stop,
            observer: &mut Silent,
            tables: &mut tables,
        };
        let mut run = |settings: &str, stop_after| {
            calls.store(0, Ordering::Relaxed);
            stop.store(false, Ordering::Relaxed);
            let found = each_saved(&mut cache, "seeds", settings, |seed| {
                let call = calls.fetch_add(1, Ordering::Relaxed) + 1;
                stop.store(call == stop_after, Ordering::Relaxed);
                Ok((seed, vec![0.1 + seed as f64]))
            });
            (found.ok(), calls.load(Ordering::Relaxed))
        };
        assert_eq!(run("a", 10), (None, 10));
        let (found, called) = run("a", 0);
        assert_eq!(called, 15);
        let found = found.unwrap();
        assert_eq!(found, (3_000..3_025).map(|s| (s, vec![0.1 + s as f64])).collect::<Vec<_>>());
        assert_eq!(run("a", 0), (Some(found), 0));
        assert_eq!(run("b", 0).1, 25);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
