//! `Learner`: the interface between a run and its learner; `RoundContext`: the budget, the clock
//! and the counts of games during a round.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use afterstate_games::spec::Spec;
use afterstate_values::AgentInfo;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::budget::{Position, whole};
use crate::recipe::Budget;

/// The error of a learner; each learner has its own.
pub type LearnerError = Box<dyn std::error::Error + Send + Sync>;

/// A learner in a run. The run owns the folder, the budget, the metrics, the checkpoints and the
/// clock; the learner owns its model.
pub trait Learner {
    /// A description of what is learned: a checkpoint is read only by a learner with the same
    /// identity.
    fn identity(&self) -> String;

    /// Whether a window of the metrics is an iteration instead of a number of games.
    fn iterates(&self) -> bool {
        false
    }

    /// Plays and learns until the round is over, or a little longer.
    fn round(&mut self, context: &RoundContext) -> Result<Round, LearnerError>;

    /// The name of the GPU that plays or learns, if one does.
    fn gpu(&self) -> Option<String> {
        None
    }

    /// Copies what was learned on a device to the tensors, which are written next.
    fn synchronize(&mut self) -> Result<(), LearnerError> {
        Ok(())
    }

    /// Everything that it needs to resume, except its tensors.
    fn state(&self) -> serde_json::Result<Value> {
        Ok(Value::Null)
    }

    /// Resumes from a state, which is validated.
    fn restore(&mut self, _: Value) -> Result<(), LearnerError> {
        Ok(())
    }

    /// The tensors of the state: written into checkpoints, and read from them after
    /// [`Learner::restore`]. Each has a multiple of four bytes.
    fn tensors(&mut self) -> Vec<(&'static str, &mut [u8])> {
        Vec::new()
    }

    /// Writes the agent that has been learned so far.
    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), LearnerError>;
}

/// A state in a checkpoint that is not one of the recipe.
#[derive(Debug, thiserror::Error)]
#[error("the state of the learner is damaged or belongs to another recipe")]
pub struct DamagedState;

/// Reads the state of a learner from a checkpoint, and validates it.
pub(super) fn read_state<S: DeserializeOwned>(
    state: Value,
    is_valid: impl FnOnce(&S) -> bool,
) -> Result<S, LearnerError> {
    let state = serde_json::from_value(state)?;
    if is_valid(&state) { Ok(state) } else { Err(DamagedState.into()) }
}

/// The outcome of a round.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// The games that ended, in any order.
    pub games: Vec<GameResult>,
    /// The phase of the recipe, from 0.
    pub phase: usize,
    /// Metrics besides the scores of games, such as the iteration.
    pub extra: BTreeMap<String, f64>,
    /// Whether an iteration ended with the round.
    pub iterated: bool,
    /// Whether the learner has converged, whatever is left of the budget.
    pub converged: bool,
    /// Notes for the observer.
    pub notes: Vec<String>,
}

impl Round {
    /// Adds a metric.
    pub(super) fn measure(&mut self, name: &str, value: f64) {
        self.extra.insert(name.to_owned(), value);
    }
}

/// The result of one game of training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameResult {
    /// The number of the game.
    pub number: u64,
    /// The sum of its rewards.
    pub score: f64,
    /// Its moves.
    pub moves: u64,
    /// The largest tile, in games with tiles.
    pub reached: Option<u64>,
    /// Whether it began at a starting state of the rules.
    pub fresh: bool,
}

impl GameResult {
    /// The result of a game that began at a starting state.
    pub(super) fn new<G: Spec>(
        game: &G,
        number: u64,
        (score, moves): (f64, u64),
        last: &G::State,
    ) -> GameResult {
        GameResult { number, score, moves, reached: game.reached(last), fresh: true }
    }

    /// The same; a game that may have been truncated because the end of the run is due counts in no
    /// mean.
    pub(super) fn unless_due(self, context: &RoundContext) -> GameResult {
        GameResult { fresh: self.fresh && !context.is_due(), ..self }
    }
}

/// After a stop, or at the end of a budget of seconds, games that are under way have so long to end:
/// a run that is stopped while it plays ordinary games gives the bytes of an unbroken one. What lasts
/// longer is truncated.
const GRACE: Duration = Duration::from_secs(3);

/// The time between two looks for a request to stop that comes from outside the process.
const REQUEST_INTERVAL: Duration = Duration::from_millis(100);

