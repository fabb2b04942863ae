//! Many seeds of one training at once, and what they come to on average.

use std::sync::atomic::Ordering;

use afterstate_lab::Summary;
use afterstate_lab::chart::Line;
use rayon::prelude::*;

use super::sized;
use crate::measure::Value;
use crate::{Error, Session};

/// Seeds of every average.
pub(super) fn count(session: &Session) -> u64 {
    sized(&session.form, 2, 25, 50)
}

/// Does some work for every seed of a session, on its threads.
pub(super) fn each<T: Send>(
    session: &mut Session,
    what: &str,
    work: impl Fn(u64) -> T + Sync,
) -> Result<Vec<T>, Error> {
    let seeds = count(session);
    session.watch.plan(&format!("{what}: {seeds} seeds"))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(session.threads).build();
    let pool = pool.map_err(afterstate_lab::evaluate::EvaluateError::from)?;
    let (stop, first) = (session.stop, session.seed * 1_000);
    let done: Option<Vec<T>> = pool.install(|| {
        let seeds = (0..seeds).into_par_iter();
        seeds.map(|seed| (!stop.load(Ordering::Relaxed)).then(|| work(first + seed))).collect()
    });
    done.ok_or(Error::Stopped)
}

/// The mean of some numbers, one a seed or a game, with its interval.
pub(super) fn mean(numbers: &[f64]) -> Value {
    match Summary::of(numbers) {
        Some(Summary { mean, ci95, .. }) => Value { value: mean, ci95 },
        None => Value { value: 0.0, ci95: None },
    }
}

/// The mean over seeds of each seed's mean over its last games.
pub(super) fn last(curves: &[Vec<f64>], games: usize) -> Value {
    let end = |curve: &Vec<f64>| {
        let tail = &curve[curve.len().saturating_sub(games)..];
        tail.iter().sum::<f64>() / tail.len().max(1) as f64
    };
    mean(&curves.iter().map(end).collect::<Vec<f64>>())
}

/// The mean over seeds of each game, or of each block of games, with its interval as a band.
pub(super) fn line(name: &str, curves: &[Vec<f64>], block: usize) -> Line {
    let games = curves.iter().map(Vec::len).min().unwrap_or(0);
    let (mut points, mut band) = (Vec::new(), Vec::new());
    for begin in (0..games).step_by(block.max(1)) {
        let end = (begin + block.max(1)).min(games);
        let part =
            |curve: &Vec<f64>| curve[begin..end].iter().sum::<f64>() / (end - begin).max(1) as f64;
        let Value { value, ci95 } = mean(&curves.iter().map(part).collect::<Vec<f64>>());
        points.push((end as f64, value));
        band.push(ci95.unwrap_or((value, value)));
    }
    Line { band: Some(band), ..Line::new(name, points) }
}

/// After how many games a curve first stays above a level for so many games: the jump.
pub(super) fn reaches(curve: &[f64], level: f64, games: usize) -> Option<f64> {
    let held = |window: &[f64]| window.iter().sum::<f64>() / window.len() as f64 >= level;
    curve.windows(games).position(held).map(|game| (game + 1) as f64)
}

/// The mean of [`reaches`] over the seeds that do.
pub(super) fn jump(curves: &[Vec<f64>], level: f64, games: usize) -> Value {
    let jumps: Vec<f64> = curves.iter().filter_map(|curve| reaches(curve, level, games)).collect();
    mean(&jumps)
}
