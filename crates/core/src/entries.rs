//! StateAggregation: which places of a table a board or a move has, and what a move pays.

use crate::Game;
use crate::policy::Choice;

/// Which entries of a table an afterstate has; its value is their sum. One entry is a plain table,
/// several are overlapping tables.
pub trait StateAggregation<G: Game>: Send + Sync {
    /// How many entries the table has in all.
    fn size(&self) -> u64;

    /// How many of them one afterstate has.
    fn count(&self) -> usize {
        1
    }

    /// The entries of an afterstate, each below [`StateAggregation::size`]; `out` is [`StateAggregation::count`]
    /// long.
    fn indices(&self, game: &G, after: &G::After, out: &mut [u32]);
}

/// Which entry of a table a move of a state has.
pub trait StateActionAggregation<G: Game>: Send + Sync {
    /// How many entries the table has in all.
    fn size(&self) -> u64;

    /// The entry of each of these moves of a state, below [`StateActionAggregation::size`]; `out` is as long
    /// as the moves.
    fn indices(&self, game: &G, state: &G::State, moves: &[G::Move], out: &mut [u32]);
}

/// What a learner is paid for a move, which need not be what the game counts.
pub trait RewardFunction<G: Game>: Send + Sync {
    /// The pay of a move of a state.
    fn reward(&self, game: &G, state: &G::State, choice: &Choice<G>) -> f32;
}

/// The game's own points, times a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Points(pub f32);

impl<G: Game> RewardFunction<G> for Points {
    #[inline]
    fn reward(&self, _: &G, _: &G::State, choice: &Choice<G>) -> f32 {
        self.0 * choice.1.reward
    }
}

impl<G: Game, E: StateAggregation<G> + ?Sized> StateAggregation<G> for Box<E> {
    fn size(&self) -> u64 {
        (**self).size()
    }

    fn count(&self) -> usize {
        (**self).count()
    }

    fn indices(&self, game: &G, after: &G::After, out: &mut [u32]) {
        (**self).indices(game, after, out);
    }
}

impl<G: Game, E: StateActionAggregation<G> + ?Sized> StateActionAggregation<G> for Box<E> {
    fn size(&self) -> u64 {
        (**self).size()
    }

    fn indices(&self, game: &G, state: &G::State, moves: &[G::Move], out: &mut [u32]) {
        (**self).indices(game, state, moves, out);
    }
}

impl<G: Game, R: RewardFunction<G> + ?Sized> RewardFunction<G> for Box<R> {
    fn reward(&self, game: &G, state: &G::State, choice: &Choice<G>) -> f32 {
        (**self).reward(game, state, choice)
    }
}
