//! `Training`: what a learner does for a run, and `RoundContext`: what the run gives it to do.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use afterstate_values::AgentInfo;
use serde::{Deserialize, Serialize};

use super::RunError;
use super::budget::{Position, whole};
use crate::recipe::Budget;

/// A learner in a run. The run has the folder, the budget, metrics, checkpoints and the clock; the
/// learner has its weights.
pub(super) trait Training {
    /// What is learned, in words: a checkpoint belongs only to a learner with the same.
    fn identity(&self) -> String;

    /// Whether its iterations are the windows of the metrics, instead of so many games.
    fn iterates(&self) -> bool {
        false
    }

    /// Plays and learns until the turn is over, or a little longer.
    fn round(&mut self, turn: &RoundContext) -> Result<Round, RunError>;

    /// All that it needs to go on, but for its tensors.
    fn state(&self) -> serde_json::Result<serde_json::Value>;

    /// Goes on from a state. It may come from anyone: what is wrong with it is one sentence.
    fn restore(&mut self, state: serde_json::Value) -> Result<(), String>;

    /// What is too large for text: written into checkpoints, and filled from them after
    /// [`Training::restore`]; each is a whole number of four bytes.
    fn tensors(&mut self) -> Vec<(&'static str, &mut [u8])> {
        Vec::new()
    }

    /// Writes the agent that has been learned so far.
    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), RunError>;
}

/// What came of a round.
#[derive(Clone, Debug, Default)]
pub(super) struct Round {
    /// The games that ended, in any order.
    pub(super) games: Vec<GameResult>,
    /// Which phase of the recipe it was, where there are phases.
    pub(super) phase: usize,
    /// What there is to say besides the scores of games, such as the iteration or the best.
    pub(super) extra: BTreeMap<String, f64>,
    /// Whether an iteration ended with it.
    pub(super) iterated: bool,
    /// Whether there is nothing left to learn, whatever is left of the budget.
    pub(super) over: bool,
    /// What whoever watches should know.
    pub(super) notes: Vec<String>,
}

/// What one game of training came to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct GameResult {
    /// The number of the game.
    pub(super) number: u64,
    /// The sum of its rewards.
    pub(super) score: f64,
    /// Its moves.
    pub(super) moves: u64,
    /// What it reached, where the game has tiles.
    pub(super) reached: Option<u64>,
    /// Whether it started at the beginning.
    pub(super) fresh: bool,
}

/// What a round may do: games are numbered by it and counted in it, on any number of threads.
pub(super) struct RoundContext<'a> {
    budget: Budget,
    stop: &'a AtomicBool,
    /// How long the round lasts.
    length: Duration,
    clock: Instant,
    before: Position,
    episodes: AtomicU64,
    moves: AtomicU64,
}

impl<'a> RoundContext<'a> {
    pub(super) fn new(
        budget: Budget,
        before: Position,
        length: Duration,
        stop: &'a AtomicBool,
    ) -> RoundContext<'a> {
        let (episodes, moves) = (AtomicU64::new(before.episodes), AtomicU64::new(before.moves));
        RoundContext { budget, stop, length, clock: Instant::now(), before, episodes, moves }
    }

    /// The budget of the whole run.
    pub(super) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// How far the training has come by now.
    pub(super) fn position(&self) -> Position {
        Position {
            episodes: self.episodes.load(Ordering::Relaxed),
            moves: self.moves.load(Ordering::Relaxed),
            seconds: self.before.seconds + self.clock.elapsed().as_secs_f64(),
        }
    }

    /// The part of the budget that is spent, from 0 to 1.
    pub(super) fn spent(&self) -> f64 {
        self.position().part_of(&self.budget)
    }

    /// Whether the run was asked to stop: what is under way may be dropped, and done again when
    /// the run goes on.
    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether the time of the round is up.
    pub(super) fn over(&self) -> bool {
        self.stopped() || self.clock.elapsed() >= self.length
    }

    /// The number of the next game, and where in the budget it begins, unless the round is over or
    /// the game would begin past some part of the budget, given in its own unit.
    pub(super) fn next_game_before(&self, end: f64) -> Option<(u64, f64)> {
        if self.over() { None } else { self.claim_game_before(end) }
    }

    /// The same whether or not the round is over: for games that belong together.
    pub(super) fn claim_game_before(&self, end: f64) -> Option<(u64, f64)> {
        let begin = self.position().in_unit_of(&self.budget);
        if begin >= end {
            return None;
        }
        let number = self.episodes.fetch_add(1, Ordering::Relaxed);
        if self.budget.episodes.is_some() && number as f64 >= end {
            self.episodes.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some((number, begin))
    }

    /// Whether a game may begin that is only counted when it ends, by [`RoundContext::ended`]: a learner
    /// that drops games when it is stopped counts so.
    pub(super) fn may_begin(&self) -> bool {
        !self.over() && self.position().in_unit_of(&self.budget) < whole(&self.budget)
    }

    /// Counts a game that has ended, and returns its number.
    pub(super) fn ended(&self, moves: u64) -> u64 {
        self.count(moves);
        self.episodes.fetch_add(1, Ordering::Relaxed)
    }

    /// Counts the moves of a game that [`RoundContext::next_game_before`] numbered.
    pub(super) fn count(&self, moves: u64) {
        self.moves.fetch_add(moves, Ordering::Relaxed);
    }
}
