//! Classification-based modified policy iteration (Scherrer, Gabillon, Ghavamzadeh & Geist; the
//! Tetris record of Gabillon, Ghavamzadeh & Scherrer 2013).
//!
//! An iteration takes states that the policy meets, tries every move of each of them by a short
//! rollout that ends in the value function, and then looks for the weights of a policy that loses
//! the least against the best of these moves: a classifier whose mistakes cost what they cost. It is
//! found by CMA-ES, as in the paper. The value function is fitted by least squares to the rollouts
//! of the policy's own moves.
//!
//! What differs from the paper: values are those of afterstates; the rollouts of all moves of a
//! state meet the same chance (common random numbers); states are drawn from whole games of the
//! policy under way instead of a fixed good one.

use afterstate_core::features::{MAX_FEATURES, weighted_sum};
use afterstate_core::{Game, Rng};
use serde::{Deserialize, Serialize};

use crate::blackbox::{CmaEs, CmaEsSettings, Optimiser, SettingError};
use crate::play::WeightedFeatures;

/// How to iterate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CbmpiSettings {
    /// States of an iteration.
    pub states: usize,
    /// Rollouts of a move.
    pub rollouts: usize,
    /// Moves of a rollout.
    pub steps: usize,
    /// What a reward one move later is worth.
    pub discount: f64,
    /// Iterations of CMA-ES for the classifier.
    pub classifier: usize,
    /// Its deviation at first, as a part of the size of the weights.
    pub spread: f64,
}

impl Default for CbmpiSettings {
    fn default() -> CbmpiSettings {
        CbmpiSettings {
            states: 2_000,
            rollouts: 1,
            steps: 10,
            discount: 0.95,
            classifier: 80,
            spread: 0.2,
        }
    }
}

impl CbmpiSettings {
    /// Whether they make sense.
    pub fn check(&self) -> Result<(), SettingError> {
        let whole = |what, met: usize, most: usize, expected| {
            let holds = (1..=most).contains(&met);
            if holds { Ok(()) } else { Err(SettingError { what, met: met.to_string(), expected }) }
        };
        whole("states", self.states, 1_000_000, "1 to 1000000")?;
        whole("rollouts", self.rollouts, 1_000, "1 to 1000")?;
        whole("steps", self.steps, 100_000, "1 to 100000")?;
        whole("classifier", self.classifier, 100_000, "1 to 100000")?;
        for (what, met, expected) in [
            ("discount", self.discount, "0 to 1"),
            ("spread", self.spread, "more than 0, at most 1"),
        ] {
            if !(0.0..=1.0).contains(&met) || (what == "spread" && met == 0.0) {
                return Err(SettingError { what, met: met.to_string(), expected });
            }
        }
        Ok(())
    }
}

/// What was found out about one state.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The features of each move, one move after the other.
    features: Vec<f32>,
    /// What each move was worth.
    returns: Vec<f32>,
    /// The features, for values, of the move that the policy makes, and what it was worth after its
    /// reward.
    pub value: (Vec<f32>, f64),
    /// The moves that this took.
    pub moves: u64,
}

/// A policy and a value function to try moves with.
pub struct Trial<'a, G: Game> {
    /// The rules.
    pub game: &'a G,
    /// The policy.
    pub policy: WeightedFeatures<'a, G>,
    /// The value function.
    pub values: WeightedFeatures<'a, G>,
    /// How long, how often.
    pub settings: &'a CbmpiSettings,
}

