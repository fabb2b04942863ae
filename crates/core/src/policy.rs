//! `Policy`: whoever chooses the moves, and the two that need no learning.

use crate::{Game, Rng, Step};

/// A move and what it leaves.
pub type Choice<G> = (<G as Game>::Move, Step<<G as Game>::After>);

/// Chooses moves. The seam for speed: a policy that can weigh all moves of a state at once does so
/// here, and every loop that plays gains.
pub trait Policy<G: Game> {
    /// A move of the state, or `None` if there is none and the game is over.
    fn choose(&mut self, game: &G, state: &G::State, rng: &mut Rng) -> Option<Choice<G>>;
}

impl<G: Game> Policy<G> for Box<dyn Policy<G> + '_> {
    fn choose(&mut self, game: &G, state: &G::State, rng: &mut Rng) -> Option<Choice<G>> {
        (**self).choose(game, state, rng)
    }
}

/// Every legal move equally likely.
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

/// The move with the largest immediate reward; ties go to the first move.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greedy;

impl<G: Game> Policy<G> for Greedy {
    #[inline]
    fn choose(&mut self, game: &G, state: &G::State, _: &mut Rng) -> Option<Choice<G>> {
        let mut best: Option<Choice<G>> = None;
        game.for_each_move(state, |mv, step| {
            if best.is_none_or(|(_, leader)| step.reward > leader.reward) {
                best = Some((mv, step));
            }
        });
        best
    }
}
