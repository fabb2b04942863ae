//! `Play`: a game by weighted_sum features that can be left at any move and gone on with.

use afterstate_core::{Features, Game, Rng};

/// A game under way.
#[derive(Clone, Debug)]
pub struct Play<G: Game> {
    state: G::State,
    rng: Rng,
    /// The sum of all rewards so far.
    pub score: f64,
    /// The moves so far.
    pub moves: u64,
}

/// By what moves are chosen: the largest weighted_sum sum of features, plus a multiple of the reward.
pub struct WeightedFeatures<'a, G: Game> {
    /// The features.
    pub features: &'a dyn Features<G>,
    /// The weight of the reward.
    pub reward: f32,
    /// One weight a feature.
    pub weights: &'a [f32],
}

impl<G: Game> Play<G> {
    /// A game at its beginning.
    pub fn new(game: &G, mut rng: Rng) -> Play<G> {
        Play { state: game.start(&mut rng), rng, score: 0.0, moves: 0 }
    }

    /// The state that it is in.
    pub fn state(&self) -> &G::State {
        &self.state
    }

    /// Makes at most so many moves; true if the game is over, by its rules or because its score
    /// has come to a limit.
    pub fn advance(
        &mut self,
        game: &G,
        weighing: &WeightedFeatures<'_, G>,
        moves: u64,
        max_score: f64,
    ) -> bool {
        let &WeightedFeatures { features, reward, weights } = weighing;
        let limit = game.limit().unwrap_or(u64::MAX);
        for _ in 0..moves {
            if self.moves >= limit || self.score >= max_score {
                return true;
            }
            let Some(((_, step), _)) = features.best(game, &self.state, reward, weights) else {
                return true;
            };
            self.score += f64::from(step.reward);
            self.moves += 1;
            self.state = game.sample(&step.after, &mut self.rng);
        }
        self.score >= max_score
    }
}

impl<G: Game> Play<G> {
    /// As [`Play::advance`], without a limit on the score; `watch` sees the features and the reward
    /// of every move. `out` is as long as there are features.
    pub fn advance_watched(
        &mut self,
        game: &G,
        weighing: &WeightedFeatures<'_, G>,
        moves: u64,
        out: &mut [f32],
        mut watch: impl FnMut(&[f32], f32),
    ) -> bool {
        let &WeightedFeatures { features, reward, weights } = weighing;
        let limit = game.limit().unwrap_or(u64::MAX);
        for _ in 0..moves {
            if self.moves >= limit {
                return true;
            }
            let best = features.best(game, &self.state, reward, weights);
            let Some((choice, _)) = best else { return true };
            features.describe(game, &self.state, &choice, out);
            let step = choice.1;
            watch(out, step.reward);
            self.score += f64::from(step.reward);
            self.moves += 1;
            self.state = game.sample(&step.after, &mut self.rng);
        }
        false
    }
}
