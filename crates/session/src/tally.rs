//! `Tally`: running statistics of many games of one player.

use std::collections::BTreeMap;

use afterstate_agents::Summary;
use afterstate_agents::statistics::{Rate, reach_rates};
use serde::Serialize;

use crate::GameSession;

/// How many games are kept; later ones replace the earliest.
const MAX_GAMES: usize = 100_000;

/// Games that have ended.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    scores: Vec<f64>,
    reached: Vec<u64>,
    games: u64,
    moves: u64,
}

/// The statistics of a tally.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TallySummary {
    /// Games that have ended.
    pub games: u64,
    /// All their moves.
    pub moves: u64,
    /// Their scores.
    pub score: Option<Summary>,
    /// The share of them that reached each tile or more, in games with tiles.
    pub reach: BTreeMap<u64, Rate>,
}

impl Tally {
    /// Counts a session that has ended.
    pub fn count(&mut self, session: &GameSession) {
        let index = self.games as usize % MAX_GAMES;
        put(&mut self.scores, index, session.score());
        if let Some(reached) = session.reached() {
            put(&mut self.reached, index, reached);
        }
        self.games += 1;
        self.moves += session.moves();
    }

    /// Its statistics.
    pub fn summary(&self) -> TallySummary {
        TallySummary {
            games: self.games,
            moves: self.moves,
            score: Summary::of(&self.scores),
            reach: reach_rates(&self.reached),
        }
    }
}

fn put<T>(list: &mut Vec<T>, index: usize, value: T) {
    match list.get_mut(index) {
        Some(old) => *old = value,
        None => list.push(value),
    }
}
