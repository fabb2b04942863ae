//! State aggregation: which entries of a value table an afterstate or a state-action pair has.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;

use afterstate_core::{Game, Policy};
use serde::{Deserialize, Serialize};

use crate::RewardFunction;

/// Maps an afterstate to entries of a value table; its value is their sum. With one entry per
/// afterstate this is hard state aggregation, with several the tables overlap.
pub trait StateAggregation<G: Game>: Send + Sync {
    /// The number of entries of the table.
    fn size(&self) -> u64;

    /// The number of entries per afterstate.
    fn count(&self) -> usize {
        1
    }

    /// Writes the entries of an afterstate, each below [`StateAggregation::size`], to the
    /// [`StateAggregation::count`] elements of `out`.
    fn indices(&self, game: &G, after: &G::After, out: &mut [u32]);
}

/// Maps a state-action pair to one entry of a value table.
pub trait StateActionAggregation<G: Game>: Send + Sync {
    /// The number of entries of the table.
    fn size(&self) -> u64;

    /// Writes the entry of each of these legal moves of a state, below
    /// [`StateActionAggregation::size`]; `out` has one element per move.
    fn indices(&self, game: &G, state: &G::State, moves: &[G::Move], out: &mut [u32]);
}

/// The description of a value table, as agent files have it; each game parses its own views and
/// reward terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AggregationSpec {
    /// Whether the table holds action values Q(s, a); otherwise values of afterstates.
    #[serde(rename = "moves")]
    pub state_action: bool,
    /// The views: which parts of a board the table distinguishes.
    #[serde(rename = "sees")]
    pub views: Vec<String>,
    /// How the values of several views, or of several places of one view, are combined.
    #[serde(default)]
    pub combine: Combine,
    /// The coefficients of the reward function by the names of its terms.
    #[serde(rename = "pay")]
    pub reward: BTreeMap<String, f32>,
    /// The discount factor.
    pub discount: f32,
}

/// How several values are combined into one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Combine {
    /// Their maximum.
    #[default]
    Largest,
    /// Their mean.
    Average,
    /// Their sum: overlapping tables that are trained together.
    Sum,
}

/// A value table of a game: its state or state-action aggregation, its reward and its policy.
pub trait Aggregation<G: Game>: Send + Sync {
    /// The number of entries of the table.
    fn size(&self) -> u64;

    /// The state aggregation to train with; `None` for a table of action values, and for a table of
    /// a smaller board, which can only be played by.
    fn state_aggregation(&self) -> Option<&dyn StateAggregation<G>>;

    /// The state-action aggregation to train with; `None` for a table of afterstates, and for a
    /// table of a smaller board.
    fn state_action_aggregation(&self) -> Option<&dyn StateActionAggregation<G>>;

    /// The reward function that the table is trained with.
    fn reward(&self) -> &dyn RewardFunction<G>;

    /// The greedy policy of a table with [`Aggregation::size`] entries, the bits of `f32` values.
    fn policy<'a>(&'a self, entries: &'a [AtomicU32]) -> Box<dyn Policy<G> + 'a>;
}
