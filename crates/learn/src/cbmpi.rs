//! Classification-based modified policy iteration (Scherrer, Gabillon, Ghavamzadeh & Geist; the
//! Tetris record of Gabillon, Ghavamzadeh & Scherrer 2013).
//!
//! An iteration samples states that the policy visits, estimates the return of every move of each by
//! short rollouts that bootstrap from the value function, and searches the weights of a policy with
//! the least regret against the best of these moves: a cost-sensitive classifier, found by CMA-ES as
//! in the paper. The value function is fitted by least squares to the returns of the policy's own
//! moves.
//!
//! Differences from the paper: values are those of afterstates; the rollouts of all moves of a state
//! use common random numbers; states are drawn from whole games of the current policy instead of a
//! fixed good one.

use afterstate_core::features::{MAX_FEATURES, weighted_sum};
use afterstate_core::{Game, Rng};
use serde::{Deserialize, Serialize};

use crate::Interrupted;
use crate::blackbox::{CmaEs, CmaEsSettings, Optimiser, SettingError, expect, settings};
use crate::resumable_game::WeightedFeatures;

settings! {
    /// The settings of an iteration.
    CbmpiSettings {
        /// States per iteration.
        states: usize = 2_000,
        /// Rollouts per move.
        rollouts: usize = 1,
        /// Moves per rollout.
        steps: usize = 10,
        /// Discount factor.
        discount: f64 = 0.95,
        /// Iterations of CMA-ES for the classifier.
        classifier: usize = 80,
        /// Its initial standard deviation, as a part of the root mean square of the weights.
        spread: f64 = 0.2,
    }
}

impl CbmpiSettings {
    /// Checks the ranges of the settings.
    pub fn check(&self) -> Result<(), SettingError> {
        let whole = |setting, value: usize, max: usize, expected| {
            expect((1..=max).contains(&value), setting, value, expected)
        };
        whole("states", self.states, 1_000_000, "1 to 1000000")?;
        whole("rollouts", self.rollouts, 1_000, "1 to 1000")?;
        whole("steps", self.steps, 100_000, "1 to 100000")?;
        whole("classifier", self.classifier, 100_000, "1 to 100000")?;
        let Self { discount, spread, .. } = *self;
        expect((0.0..=1.0).contains(&discount), "discount", discount, "0 to 1")?;
        expect(spread > 0.0 && spread <= 1.0, "spread", spread, "more than 0, at most 1")
    }
}

/// The estimates of one state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The features of each move, move after move.
    features: Vec<f32>,
    /// The estimated return of each move.
    returns: Vec<f32>,
    /// The value function's features of the policy's move, and its estimated return without its
    /// immediate reward.
    pub value: (Vec<f32>, f64),
    /// The moves of all rollouts.
    pub moves: u64,
}

/// Rollouts of a policy that bootstrap from a value function.
pub struct Rollouts<'a, G: Game> {
    /// The rules.
    pub game: &'a G,
    /// The policy.
    pub policy: WeightedFeatures<'a, G>,
    /// The value function.
    pub values: WeightedFeatures<'a, G>,
    /// Their length and number.
    pub settings: &'a CbmpiSettings,
    /// A sample that was interrupted is none of these rollouts: drop it.
    pub interrupted: Interrupted<'a>,
}

/// Moves of a rollout between two looks whether it is interrupted.
const LOOK: usize = 256;

impl<G: Game> Rollouts<'_, G> {
    /// Estimates the return of every move of a state; `None` if it is terminal. Rollout i draws from
    /// the stream (seed, i).
    pub fn sample(&self, state: &G::State, seed: u64) -> Option<Sample> {
        let count = self.policy.weights.len();
        let (mut features, mut returns) = (Vec::new(), Vec::new());
        let mut out = [0.0; MAX_FEATURES];
        let mut moves = 0;
        let mut value = (vec![0.0; self.values.weights.len()], 0.0);
        let mut best = f32::NEG_INFINITY;
        self.game.for_each_move(state, |mv, step| {
            let choice = (mv, step);
            self.policy.features.describe(self.game, state, &choice, &mut out[..count]);
            let move_value =
                weighted_sum(self.policy.reward * step.reward, self.policy.weights, &out[..count]);
            features.extend_from_slice(&out[..count]);
            let mut sum = 0.0;
            for rollout in 0..self.settings.rollouts {
                let mut rng = Rng::stream(seed, rollout as u64);
                sum += self.rollout(state, &choice, &mut rng, &mut moves);
            }
            let rest = sum / self.settings.rollouts as f64;
            returns.push((f64::from(step.reward) + rest) as f32);
            if move_value > best {
                best = move_value;
                self.values.features.describe(self.game, state, &choice, &mut value.0);
                value.1 = rest;
            }
        });
        (!returns.is_empty()).then_some(Sample { features, returns, value, moves })
    }

    /// The discounted return after a move: moves of the policy, then the value function; 0 from a
    /// terminal state on.
    fn rollout(
        &self,
        state: &G::State,
        choice: &afterstate_core::policy::Choice<G>,
        rng: &mut Rng,
        moves: &mut u64,
    ) -> f64 {
        let WeightedFeatures { features, reward, weights } = self.policy;
        let (mut sum, mut factor) = (0.0, 1.0);
        let (mut before, mut choice) = (*state, *choice);
        for step in 0..self.settings.steps {
            if step.is_multiple_of(LOOK) && (self.interrupted)() {
                return sum;
            }
            factor *= self.settings.discount;
            let next = self.game.sample(&choice.1.after, rng);
            let Some((chosen, _)) = features.best(self.game, &next, reward, weights) else {
                return sum;
            };
            *moves += 1;
            sum += factor * f64::from(chosen.1.reward);
            (before, choice) = (next, chosen);
        }
        let mut out = [0.0; MAX_FEATURES];
        let out = &mut out[..self.values.weights.len()];
        self.values.features.describe(self.game, &before, &choice, out);
        sum + factor * f64::from(weighted_sum(0.0, self.values.weights, out))
    }
}

