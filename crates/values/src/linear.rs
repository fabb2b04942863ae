//! `Linear`: a value function that weighs features, and the player that follows it.

use afterstate_core::policy::Choice;
use afterstate_core::{Features, Game, Policy, Rng};

/// No weight is larger: sums of them stay far from infinity.
pub const LARGEST_WEIGHT: f32 = 1e30;

/// A weighted_sum sum of features of a move, with or without its reward.
pub struct Linear<G: Game> {
    set: String,
    features: Box<dyn Features<G>>,
    reward: f32,
    weights: Vec<f32>,
}

/// Weights that do not fit their features.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LinearError {
    /// Too few or too many.
    #[error("features {set}: met {met} weights, expected {expected}")]
    Count {
        /// The name of the set.
        set: String,
        /// Weights.
        met: usize,
        /// Features.
        expected: usize,
    },
    /// A weight by which nothing can be weighed.
    #[error("features {set}, {name}: met weight {met}, expected a number from -1e30 to 1e30")]
    Weight {
        /// The name of the set.
        set: String,
        /// The name of the feature.
        name: String,
        /// The weight.
        met: f32,
    },
}

impl<G: Game> Linear<G> {
    /// A named set of features with a weight for each, and the weight of the reward: 1 to play for
    /// what a move earns, too, 0 to go by the features alone.
    pub fn new(
        set: impl Into<String>,
        features: Box<dyn Features<G>>,
        reward: f32,
        weights: Vec<f32>,
    ) -> Result<Linear<G>, LinearError> {
        let (set, names) = (set.into(), features.names());
        if weights.len() != names.len() {
            return Err(LinearError::Count { set, met: weights.len(), expected: names.len() });
        }
        let named = names.into_iter().chain(["reward".to_owned()]);
        for (name, &met) in named.zip(weights.iter().chain([&reward])) {
            if met.is_nan() || met.abs() > LARGEST_WEIGHT {
                return Err(LinearError::Weight { set, name, met });
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

    /// One weight a feature.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The best move of a state and what it is worth; ties go to the first.
    #[inline]
    pub fn best(&self, game: &G, state: &G::State) -> Option<(Choice<G>, f32)> {
        self.features.best(game, state, self.reward, &self.weights)
    }
}

/// Chooses the move of the largest weighted_sum sum; ties go to the first.
///
/// ```
/// use afterstate_core::{Episode, Rng};
/// use afterstate_games::spec::Spec;
/// use afterstate_games::tetris::Tetris;
/// use afterstate_values::{Linear, LinearPolicy};
///
/// let game = Tetris::standard();
/// let features = game.features("dellacherie").ok_or("a set of Tetris")?;
/// let weights = vec![-1.0, 1.0, -1.0, -1.0, -4.0, -1.0];
/// let dellacherie = Linear::new("dellacherie", features, 0.0, weights)?;
/// let mut player = LinearPolicy::new(&dellacherie);
/// let episode = Episode::play_up_to(1_000, &game, &mut player, &mut Rng::stream(1, 0));
/// assert_eq!(episode.moves, 1_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LinearPolicy<'a, G: Game> {
    values: &'a Linear<G>,
}

impl<'a, G: Game> LinearPolicy<'a, G> {
    /// A player by some values.
    pub fn new(values: &'a Linear<G>) -> LinearPolicy<'a, G> {
        LinearPolicy { values }
    }
}

impl<G: Game> Policy<G> for LinearPolicy<'_, G> {
    #[inline]
    fn choose(&mut self, game: &G, state: &G::State, _: &mut Rng) -> Option<Choice<G>> {
        self.values.best(game, state).map(|(choice, _)| choice)
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
        assert_eq!(said(&[1.0]), "features dellacherie: met 1 weights, expected 6");
        let start = "features dellacherie, eroded cells: met weight ";
        for (weight, shown) in [(f32::NAN, "NaN"), (f32::INFINITY, "inf"), (-1e31, "-1e31")] {
            let met = said(&[0.0, weight, 0.0, 0.0, 0.0, 0.0]);
            let met = met.replace(&format!("{weight}"), shown);
            assert_eq!(met, format!("{start}{shown}, expected a number from -1e30 to 1e30"));
        }
    }

    #[test]
    fn the_reward_may_count_or_not() {
        let (game, mut rng) = (Tetris::standard(), Rng::stream(1, 0));
        let state = afterstate_core::Text::parse_state(&game, "I|....######").unwrap();
        let features = || game.features("dellacherie").unwrap();
        let chosen = |reward| {
            let linear = Linear::new("dellacherie", features(), reward, vec![0.0; 6]).unwrap();
            let choice = LinearPolicy::new(&linear).choose(&game, &state, &mut rng).unwrap();
            (choice.1.reward, linear.best(&game, &state).unwrap().1)
        };
        assert_eq!(
            [0.0, 1.0].map(chosen),
            [(0.0, 0.0), (1.0, 1.0)],
            "the first move, or the one that clears a row"
        );
    }
}
