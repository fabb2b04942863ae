//! Entries: which places of a table a board or a move has, and what a move pays.

use crate::Game;
use crate::policy::Choice;

/// Which entries of a table an afterstate has; its value is their sum. One entry is a plain table,
/// several are overlapping tables.
pub trait Entries<G: Game>: Send + Sync {
    /// How many entries the table has in all.
    fn size(&self) -> u64;

    /// How many of them one afterstate has.
    fn count(&self) -> usize {
        1
    }

    /// The entries of an afterstate, each below [`Entries::size`]; `out` is [`Entries::count`]
    /// long.
    fn look_up(&self, game: &G, after: &G::After, out: &mut [u32]);
}

/// Which entry of a table a move of a state has.
pub trait PairEntries<G: Game>: Send + Sync {
    /// How many entries the table has in all.
    fn size(&self) -> u64;

    /// The entry of each of these moves of a state, below [`PairEntries::size`]; `out` is as long
    /// as the moves.
    fn look_up(&self, game: &G, state: &G::State, moves: &[G::Move], out: &mut [u32]);
}

/// What a learner is paid for a move, which need not be what the game counts.
pub trait Reward<G: Game>: Send + Sync {
    /// The pay of a move of a state.
    fn reward(&self, game: &G, state: &G::State, choice: &Choice<G>) -> f32;
}

/// The game's own points, times a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Points(pub f32);

impl<G: Game> Reward<G> for Points {
    #[inline]
    fn reward(&self, _: &G, _: &G::State, choice: &Choice<G>) -> f32 {
        self.0 * choice.1.reward
    }
}

impl<G: Game, E: Entries<G> + ?Sized> Entries<G> for Box<E> {
    fn size(&self) -> u64 {
        (**self).size()
    }

    fn count(&self) -> usize {
        (**self).count()
    }

    fn look_up(&self, game: &G, after: &G::After, out: &mut [u32]) {
        (**self).look_up(game, after, out);
    }
}

impl<G: Game, E: PairEntries<G> + ?Sized> PairEntries<G> for Box<E> {
    fn size(&self) -> u64 {
        (**self).size()
    }

    fn look_up(&self, game: &G, state: &G::State, moves: &[G::Move], out: &mut [u32]) {
        (**self).look_up(game, state, moves, out);
    }
}

impl<G: Game, R: Reward<G> + ?Sized> Reward<G> for Box<R> {
    fn reward(&self, game: &G, state: &G::State, choice: &Choice<G>) -> f32 {
        (**self).reward(game, state, choice)
    }
}
