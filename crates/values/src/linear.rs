//! `Linear`: a weighted sum of features as value function, and as the policy that maximises it.

use afterstate_core::policy::Choice;
use afterstate_core::{Features, Game, Policy, Rng};

/// The largest magnitude of a weight: sums of weights stay far from infinity.
pub const MAX_WEIGHT: f32 = 1e30;

/// A weighted sum of the features of a move, with or without its reward.
pub struct Linear<G: Game> {
    set: String,
    features: Box<dyn Features<G>>,
    reward: f32,
    weights: Vec<f32>,
}

/// Weights that do not fit their features.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinearError {
    /// Too few or too many.
    #[error("{weights} weights for the {features} features of the set {set}")]
    Count {
        /// The name of the set.
        set: String,
        /// The number of weights.
        weights: usize,
        /// The number of features.
        features: usize,
    },
    /// A weight that is NaN or too large.
    #[error(
        "the weight of {name} in the feature set {set} is {weight}: weights must lie between -1e30 \
         and 1e30"
    )]
    Weight {
        /// The name of the set.
        set: String,
        /// The name of the feature.
        name: String,
        /// The weight.
        weight: f32,
    },
}

impl<G: Game> Linear<G> {
    /// A named set of features with one weight per feature, and the weight of the reward: 0 to
    /// ignore it.
    pub fn new(
        set: impl Into<String>,
        features: Box<dyn Features<G>>,
        reward: f32,
        weights: Vec<f32>,
    ) -> Result<Linear<G>, LinearError> {
        let (set, names) = (set.into(), features.names());
        if weights.len() != names.len() {
            let (weights, features) = (weights.len(), names.len());
            return Err(LinearError::Count { set, weights, features });
        }
        let named = names.into_iter().chain(["reward".to_owned()]);
        for (name, &weight) in named.zip(weights.iter().chain([&reward])) {
            if weight.is_nan() || weight.abs() > MAX_WEIGHT {
                return Err(LinearError::Weight { set, name, weight });
            }
        }
        Ok(Linear { set, features, reward, weights })
    }

    /// The name of the set of features.
    pub fn set(&self) -> &str {
        &self.set
    }

    /// The features.
    pub fn features(&self) -> &dyn Features<G> {
        &*self.features
    }

    /// The weight of the reward.
    pub fn reward(&self) -> f32 {
        self.reward
    }

    /// One weight per feature.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The best move of a state and its value; ties go to the first.
    #[inline]
    pub fn best(&self, game: &G, state: &G::State) -> Option<(Choice<G>, f32)> {
        self.features.best(game, state, self.reward, &self.weights)
    }
}

/// A reference to weights is a policy: the move with the largest weighted sum, ties to the first.
///
/// ```
/// use afterstate_core::{Episode, Rng};
/// use afterstate_games::spec::Spec;
/// use afterstate_games::tetris::Tetris;
/// use afterstate_values::Linear;
///
/// let game = Tetris::standard();
/// let features = game.features("dellacherie").ok_or("a set of Tetris")?;
/// let weights = vec![-1.0, 1.0, -1.0, -1.0, -4.0, -1.0];
/// let dellacherie = Linear::new("dellacherie", features, 0.0, weights)?;
/// let episode = Episode::play_up_to(1_000, &game, &mut &dellacherie, &mut Rng::stream(1, 0));
/// assert_eq!(episode.moves, 1_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl<G: Game> Policy<G> for &Linear<G> {
    #[inline]
    fn choose(&mut self, game: &G, state: &G::State, _: &mut Rng) -> Option<Choice<G>> {
        self.best(game, state).map(|(choice, _)| choice)
    }
}

#[cfg(test)]
mod tests {
    use afterstate_games::spec::Spec;
    use afterstate_games::tetris::Tetris;

    use super::*;

    fn made(weights: &[f32]) -> Result<Linear<Tetris>, LinearError> {
        let features = Tetris::standard().features("dellacherie").unwrap();
        Linear::new("dellacherie", features, 1.0, weights.to_vec())
    }

    #[test]
    fn wrong_weights_are_refused() {
        let said = |weights: &[f32]| made(weights).err().unwrap().to_string();
        assert_eq!(said(&[1.0]), "1 weights for the 6 features of the set dellacherie");
        let start = "the weight of eroded cells in the feature set dellacherie is ";
        for weight in [f32::NAN, f32::INFINITY, -1e31] {
            let found = said(&[0.0, weight, 0.0, 0.0, 0.0, 0.0]);
            assert_eq!(found, format!("{start}{weight}: weights must lie between -1e30 and 1e30"));
        }
    }

    #[test]
    fn the_reward_may_count_or_not() {
        let (game, mut rng) = (Tetris::standard(), Rng::stream(1, 0));
        let state = afterstate_core::Text::parse_state(&game, "I|....######").unwrap();
        let features = || game.features("dellacherie").unwrap();
        let chosen = |reward| {
            let linear = Linear::new("dellacherie", features(), reward, vec![0.0; 6]).unwrap();
            let choice = (&linear).choose(&game, &state, &mut rng).unwrap();
            (choice.1.reward, linear.best(&game, &state).unwrap().1)
        };
        assert_eq!(
            [0.0, 1.0].map(chosen),
            [(0.0, 0.0), (1.0, 1.0)],
            "the first move, or the one that clears a row"
        );
    }
}
