//! `Aggregation`: how a table learns and plays a game, made from a plan in words and numbers.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;

use crate::{Game, Policy, RewardFunction, StateActionAggregation, StateAggregation};

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
