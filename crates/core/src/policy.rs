//! `Policy`: selects moves; uniform random and greedy policies.

use crate::{Game, Rng, Step};

/// A move with its afterstate and reward.
pub type Choice<G> = (<G as Game>::Move, Step<<G as Game>::After>);

/// Selects moves. A policy that can evaluate all moves of a state at once does so here.
pub trait Policy<G: Game> {
    /// A legal move of the state; `None` if the state is terminal.
    fn choose(&mut self, game: &G, state: &G::State, rng: &mut Rng) -> Option<Choice<G>>;
}

impl<G: Game> Policy<G> for Box<dyn Policy<G> + '_> {
    fn choose(&mut self, game: &G, state: &G::State, rng: &mut Rng) -> Option<Choice<G>> {
        (**self).choose(game, state, rng)
    }
}

/// The uniform random policy over the legal moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomPolicy;

impl<G: Game> Policy<G> for RandomPolicy {
    #[inline]
    fn choose(&mut self, game: &G, state: &G::State, rng: &mut Rng) -> Option<Choice<G>> {
        match game.count_moves(state) {
            0 => None,
            count => game.nth_move(state, rng.below(count)),
        }
    }
}

/// The policy that takes the move with the largest immediate reward; ties go to the first move.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greedy;

impl<G: Game> Policy<G> for Greedy {
    #[inline]
    fn choose(&mut self, game: &G, state: &G::State, _: &mut Rng) -> Option<Choice<G>> {
        game.best_move(state, |(_, step)| step.reward).map(|(choice, _)| choice)
    }
}
