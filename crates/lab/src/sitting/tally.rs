//! `Tally`: what many games of one player came to, while they are being played.

use std::collections::BTreeMap;

use serde::Serialize;

use super::GameSession;
use crate::Summary;
use crate::statistics::{Rate, reach_rates};

/// How many games are counted; later ones take the place of the earliest.
const MAX_GAMES: usize = 100_000;

/// Games that have ended.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    scores: Vec<f64>,
    reached: Vec<u64>,
    games: u64,
    moves: u64,
}

/// Where a tally stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// Games that have ended.
    pub games: u64,
    /// All their moves.
    pub moves: u64,
    /// Their scores.
    pub score: Option<Summary>,
    /// The part of them that reached each tile or more, where the game has tiles.
    pub reach: BTreeMap<u64, Rate>,
}

impl Tally {
    /// Counts a sitting that has ended.
    pub fn count(&mut self, sitting: &GameSession) {
        let place = self.games as usize % MAX_GAMES;
        put(&mut self.scores, place, sitting.score());
        if let Some(reached) = sitting.reached() {
            put(&mut self.reached, place, reached);
        }
        self.games += 1;
        self.moves += sitting.moves();
    }

    /// Where it stands.
    pub fn standing(&self) -> Standing {
        Standing {
            games: self.games,
            moves: self.moves,
            score: Summary::of(&self.scores),
            reach: reach_rates(&self.reached),
        }
    }
}

fn put<T>(list: &mut Vec<T>, place: usize, value: T) {
    match list.get_mut(place) {
        Some(old) => *old = value,
        None => list.push(value),
    }
}
