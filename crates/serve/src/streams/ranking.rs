//! The ranking of watched agents: the games that all of them have finished, compared pair by pair as
//! `compare` does.

use std::sync::{Arc, Mutex};

use afterstate_agents::Summary;
use afterstate_agents::statistics::Paired;
use serde::Serialize;

use crate::lru_store::lock;

/// Games that are compared, so that a long stream neither fills memory nor slows down.
const MAX_GAMES: usize = 10_000;

/// The scores of a board's games, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Scores(Arc<Mutex<Vec<f64>>>);

impl Scores {
    pub(super) fn push(&self, score: f64) {
        let mut scores = lock(&self.0);
        if scores.len() < MAX_GAMES {
            scores.push(score);
        }
    }
}

/// An agent at its rank.
#[derive(Debug, Serialize)]
pub(super) struct Ranked {
    board: usize,
    /// Over the games that all agents have finished.
    score: Summary,
    /// This agent's scores minus those of the next one, game by game.
    over_next: Option<Paired>,
}

/// The agents by their means over the games that all have finished, if these are more than `before`.
/// The second value is their number.
pub(super) fn ranking(boards: &[Scores], before: usize) -> Option<(Vec<Ranked>, usize)> {
    let counts = boards.iter().map(|scores| lock(&scores.0).len());
    let games = counts.min().filter(|&games| games > before && boards.len() > 1)?;
    let mut all: Vec<(usize, Vec<f64>)> =
        boards.iter().map(|scores| lock(&scores.0)[..games].to_vec()).enumerate().collect();
    let total = |scores: &[f64]| scores.iter().sum::<f64>();
    all.sort_by(|one, other| total(&other.1).total_cmp(&total(&one.1)));
    let ranked = all.iter().enumerate().filter_map(|(rank, (board, scores))| {
        let next = all.get(rank + 1);
        let over_next = next.and_then(|next| Paired::of(&next.1, scores));
        Some(Ranked { board: *board, score: Summary::of_games(scores)?, over_next })
    });
    Some((ranked.collect(), games))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_ranked_over_the_games_that_all_have_finished() {
        let boards = [Scores::default(), Scores::default()];
        assert!(ranking(&boards, 0).is_none());
        for score in [10.0, 20.0, 30.0, 9_000.0] {
            boards[0].push(score);
        }
        for score in [11.0, 22.0, 33.0] {
            boards[1].push(score);
        }
        let (ranked, games) = ranking(&boards, 0).unwrap();
        assert_eq!((games, ranked[0].board, ranked[1].board), (3, 1, 0));
        assert_eq!(ranked[1].score.mean, 20.0, "the fourth game has no partner");
        let paired = Paired::of(&[10.0, 20.0, 30.0], &[11.0, 22.0, 33.0]);
        assert_eq!((ranked[0].over_next, ranked[1].over_next), (paired, None));
        assert!(ranking(&boards, games).is_none(), "nothing new");
    }
}
