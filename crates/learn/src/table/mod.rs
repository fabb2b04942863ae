//! Tabular learning: TD(0) on afterstates, Sarsa(lambda) and Q-learning on moves (Sutton & Barto;
//! Carr 2005).

mod eligibility_trace;
mod explicit_mdp;
mod exploration;
mod sarsa;
mod table_td;

pub use eligibility_trace::EligibilityTrace;
pub use explicit_mdp::{
    ExplicitActionAggregation, ExplicitAggregation, ExplicitMdp, ExplicitReward,
};
pub use exploration::{Exploration, Schedule, argmax};
pub use sarsa::{Control, Sarsa};
pub use table_td::TableTd;

use afterstate_values::ValueTable;

/// A tabular learning problem: a table, the aggregation that indexes it, and the rewards.
pub struct Task<'a, E: ?Sized, R: ?Sized> {
    /// The table.
    pub table: &'a ValueTable,
    /// The table indices of an afterstate or a move.
    pub aggregation: &'a E,
    /// The reward of a move.
    pub reward: &'a R,
    /// Discount factor.
    pub discount: f32,
    /// The value of a terminal state; `None`: nothing is learned from it.
    pub terminal_value: Option<f32>,
    /// Games are truncated after so many moves, or at the rules' own limit.
    pub max_moves: u64,
}

impl<E: ?Sized, R: ?Sized> Clone for Task<'_, E, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: ?Sized, R: ?Sized> Copy for Task<'_, E, R> {}