impl<G: Game> Trial<'_, G> {
    /// Tries every move of a state; `None` if it has none. All that is random comes from the streams
    /// (seed, 0), (seed, 1), ... of the rollouts.
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
            let worth =
                weighted_sum(self.policy.reward * step.reward, self.policy.weights, &out[..count]);
            features.extend_from_slice(&out[..count]);
            let mut sum = 0.0;
            for rollout in 0..self.settings.rollouts {
                let mut rng = Rng::stream(seed, rollout as u64);
                sum += self.rollout(state, &choice, &mut rng, &mut moves);
            }
            let rest = sum / self.settings.rollouts as f64;
            returns.push((f64::from(step.reward) + rest) as f32);
            if worth > best {
                best = worth;
                self.values.features.describe(self.game, state, &choice, &mut value.0);
                value.1 = rest;
            }
        });
        (!returns.is_empty()).then_some(Sample { features, returns, value, moves })
    }

    /// What comes after a move: some moves of the policy, then the value function; 0 after the end.
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
        for _ in 0..self.settings.steps {
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

/// How much worse, on average, the moves of a policy are than the best ones. The weight of the
/// reward is not learned: moves are told apart by their features.
pub fn regret(samples: &[Sample], weights: &[f64]) -> f64 {
    let worth = |features: &[f32]| -> f64 {
        features.iter().zip(weights).map(|(&x, weight)| f64::from(x) * weight).sum()
    };
    let one = |sample: &Sample| {
        let (mut chosen, mut most) = (0, f64::NEG_INFINITY);
        for (number, features) in sample.features.chunks_exact(weights.len()).enumerate() {
            let worth = worth(features);
            if worth > most {
                (chosen, most) = (number, worth);
            }
        }
        let best = sample.returns.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        f64::from(best - sample.returns[chosen])
    };
    samples.iter().map(one).sum::<f64>() / samples.len().max(1) as f64
}

/// The weights of a policy with the least regret, from those of the policy before. `each` scores
/// points on as many threads as there are.
pub fn classify(
    weights: &[f64],
    settings: &CbmpiSettings,
    rng: &mut Rng,
    each: impl Fn(&[Vec<f64>]) -> Vec<f64>,
) -> Vec<f64> {
    let size = weights.iter().map(|weight| weight * weight).sum::<f64>();
    let size = (size / weights.len().max(1) as f64).sqrt();
    let spread = if size > 0.0 { settings.spread * size } else { 1.0 };
    let mut search = CmaEs::new(CmaEsSettings { population: 0, spread }, weights.to_vec());
    let mut best = (each(&[weights.to_vec()])[0], weights.to_vec());
    for _ in 0..settings.classifier {
        let points = search.ask(rng);
        let regrets = each(&points);
        let scores: Vec<f64> = regrets.iter().map(|regret| -regret).collect();
        for (point, &regret) in points.iter().zip(&regrets) {
            if regret < best.0 {
                best = (regret, point.clone());
            }
        }
        search.tell(&points, &scores, rng);
    }
    let centre = search.best().to_vec();
    // The middle of many good points is better than the luckiest of them, where it is as good.
    if each(std::slice::from_ref(&centre))[0] <= best.0 * 1.02 { centre } else { best.1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(moves: &[([f32; 2], f32)]) -> Sample {
        let features = moves.iter().flat_map(|(features, _)| *features).collect();
        let returns = moves.iter().map(|(_, worth)| *worth).collect();
        Sample { features, returns, value: (Vec::new(), 0.0), moves: 0 }
    }

    #[test]
    fn regret_is_what_the_chosen_moves_cost() {
        let samples =
            [sample(&[([1.0, 0.0], 3.0), ([0.0, 1.0], 5.0)]), sample(&[([2.0, 0.0], 1.0)])];
        assert_eq!(regret(&samples, &[1.0, 0.0]), 1.0);
        assert_eq!(regret(&samples, &[0.0, 1.0]), 0.0);
        assert_eq!(regret(&samples, &[0.0, 0.0]), 1.0, "ties go to the first move");
    }

    #[test]
    fn the_classifier_finds_the_weights_that_made_the_returns() {
        let mut rng = Rng::stream(5, 0);
        let mut moves = || {
            let x = [rng.unit() as f32, rng.unit() as f32];
            (x, 3.0 * x[0] - x[1])
        };
        let samples: Vec<Sample> =
            (0..300).map(|_| sample(&[moves(), moves(), moves(), moves()])).collect();
        let each = |points: &[Vec<f64>]| points.iter().map(|p| regret(&samples, p)).collect();
        let settings = CbmpiSettings::default();
        let before = regret(&samples, &[-1.0, 1.0]);
        let weights = classify(&[-1.0, 1.0], &settings, &mut Rng::stream(1, 0), each);
        let after = regret(&samples, &weights);
        assert!(before > 1.0 && after < 0.001, "{before} {after} {weights:?}");
        assert!((weights[0] / weights[1] + 3.0).abs() < 0.2, "{weights:?}");
    }
}
