//! Learning with tables: TD(0) on afterstates, Sarsa(lambda) and Q-learning on moves (Sutton &
//! Barto; Carr 2005), with any way to explore.

mod explicit_mdp;
mod explore;
mod sarsa;
mod td;
mod trace;

pub use explicit_mdp::{
    ExplicitActionAggregation, ExplicitAggregation, ExplicitMdp, ExplicitReward,
};
pub use explore::{Exploration, Schedule, best};
pub use sarsa::{Control, Sarsa};
pub use td::TableTd;
pub use trace::Trace;

use afterstate_values::Table;

/// What is learned: a table, how boards or moves find their places in it, and what moves pay.
pub struct Task<'a, E: ?Sized, R: ?Sized> {
    /// The table.
    pub table: &'a Table,
    /// Which entries a board or a move has.
    pub entries: &'a E,
    /// What a move pays.
    pub reward: &'a R,
    /// What a value counts against a pay of now.
    pub discount: f32,
    /// What the end of a lost game is worth; `None`: nothing is learned from it.
    pub end: Option<f32>,
    /// Games are cut off after so many moves, besides the rules' own limit.
    pub max_moves: u64,
}

impl<E: ?Sized, R: ?Sized> Clone for Task<'_, E, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: ?Sized, R: ?Sized> Copy for Task<'_, E, R> {}
