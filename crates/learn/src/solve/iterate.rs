//! Value iteration in afterstate form (Bellman 1957): one value a board, swept until it stands.
//!
//! `V(a) = E[ max over moves of ( r + r'(a') + gamma V(a') ) ]`, where `a'` is what a move leaves,
//! `r` what it earns by itself and `r'` what `a'` earns by the moves that it leaves.

use afterstate_games::{Real, RewardMixture, TransitionModel};
use rayon::prelude::*;

use super::sweep;

/// Sweeps between two extrapolations, and sweeps over which a ratio must hold to be believed.
const PAUSE: u64 = 20;

/// Changes that differ by less than this part from one sweep to the next go on for ever: a game
/// that ends shrinks them by one part in its length.
const STEADY: f64 = 1e-9;

/// What to gather and when to stop.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What is gathered.
    pub reward: RewardMixture,
    /// How much a later reward is worth against one a move earlier: 0 to 1.
    pub gamma: f64,
    /// Stop when no value changes by more than this part of the largest.
    pub tolerance: f64,
    /// Stop after so many sweeps, come what may.
    pub most_sweeps: u64,
    /// Games are cut off after so many moves, and what they gathered until then counts.
    pub horizon: Option<u64>,
    /// Whether to count the boards whose policy changes.
    pub policy: bool,
}

impl Settings {
    /// Settings for a reward and a discount, as exact as a number type allows.
    pub fn new<T: Real>(reward: RewardMixture, gamma: f64) -> Settings {
        let tolerance = if size_of::<T>() == 4 { 1e-6 } else { 1e-12 };
        Settings { reward, gamma, tolerance, most_sweeps: 100_000, horizon: None, policy: false }
    }
}

/// Where the iteration stands after a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweep {
    /// Its number, from 1.
    pub sweep: u64,
    /// The largest change of a value.
    pub residual: f64,
    /// Boards, one for all images, on which some best move is another than before.
    pub policy_changes: Option<u64>,
    /// What the start is worth.
    pub start: f64,
}

/// What value iteration comes to.
pub struct Iterated<T: Real> {
    /// The value of every board of the layout.
    pub values: Vec<T>,
    /// For every place what it is worth to leave that board: `r' + gamma V`.
    pub worth: Vec<T::Cell>,
    /// The last sweep.
    pub last: Sweep,
    /// What each further move adds at the start, where values grow for ever: the mean reward of
    /// endless play.
    pub gain: Option<f64>,
    /// What the start is worth; with a horizon, over that many moves.
    pub start: f64,
    /// Boards on which the policy changed, sweep by sweep, if they were counted.
    pub policy_changes: Vec<u64>,
}

/// Iterates until the values stand still, or grow evenly; `watch` sees every sweep.
pub fn iterate<T: Real, L: TransitionModel<T> + ?Sized>(
    layout: &L,
    settings: &Settings,
    mut watch: impl FnMut(&Sweep),
) -> Iterated<T> {
    let Settings { reward, gamma, .. } = *settings;
    let count = layout.boards().len();
    let mut values = vec![T::ZERO; count];
    let mut next = vec![T::ZERO; count];
    // The last changes, where a steady growth has to be told from one that ends.
    let endless = gamma == 1.0;
    let mut changes = vec![T::ZERO; if endless { count } else { 0 }];
    let mut chosen = vec![0; if settings.policy { count } else { 0 }];
    let mut chosen_before = chosen.clone();
    let worth = sweep::table(layout, T::ZERO);
    let put = |values: &[T]| {
        let discount = T::of(gamma);
        sweep::spread(layout, values, &worth, |board, value| {
            layout.moves(&reward, board) + discount * value
        });
    };
    put(&values);
    let mut pace = Pace::default();
    let mut policy_changes = Vec::new();
    let mut number = 0;
    let (last, gain) = loop {
        number += 1;
        let chosen_now = settings.policy.then_some(&mut chosen[..]);
        sweep::best(layout, &reward, &worth, &mut next, chosen_now);
        if settings.policy {
            let changed = chosen.par_iter().zip(&chosen_before).filter(|(a, b)| a != b).count();
            policy_changes.push(changed as u64);
            std::mem::swap(&mut chosen, &mut chosen_before);
        }
        let pairs = || next.par_iter().zip(&values);
        let residual = sweep::largest(pairs().map(|(a, b)| a.get() - b.get()));
        let scale = sweep::largest(next.par_iter().map(|value| value.get())).max(1e-300);
        let moved: f64 = pairs().map(|(a, b)| (a.get() - b.get()).abs()).sum();
        let mut steady = false;
        if endless {
            let bent = changes.par_iter_mut().zip(next.par_iter().zip(&values)).map(
                |(change, (&new, &old))| {
                    let bent = (new - old).get() - change.get();
                    *change = new - old;
                    bent
                },
            );
            steady = sweep::largest(bent) <= STEADY * residual && number > PAUSE;
        }
        let ratio = if settings.horizon.is_none() { pace.ratio(moved) } else { None };
        let settled = residual <= settings.tolerance * scale;
        let reached = settings.horizon.is_some_and(|horizon| number + 1 >= horizon);
        let done = settled || steady || reached || number >= settings.most_sweeps;
        match ratio.filter(|_| !done) {
            // What changes by a fixed part each time has a limit, and that is known.
            Some(ratio) => {
                let further = T::of(ratio / (1.0 - ratio));
                values.par_iter_mut().zip(&next).for_each(|(old, &new)| {
                    *old = new + (new - *old) * further;
                });
            }
            None => std::mem::swap(&mut values, &mut next),
        }
        let before = layout.start_best(&reward, &worth).get();
        put(&values);
        let start = layout.start_best(&reward, &worth).get();
        let changed = policy_changes.last().copied();
        let now = Sweep { sweep: number, residual, policy_changes: changed, start };
        watch(&now);
        if done {
            break (now, (steady && !settled).then_some(start - before));
        }
    };
    let left = settings.horizon.map_or(0.0, |horizon| horizon as f64 - (last.sweep + 1) as f64);
    let start = last.start + gain.filter(|_| left > 0.0).map_or(0.0, |gain| gain * left);
    Iterated { values, worth, last, gain, start, policy_changes }
}

/// Watches how fast the changes shrink.
#[derive(Default)]
struct Pace {
    moved: f64,
    ratio: f64,
    steady: u64,
    since: u64,
}

impl Pace {
    /// The part of the last changes that these are, once it is known to hold: near one, where
    /// waiting would take long, and below it.
    fn ratio(&mut self, moved: f64) -> Option<f64> {
        let ratio = if self.moved > 0.0 { moved / self.moved } else { 0.0 };
        let close = (ratio - self.ratio).abs() < 0.01 * (1.0 - ratio);
        self.steady = if close { self.steady + 1 } else { 0 };
        self.since += 1;
        (self.moved, self.ratio) = (moved, ratio);
        let holds = self.steady >= 5 && self.since >= PAUSE && ratio > 0.9 && ratio < 1.0 - 1e-12;
        if holds {
            *self = Pace::default();
        }
        holds.then_some(ratio)
    }
}
