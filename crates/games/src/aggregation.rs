//! State aggregation: which entries of a value table an afterstate or a state-action pair has.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;

use afterstate_core::{Game, Policy};

use crate::RewardFunction;

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

/// What a table is about, in words that each game reads for itself.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregationSpec {
    /// Whether moves have entries; otherwise afterstates have.
    pub moves: bool,
    /// What is seen of a board.
    pub sees: Vec<String>,
    /// How several views, or several places of one, become a value.
    pub combine: Combine,
    /// What a move pays, by its parts.
    pub pay: BTreeMap<String, f32>,
    /// What a value counts against a pay of now.
    pub discount: f32,
}

/// How several values become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Combine {
    /// The largest of them.
    #[default]
    Largest,
    /// Their average.
    Average,
    /// Their sum: overlapping tables that are learned together.
    Sum,
}

/// A table of a game.
pub trait Aggregation<G: Game>: Send + Sync {
    /// How many entries it has.
    fn size(&self) -> u64;

    /// The entries of afterstates, or `None` if moves have entries or if the table belongs to a
    /// smaller board and can only be played by.
    fn entries(&self) -> Option<&dyn StateAggregation<G>>;

    /// The entries of moves, or `None` as above.
    fn pairs(&self) -> Option<&dyn StateActionAggregation<G>>;

    /// What a move pays.
    fn pay(&self) -> &dyn RewardFunction<G>;

    /// A player by the entries of a table, as many as [`Aggregation::size`].
    fn player<'a>(&'a self, entries: &'a [AtomicU32]) -> Box<dyn Policy<G> + 'a>;
}
