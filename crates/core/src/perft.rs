//! Perft: counts of all move and chance sequences to a depth, for comparing implementations.

use std::ops::AddAssign;

use crate::Game;

/// Counts over all sequences of a fixed number of moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Perft {
    /// Sequences of exactly that many moves, each followed by a chance outcome.
    pub sequences: u64,
    /// Sequences that reach a terminal state earlier.
    pub dead_ends: u64,
    /// The sum over all sequences of the rewards of their last moves.
    pub last_rewards: f64,
}

impl AddAssign for Perft {
    fn add_assign(&mut self, other: Perft) {
        self.sequences += other.sequences;
        self.dead_ends += other.dead_ends;
        self.last_rewards += other.last_rewards;
    }
}

/// Counts every sequence of `depth` moves and chance outcomes from a state, each with weight one.
pub fn perft<G: Game>(game: &G, state: &G::State, depth: u32) -> Perft {
    if depth == 0 {
        return Perft { sequences: 1, ..Perft::default() };
    }
    let mut total = Perft::default();
    let mut any_move = false;
    game.for_each_move(state, |_, step| {
        any_move = true;
        game.for_each_chance(&step.after, |next, _| {
            if depth == 1 {
                total.sequences += 1;
                total.last_rewards += f64::from(step.reward);
            } else {
                total += perft(game, &next, depth - 1);
            }
        });
    });
    if !any_move {
        total.dead_ends += 1;
    }
    total
}