/// The context of a round: it numbers and counts games, on any number of threads.
pub struct RoundContext<'a> {
    budget: Budget,
    stop: &'a AtomicBool,
    /// Whether another process has requested a stop.
    requested: &'a (dyn Fn() -> bool + Sync),
    /// The next time at which that is asked, in milliseconds of the clock.
    next_request: AtomicU64,
    /// When the stop was noticed.
    stopped_at: OnceLock<Duration>,
    /// The length of the round, and its games.
    length: Duration,
    games: u64,
    clock: Instant,
    before: Position,
    episodes: AtomicU64,
    moves: AtomicU64,
}

impl<'a> RoundContext<'a> {
    pub(crate) fn new(
        budget: Budget,
        before: Position,
        length: Duration,
        stop: &'a AtomicBool,
        requested: &'a (dyn Fn() -> bool + Sync),
    ) -> RoundContext<'a> {
        RoundContext {
            budget,
            stop,
            requested,
            next_request: AtomicU64::new(0),
            stopped_at: OnceLock::new(),
            length,
            games: u64::MAX,
            clock: Instant::now(),
            before,
            episodes: AtomicU64::new(before.episodes),
            moves: AtomicU64::new(before.moves),
        }
    }

    /// The same; the round is also over after so many games.
    pub(super) fn up_to(self, games: u64) -> RoundContext<'a> {
        RoundContext { games, ..self }
    }

    /// The budget of the whole run.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The position of the training.
    pub fn position(&self) -> Position {
        Position {
            episodes: self.episodes.load(Ordering::Relaxed),
            moves: self.moves.load(Ordering::Relaxed),
            seconds: self.before.seconds + self.clock.elapsed().as_secs_f64(),
        }
    }

    /// The spent share of the budget, from 0 to 1.
    pub fn spent(&self) -> f64 {
        self.position().share_of(&self.budget)
    }

    /// Whether a stop was requested: unfinished work may be dropped, and is done again when the run
    /// is resumed.
    pub fn is_stopped(&self) -> bool {
        if self.stopped_at.get().is_some() {
            return true;
        }
        let now = self.clock.elapsed();
        let next = Duration::from_millis(self.next_request.load(Ordering::Relaxed));
        let asks = now >= next;
        if asks {
            let next = (now + REQUEST_INTERVAL).as_millis() as u64;
            self.next_request.store(next, Ordering::Relaxed);
        }
        let stopped = self.stop.load(Ordering::Relaxed) || (asks && (self.requested)());
        if stopped {
            self.stopped_at.get_or_init(|| now);
        }
        stopped
    }

    /// Whether games under way are truncated: a stop or the end of a budget of seconds is 3 seconds
    /// ago.
    pub fn is_due(&self) -> bool {
        let now = self.clock.elapsed();
        let spent = |seconds: f64| self.before.seconds + now.as_secs_f64() >= seconds;
        let late = |seconds: f64| spent(seconds + GRACE.as_secs_f64());
        self.budget.seconds.is_some_and(late)
            || (self.is_stopped() && self.stopped_at.get().is_some_and(|&at| now >= at + GRACE))
    }

    /// Whether the time of the round is up or its games are played, or a stop was requested.
    pub fn is_over(&self) -> bool {
        let games = self.episodes.load(Ordering::Relaxed) - self.before.episodes;
        self.is_stopped() || games >= self.games || self.clock.elapsed() >= self.length
    }

    /// Claims the next game: its number and its position in the unit of the budget. `None` if the
    /// round is over or the position is `end` or later.
    pub fn next_game_before(&self, end: f64) -> Option<(u64, f64)> {
        if self.is_over() { None } else { self.claim_game_before(end) }
    }

    /// The same, whether or not the round is over: for games that are played in groups.
    pub fn claim_game_before(&self, end: f64) -> Option<(u64, f64)> {
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

    /// Whether a game may begin that is counted only when it ends, by [`RoundContext::ended`]: for
    /// learners that drop unfinished games when they are stopped.
    pub fn may_begin(&self) -> bool {
        !self.is_over() && self.position().in_unit_of(&self.budget) < whole(&self.budget)
    }

    /// How many such games the budget has left. A budget of moves may be exceeded by the games that
    /// began together, as by those on several threads.
    pub fn games_left(&self) -> usize {
        let position = self.position();
        if position.spends(&self.budget) {
            return 0;
        }
        let left = self.budget.episodes.map(|all| all.saturating_sub(position.episodes));
        left.map_or(usize::MAX, |left| left as usize)
    }

    /// Counts a game that has ended, and returns its number.
    pub fn ended(&self, moves: u64) -> u64 {
        self.count(moves);
        self.episodes.fetch_add(1, Ordering::Relaxed)
    }

    /// Counts the moves of a game that [`RoundContext::next_game_before`] numbered.
    pub fn count(&self, moves: u64) {
        self.moves.fetch_add(moves, Ordering::Relaxed);
    }
}
