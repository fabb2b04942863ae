//! `ResumableGame`: a game by weighted features that can be left at any move and resumed.

use afterstate_core::policy::Choice;
use afterstate_core::{Features, Game, Rng};

/// A game under way.
#[derive(Clone, Debug)]
pub struct ResumableGame<G: Game> {
    state: G::State,
    rng: Rng,
    /// The sum of all rewards so far.
    pub score: f64,
    /// The moves so far.
    pub moves: u64,
}

/// A policy: the move with the largest weighted sum of features plus weighted reward.
pub struct WeightedFeatures<'a, G: Game> {
    /// The features.
    pub features: &'a dyn Features<G>,
    /// The weight of the reward.
    pub reward: f32,
    /// One weight per feature.
    pub weights: &'a [f32],
}

impl<G: Game> ResumableGame<G> {
    /// A game at its start.
    pub fn new(game: &G, mut rng: Rng) -> ResumableGame<G> {
        ResumableGame { state: game.start(&mut rng), rng, score: 0.0, moves: 0 }
    }

    /// The current state.
    pub fn state(&self) -> &G::State {
        &self.state
    }

    /// Makes at most so many moves; true if the game has ended: its state is terminal, it reached
    /// the rules' limit on moves, or its score reached `max_score`. `observe` sees each state with
    /// the move that is made there.
    pub fn advance(
        &mut self,
        game: &G,
        policy: &WeightedFeatures<'_, G>,
        moves: u64,
        max_score: f64,
        mut observe: impl FnMut(&G::State, &Choice<G>),
    ) -> bool {
        let &WeightedFeatures { features, reward, weights } = policy;
        let limit = game.limit().unwrap_or(u64::MAX);
        for _ in 0..moves {
            if self.moves >= limit || self.score >= max_score {
                return true;
            }
            let best = features.best(game, &self.state, reward, weights);
            let Some((choice, _)) = best else { return true };
            observe(&self.state, &choice);
            let step = choice.1;
            self.score += f64::from(step.reward);
            self.moves += 1;
            self.state = game.sample(&step.after, &mut self.rng);
        }
        self.score >= max_score
    }
}
