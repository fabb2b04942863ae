//! `Chain`: the Markov chain of a game under a fixed policy, evaluated exactly.
//!
//! The expected length of a game is found by relative value iteration, as in
//! [`survive`](super::survive); its expected score is the mean score per move times that.

use std::collections::HashMap;
use std::ops::Range;

use afterstate_core::policy::Choice;
use afterstate_core::{Game, Index, Rng};

/// Enough sweeps for any chain of a small game to mix.
const MAX_SWEEPS: u64 = 200_000;

/// A transition: its target, probability and score.
#[derive(Clone, Copy, Debug)]
struct Edge {
    to: u32,
    probability: f64,
    score: f64,
}

/// The boards that a policy reaches and their transitions.
#[derive(Clone, Debug)]
pub struct Chain {
    edges: Vec<Edge>,
    /// The edges of the start, then those of each board.
    rows: Vec<Range<usize>>,
    /// For the start and each board the probability that there is a next move.
    alive: Vec<f64>,
}

/// The expected length and score of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// The expected moves of a game; `None` if it may never end.
    pub rounds: Option<f64>,
    /// The mean score per move.
    pub score_per_move: f64,
    /// The expected score of a game, if it ends.
    pub score: Option<f64>,
}

impl Chain {
    /// The chain of a policy, which gives every move that it may choose with its probability. `None`
    /// if the afterstates have no indices.
    pub fn new<G: Index>(
        game: &G,
        mut policy: impl FnMut(&G::State, &mut dyn FnMut(Choice<G>, f64)),
    ) -> Option<Chain> {
        game.index_len()?;
        let mut chain = Chain { edges: Vec::new(), rows: Vec::new(), alive: Vec::new() };
        let mut rows: HashMap<u64, u32> = HashMap::new();
        let mut open: Vec<u64> = Vec::new();
        let mut row =
            |state: G::State, probability: f64, chain: &mut Chain, open: &mut Vec<u64>| {
                let mut alive = 0.0;
                policy(&state, &mut |(_, step), chosen| {
                    let Some(index) = game.index_of(&step.after) else { return };
                    let to = *rows.entry(index).or_insert_with(|| {
                        open.push(index);
                        open.len() as u32
                    });
                    let probability = probability * chosen;
                    chain.edges.push(Edge { to, probability, score: f64::from(step.reward) });
                    alive += chosen;
                });
                if alive > 0.0 { probability } else { 0.0 }
            };
        let (mut begin, mut alive) = (0, 0.0);
        game.for_each_start(|state, probability| {
            alive += row(state, probability, &mut chain, &mut open);
        });
        chain.end_row(&mut begin, alive);
        let mut next = 0;
        while next < open.len() {
            let mut alive = 0.0;
            if let Some(after) = game.after_at(open[next]) {
                Game::for_each_chance(game, &after, |state, probability| {
                    alive += row(state, probability, &mut chain, &mut open);
                });
            }
            chain.end_row(&mut begin, alive);
            next += 1;
        }
        Some(chain)
    }

    fn end_row(&mut self, begin: &mut usize, alive: f64) {
        self.rows.push(*begin..self.edges.len());
        // Sums of many probabilities are inexact.
        self.alive.push(if alive > 1.0 - 1e-12 { 1.0 } else { alive });
        *begin = self.edges.len();
    }

    /// The expectation of `of` over the edges of row `i`.
    #[inline]
    fn expect(&self, i: usize, of: impl Fn(&Edge) -> f64) -> f64 {
        self.edges[self.rows[i].clone()].iter().map(|edge| edge.probability * of(edge)).sum()
    }

    /// The expected length and score of a game.
    pub fn expected(&self) -> Expected {
        let rounds = self.hazard().map(|hazard| 1.0 / hazard);
        let score_per_move = self.mean_score();
        Expected { rounds, score_per_move, score: rounds.map(|rounds| rounds * score_per_move) }
    }

    /// The hazard rate from the start: deaths per move; `None` if there are none.
    fn hazard(&self) -> Option<f64> {
        if self.alive.iter().all(|&alive| alive == 1.0) {
            return None;
        }
        let mut before = 0.0;
        let hazard = self.relative_value_iteration(
            |i, loss| 1.0 - self.alive[i] + self.expect(i, |edge| loss[edge.to as usize]),
            |sweep, hazard, change| {
                let settled = (hazard - before).abs() <= 1e-13 * hazard && change <= 1e-13;
                before = hazard;
                sweep > 10 && (settled && hazard > 0.0 || change == 0.0)
            },
        );
        (hazard > 1e-14).then_some(hazard)
    }

    /// The score per move of a long game from the start.
    fn mean_score(&self) -> f64 {
        self.relative_value_iteration(
            |i, bias| self.expect(i, |edge| edge.score + bias[edge.to as usize]),
            |_, mean, change| change <= 1e-11 * mean.abs().max(1.0),
        )
    }

    /// The mean per move from the start: `backup` gives the next value of a row by the values of
    /// all, `is_settled` is asked with the sweep, the mean and the largest change of a value.
    fn relative_value_iteration(
        &self,
        backup: impl Fn(usize, &[f64]) -> f64,
        mut is_settled: impl FnMut(u64, f64, f64) -> bool,
    ) -> f64 {
        let mut values = vec![0.0; self.rows.len()];
        let mut next = values.clone();
        let mut mean = 0.0;
        for sweep in 0..MAX_SWEEPS {
            for (i, next) in next.iter_mut().enumerate() {
                *next = backup(i, &values);
            }
            mean = next[0] / self.alive[0].max(f64::MIN_POSITIVE);
            for (next, alive) in next.iter_mut().zip(&self.alive) {
                *next -= alive * mean;
            }
            let changes = next.iter().zip(&values).map(|(new, old)| (new - old).abs());
            let change = changes.fold(0.0, f64::max);
            std::mem::swap(&mut values, &mut next);
            if is_settled(sweep, mean, change) {
                break;
            }
        }
        mean
    }

    /// The expected score and moves of a game that is truncated after so many moves.
    pub fn first(&self, moves: u64) -> (f64, f64) {
        let mut both = vec![(0.0, 0.0); self.rows.len()];
        let mut next = both.clone();
        for _ in 0..moves {
            for (i, next) in next.iter_mut().enumerate() {
                let score = self.expect(i, |edge| edge.score + both[edge.to as usize].0);
                let later = self.expect(i, |edge| both[edge.to as usize].1);
                *next = (score, self.alive[i] + later);
            }
            std::mem::swap(&mut both, &mut next);
        }
        both[0]
    }

    /// The moves and the score of one game, truncated after so many moves. It needs no rules, which
    /// makes it fast enough to repeat an experiment of some games thousands of times.
    pub fn play(&self, max_moves: u64, rng: &mut Rng) -> (u64, f64) {
        let (mut row, mut moves, mut score) = (0, 0, 0.0);
        while moves < max_moves {
            let mut left = rng.unit();
            let next = self.edges[self.rows[row].clone()].iter().find(|edge| {
                left -= edge.probability;
                left < 0.0
            });
            let Some(edge) = next else { break };
            (row, moves, score) = (edge.to as usize, moves + 1, score + edge.score);
        }
        (moves, score)
    }
}
