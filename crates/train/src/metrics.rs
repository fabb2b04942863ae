//! Metrics: one line per window of games, in the order of the games' numbers.

use std::collections::BTreeMap;

use afterstate_agents::statistics::Summary;
use serde::{Deserialize, Serialize};

use crate::learners::{GameResult, Round};

/// The results of a window of games: one line of `metrics.jsonl`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Games played up to the end of the window.
    pub episodes: u64,
    /// Moves played up to there.
    pub moves: u64,
    /// Seconds of training up to about there.
    pub seconds: f64,
    /// The phase of the recipe, from 0.
    pub phase: usize,
    /// Mean score of the games that began at a starting state.
    pub mean: f64,
    /// The 95% interval of the mean; runs of version 0.1 have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci95: Option<(f64, f64)>,
    /// The number of these games; 0 if unknown, in runs of version 0.1.
    #[serde(default)]
    pub games: u64,
    /// Their best score.
    pub max: f64,
    /// Their mean length in moves.
    pub mean_moves: f64,
    /// The share of them that reached each tile or more, in games with tiles.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reach: BTreeMap<u64, f64>,
    /// Metrics of the learner, such as its iteration.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, f64>,
}

/// Collects games into windows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Windows {
    length: u64,
    moves: u64,
    /// The games of the unfinished window.
    open: Vec<GameResult>,
}

impl Windows {
    /// Windows of that many games.
    pub(crate) fn new(length: u64) -> Windows {
        Windows { length, moves: 0, open: Vec::new() }
    }

    /// Adds the games of a round; returns the windows that are full.
    pub(crate) fn add(&mut self, round: &Round, seconds: f64) -> Vec<Window> {
        let mut games = round.games.clone();
        games.sort_unstable_by_key(|game| game.number);
        let mut full = Vec::new();
        for game in games {
            self.moves += game.moves;
            self.open.push(game);
            if self.open.len() as u64 >= self.length {
                full.extend(self.close(round, seconds));
            }
        }
        if round.iterated {
            full.extend(self.close(round, seconds));
        }
        full
    }

    fn close(&mut self, round: &Round, seconds: f64) -> Option<Window> {
        let open = std::mem::take(&mut self.open);
        let episodes = open.last()?.number + 1;
        let fresh: Vec<&GameResult> = open.iter().filter(|game| game.fresh).collect();
        if fresh.is_empty() {
            return None;
        }
        let count = fresh.len() as f64;
        let scores: Vec<f64> = fresh.iter().map(|game| game.score).collect();
        let ci95 = Summary::of_games(&scores).and_then(|summary| summary.ci95);
        let mut ends = BTreeMap::new();
        for tile in fresh.iter().filter_map(|game| game.reached) {
            *ends.entry(tile).or_insert(0u64) += 1;
        }
        let mut reached = 0;
        let from_largest = ends.into_iter().rev().map(|(tile, games)| {
            reached += games;
            (tile, reached as f64 / count)
        });
        let reach: BTreeMap<u64, f64> = from_largest.collect();
        Some(Window {
            episodes,
            moves: self.moves,
            seconds,
            phase: round.phase,
            mean: scores.iter().sum::<f64>() / count,
            // JSON has no numbers that are not finite.
            ci95: ci95.filter(|(low, high)| low.is_finite() && high.is_finite()),
            games: fresh.len() as u64,
            max: scores.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            mean_moves: fresh.iter().map(|game| game.moves as f64).sum::<f64>() / count,
            reach,
            extra: round.extra.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(number: u64, score: f64, reached: u64) -> GameResult {
        GameResult { number, score, moves: 10, reached: Some(reached), fresh: number != 3 }
    }

    fn round(games: Vec<GameResult>) -> Round {
        Round { games, ..Round::default() }
    }

    #[test]
    fn iterations_close_windows_too() {
        let mut windows = Windows::new(u64::MAX);
        let extra: BTreeMap<String, f64> = [("iteration".to_owned(), 3.0)].into();
        let open = round(vec![game(0, 10.0, 4)]);
        assert!(windows.add(&open, 1.0).is_empty());
        let last = Round { extra: extra.clone(), iterated: true, ..round(vec![game(1, 30.0, 4)]) };
        let full = windows.add(&last, 2.0);
        let [window] = &full[..] else { panic!("{full:?}") };
        assert_eq!((window.episodes, window.mean, &window.extra), (2, 20.0, &extra));
        assert!(windows.add(&last, 2.0).len() == 1 && windows.open.is_empty());
    }

    #[test]
    fn windows_close_in_the_order_of_the_games() {
        let mut windows = Windows::new(4);
        let first = windows.add(&round(vec![game(1, 20.0, 8), game(0, 10.0, 4)]), 1.0);
        assert!(first.is_empty());
        let saved: Windows =
            serde_json::from_str(&serde_json::to_string(&windows).unwrap()).unwrap();
        assert_eq!(saved, windows);
        let full =
            windows.add(&round(vec![game(4, 1.0, 2), game(2, 30.0, 16), game(3, 99.0, 64)]), 2.0);
        let [window] = &full[..] else { panic!("{full:?}") };
        assert_eq!((window.episodes, window.moves, window.mean, window.max), (4, 40, 20.0, 30.0));
        assert_eq!(window.games, 3);
        let (low, high) = window.ci95.unwrap();
        assert!(low == 0.0 && high > 30.0, "{low} {high}: Student's t of three games");
        let reach: Vec<(u64, f64)> = window.reach.iter().map(|(&t, &r)| (t, r)).collect();
        assert_eq!(
            reach,
            [(4, 1.0), (8, 2.0 / 3.0), (16, 1.0 / 3.0)],
            "game 3 did not begin at a starting state"
        );
    }
}