/// The mean regret of a policy: how much less its moves return than the best ones. Moves are selected
/// by their features only, without the reward.
pub fn regret(samples: &[Sample], weights: &[f64]) -> f64 {
    let value = |features: &[f32]| -> f64 {
        features.iter().zip(weights).map(|(&x, weight)| f64::from(x) * weight).sum()
    };
    let one = |sample: &Sample| {
        let (mut chosen, mut max) = (0, f64::NEG_INFINITY);
        for (number, features) in sample.features.chunks_exact(weights.len()).enumerate() {
            let value = value(features);
            if value > max {
                (chosen, max) = (number, value);
            }
        }
        let best = sample.returns.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        f64::from(best - sample.returns[chosen])
    };
    samples.iter().map(one).sum::<f64>() / samples.len().max(1) as f64
}

/// The weights of a policy with the least regret, searched from `weights`. `regrets_of` evaluates
/// points, on any number of threads; `None` interrupts the search.
pub fn classify(
    weights: &[f64],
    settings: &CbmpiSettings,
    rng: &mut Rng,
    regrets_of: impl Fn(&[Vec<f64>]) -> Option<Vec<f64>>,
) -> Option<Vec<f64>> {
    let scale = weights.iter().map(|weight| weight * weight).sum::<f64>();
    let scale = (scale / weights.len().max(1) as f64).sqrt();
    let spread = if scale > 0.0 { settings.spread * scale } else { 1.0 };
    let mut search = CmaEs::new(CmaEsSettings { population: 0, spread }, weights.to_vec());
    let mut best = (regrets_of(&[weights.to_vec()])?[0], weights.to_vec());
    for _ in 0..settings.classifier {
        let points = search.ask(rng);
        let regrets = regrets_of(&points)?;
        let scores: Vec<f64> = regrets.iter().map(|regret| -regret).collect();
        for (point, &regret) in points.iter().zip(&regrets) {
            if regret < best.0 {
                best = (regret, point.clone());
            }
        }
        search.tell(&points, &scores, rng);
    }
    let centre = search.best().to_vec();
    // The mean of the distribution generalises better than the best sample where it is about as good.
    let regret = regrets_of(std::slice::from_ref(&centre))?[0];
    Some(if regret <= best.0 * 1.02 { centre } else { best.1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(moves: &[([f32; 2], f32)]) -> Sample {
        let features = moves.iter().flat_map(|(features, _)| *features).collect();
        let returns = moves.iter().map(|(_, value)| *value).collect();
        Sample { features, returns, value: (Vec::new(), 0.0), moves: 0 }
    }

    #[test]
    fn regret_is_the_return_lost_by_the_chosen_moves() {
        let samples =
            [sample(&[([1.0, 0.0], 3.0), ([0.0, 1.0], 5.0)]), sample(&[([2.0, 0.0], 1.0)])];
        assert_eq!(regret(&samples, &[1.0, 0.0]), 1.0);
        assert_eq!(regret(&samples, &[0.0, 1.0]), 0.0);
        assert_eq!(regret(&samples, &[0.0, 0.0]), 1.0, "ties go to the first move");
    }

    #[test]
    fn the_classifier_finds_the_weights_behind_the_returns() {
        let mut rng = Rng::stream(5, 0);
        let mut moves = || {
            let x = [rng.unit() as f32, rng.unit() as f32];
            (x, 3.0 * x[0] - x[1])
        };
        let samples: Vec<Sample> =
            (0..300).map(|_| sample(&[moves(), moves(), moves(), moves()])).collect();
        let regrets_of =
            |points: &[Vec<f64>]| Some(points.iter().map(|p| regret(&samples, p)).collect());
        let settings = CbmpiSettings::default();
        let before = regret(&samples, &[-1.0, 1.0]);
        let weights =
            classify(&[-1.0, 1.0], &settings, &mut Rng::stream(1, 0), regrets_of).unwrap();
        let after = regret(&samples, &weights);
        assert!(before > 1.0 && after < 0.001, "{before} {after} {weights:?}");
        assert!((weights[0] / weights[1] + 3.0).abs() < 0.2, "{weights:?}");
    }
}
