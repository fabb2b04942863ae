//! Weights of features: what their learners share.

use std::path::Path;

use afterstate_agents::agent::features;
use afterstate_games::spec::Spec;
use afterstate_learn::blackbox::SettingError;
use afterstate_values::{AgentInfo, Linear, Model};

use super::{LearnerError, Training};
use crate::recipe::{InvalidSetting, ensure};

/// The number of initial weights is not that of the features.
#[derive(Debug, thiserror::Error)]
#[error("{found} initial weights for {features} features: give one weight per feature, or none")]
pub(super) struct WeightCount {
    found: usize,
    features: usize,
}

/// The initial weights.
pub(super) fn initial_weights(start: &[f64], features: usize) -> Result<Vec<f64>, WeightCount> {
    match start.len() {
        0 => Ok(vec![0.0; features]),
        found if found == features => Ok(start.to_vec()),
        found => Err(WeightCount { found, features }),
    }
}

/// Checks initial weights.
pub(super) fn check_start(setting: &str, start: &[f64]) -> Result<(), InvalidSetting> {
    start.iter().try_for_each(|weight| {
        ensure(weight.abs() <= 1e9, setting, weight, "numbers from -1e9 to 1e9")
    })
}

/// The settings of an optimiser by their full names.
pub(super) fn in_table(table: &str) -> impl Fn(SettingError) -> InvalidSetting {
    move |SettingError { setting, value, expected }| {
        let setting = format!("{table}.{setting}");
        InvalidSetting { setting, found: value, allowed: expected }
    }
}

/// Whether weights from a checkpoint are that many finite numbers.
pub(super) fn are_weights<T: Copy + Into<f64>>(weights: &[T], features: usize) -> bool {
    weights.len() == features && weights.iter().all(|&weight| weight.into().is_finite())
}

/// Weights as models keep them.
pub(super) fn narrow(weights: &[f64]) -> Vec<f32> {
    weights.iter().map(|&weight| weight as f32).collect()
}

impl<G: Spec> Training<'_, G> {
    /// The agent with these weights of a feature set and of the immediate reward.
    pub(super) fn linear(
        &self,
        set: &str,
        reward: f64,
        weights: Vec<f32>,
    ) -> Result<Linear<G>, LearnerError> {
        Ok(Linear::new(set, features(self.game, set)?, reward as f32, weights)?)
    }
}

/// Writes an agent with weights of features.
pub(super) fn save<G: Spec>(
    mut linear: Linear<G>,
    path: &Path,
    info: &AgentInfo,
) -> Result<(), LearnerError> {
    Ok(Model::<G>::save(&mut linear, path, info)?)
}
