//! Value iteration in afterstate form (Bellman 1957): one value per board, swept until convergence.
//!
//! `V(a) = E[ max over moves of ( r + r'(a') + gamma V(a') ) ]`, where `a'` is the afterstate of a
//! move, `r` the reward of the move and `r'` the reward for the moves that `a'` allows.

use afterstate_games::{Real, RewardMixture, TransitionModel};
use rayon::prelude::*;

use super::{SolveProgress, sweep};

/// Sweeps between two extrapolations, and the fewest sweeps before values count as growing steadily.
const PAUSE: u64 = 20;

/// Values whose changes differ by less than this part between sweeps grow without bound: in a game
/// that ends, changes shrink by one part in its length.
const STEADY: f64 = 1e-9;

/// Reward, discount and stopping criteria.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The reward.
    pub reward: RewardMixture,
    /// Discount factor: 0 to 1.
    pub gamma: f64,
    /// The largest change of a value at convergence, as a part of the largest value.
    pub tolerance: f64,
    /// The largest number of sweeps.
    pub max_sweeps: u64,
    /// Whether sequences of changes are extrapolated to their limits, so that values converge in
    /// fewer sweeps.
    pub extrapolate: bool,
    /// Games are truncated after so many moves; the rewards so far are counted.
    pub horizon: Option<u64>,
    /// Whether to count the boards whose policy changes.
    pub policy: bool,
}

impl Settings {
    /// Settings for a reward and a discount, with the tolerance of a number type.
    pub fn new<T: Real>(reward: RewardMixture, gamma: f64) -> Settings {
        let tolerance = if size_of::<T>() == 4 { 1e-6 } else { 1e-12 };
        Settings {
            reward,
            gamma,
            tolerance,
            max_sweeps: 100_000,
            extrapolate: true,
            horizon: None,
            policy: false,
        }
    }
}

/// The result of value iteration.
pub struct Iterated<T: Real> {
    /// The value of the move to each afterstate, without its own reward, by table index:
    /// `r' + gamma V`.
    pub after_values: Vec<T::Cell>,
    /// The last sweep.
    pub last: SolveProgress,
    /// The average reward per move, where play never ends and values grow without bound.
    pub gain: Option<f64>,
    /// The value of the start; with a horizon, over that many moves.
    pub start: f64,
    /// Boards, one per orbit of symmetric images, on which the greedy policy changed, sweep by
    /// sweep, if they were counted.
    pub policy_changes: Vec<u64>,
}

/// Iterates until the values converge or grow steadily; `observe` sees every sweep.
pub fn iterate<T: Real, L: TransitionModel<T> + ?Sized>(
    model: &L,
    settings: &Settings,
    mut observe: impl FnMut(&SolveProgress),
) -> Iterated<T> {
    let Settings { reward, gamma, .. } = *settings;
    let count = model.boards().len();
    let mut values = vec![T::ZERO; count];
    let mut next = vec![T::ZERO; count];
    // The last changes, to detect steady growth.
    let endless = gamma == 1.0;
    let mut changes = vec![T::ZERO; if endless { count } else { 0 }];
    let mut chosen = vec![0; if settings.policy { count } else { 0 }];
    let mut chosen_before = chosen.clone();
    let after_values = sweep::table(model, T::ZERO);
    let spread = |values: &[T]| {
        let discount = T::of(gamma);
        sweep::spread(model, values, &after_values, |board, value| {
            model.expected_moves(&reward, board) + discount * value
        });
    };
    spread(&values);
    let mut convergence = Convergence::default();
    let mut policy_changes = Vec::new();
    let mut number = 0;
    let (last, gain) = loop {
        number += 1;
        let chosen_now = settings.policy.then_some(&mut chosen[..]);
        sweep::best(model, &reward, &after_values, &mut next, chosen_now);
        if settings.policy {
            let changed = chosen.par_iter().zip(&chosen_before).filter(|(a, b)| a != b).count();
            policy_changes.push(changed as u64);
            std::mem::swap(&mut chosen, &mut chosen_before);
        }
        let pairs = || next.par_iter().zip(&values);
        let residual = sweep::largest(pairs().map(|(a, b)| a.get() - b.get()));
        let scale = sweep::largest(next.par_iter().map(|value| value.get())).max(1e-300);
        let total_change: f64 = pairs().map(|(a, b)| (a.get() - b.get()).abs()).sum();
        let mut steady = false;
        if endless {
            let differences = changes.par_iter_mut().zip(next.par_iter().zip(&values)).map(
                |(change, (&new, &old))| {
                    let difference = (new - old).get() - change.get();
                    *change = new - old;
                    difference
                },
            );
            steady = sweep::largest(differences) <= STEADY * residual && number > PAUSE;
        }
        let ratio = if settings.extrapolate && settings.horizon.is_none() {
            convergence.ratio(total_change)
        } else {
            None
        };
        let settled = residual <= settings.tolerance * scale;
        let reached = settings.horizon.is_some_and(|horizon| number + 1 >= horizon);
        let done = settled || steady || reached || number >= settings.max_sweeps;
        match ratio.filter(|_| !done) {
            // Changes that shrink by a fixed ratio are a geometric series: extrapolate to its limit.
            Some(ratio) => {
                let further = T::of(ratio / (1.0 - ratio));
                values.par_iter_mut().zip(&next).for_each(|(old, &new)| {
                    *old = new + (new - *old) * further;
                });
            }
            None => std::mem::swap(&mut values, &mut next),
        }
        let before = model.start_value(&reward, &after_values).get();
        spread(&values);
        let start = model.start_value(&reward, &after_values).get();
        let now = SolveProgress { sweep: number, residual, start };
        observe(&now);
        if done {
            break (now, (steady && !settled).then_some(start - before));
        }
    };
    let left = settings.horizon.map_or(0.0, |horizon| horizon as f64 - (last.sweep + 1) as f64);
    let start = last.start + gain.filter(|_| left > 0.0).map_or(0.0, |gain| gain * left);
    Iterated { after_values, last, gain, start, policy_changes }
}

/// The rate of convergence.
#[derive(Default)]
struct Convergence {
    total_change: f64,
    ratio: f64,
    steady: u64,
    since: u64,
}

impl Convergence {
    /// The ratio of these changes to the last ones, once it is stable; only if convergence is slow, that
    /// is near one and below it.
    fn ratio(&mut self, total_change: f64) -> Option<f64> {
        let ratio = if self.total_change > 0.0 { total_change / self.total_change } else { 0.0 };
        let close = (ratio - self.ratio).abs() < 0.01 * (1.0 - ratio);
        self.steady = if close { self.steady + 1 } else { 0 };
        self.since += 1;
        (self.total_change, self.ratio) = (total_change, ratio);
        let stable = self.steady >= 5 && self.since >= PAUSE && ratio > 0.9 && ratio < 1.0 - 1e-12;
        if stable {
            *self = Convergence::default();
        }
        stable.then_some(ratio)
    }
}
