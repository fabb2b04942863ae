//! `BoardStream`: one board of a stream, played on its own thread until the watcher is gone.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use afterstate_agents::LoadedAgent;
use afterstate_games::spec::GameSpec;
use afterstate_search::Search;
use afterstate_session::{GameSession, Tally, TallySummary, View};
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;

use super::Stream;
use super::ranking::Scores;
use crate::error::ApiError;
use crate::lru_store::lock;

/// One board of a stream.
pub(super) struct BoardStream {
    latest: Arc<Mutex<Option<BoardUpdate>>>,
    scores: Scores,
}

/// The latest state of a board.
#[derive(Serialize)]
pub(super) struct BoardUpdate {
    board: usize,
    /// The number of the game, from 1.
    number: u64,
    view: View,
    summary: TallySummary,
    moves_per_second: f64,
}

/// The pause after a game, if single moves are shown.
const PAUSE_AFTER_GAME: Duration = Duration::from_millis(900);

/// The largest number of moves per second at which single moves are shown.
const MAX_SINGLE_MOVES: f64 = 25.0;

/// The time after which a thread reads the pace again.
const POLL: Duration = Duration::from_millis(20);

impl BoardStream {
    pub(super) fn start(
        board: usize,
        stream: &Arc<Stream>,
        rules: &GameSpec,
        (agent, search): (LoadedAgent, Search),
        stop: &Arc<AtomicBool>,
        place: &Arc<OwnedSemaphorePermit>,
    ) -> Result<BoardStream, ApiError> {
        let (latest, scores) = (Arc::new(Mutex::new(None)), Scores::default());
        let slot = EpisodeSlot {
            board,
            stream: Arc::clone(stream),
            rules: rules.clone(),
            agent,
            search,
            stop: Arc::clone(stop),
            latest: Arc::clone(&latest),
            scores: scores.clone(),
            _place: Arc::clone(place),
        };
        let thread = thread::Builder::new().name(format!("board {board}"));
        thread.spawn(move || slot.play()).map_err(ApiError::internal)?;
        Ok(BoardStream { latest, scores })
    }

    /// The scores of its games.
    pub(super) fn scores(&self) -> Scores {
        self.scores.clone()
    }

    /// The update since the last call.
    pub(super) fn take_update(&mut self) -> Option<BoardUpdate> {
        lock(&self.latest).take()
    }
}

/// The state of a board's thread, which plays one episode after the other.
struct EpisodeSlot {
    board: usize,
    stream: Arc<Stream>,
    rules: GameSpec,
    agent: LoadedAgent,
    search: Search,
    stop: Arc<AtomicBool>,
    latest: Arc<Mutex<Option<BoardUpdate>>>,
    scores: Scores,
    /// The place of the stream among those that are watched.
    _place: Arc<OwnedSemaphorePermit>,
}

impl EpisodeSlot {
    fn play(self) {
        let (mut tally, mut number) = (Tally::default(), 0);
        while !self.stopped() {
            let seed = self.stream.seed.wrapping_add(number);
            number += 1;
            let Ok(mut session) = afterstate_engine::open(&self.rules).session(seed, None) else {
                return;
            };
            self.publish(number, &session, &tally, 0.0);
            if !self.play_episode(number, &mut session, &tally) {
                return;
            }
            tally.count(&session);
            self.scores.push(session.score());
            self.publish(number, &session, &tally, 0.0);
            if self.stream.pace() <= MAX_SINGLE_MOVES {
                self.sleep(PAUSE_AFTER_GAME);
            }
        }
    }

    /// Plays a game to its end; false if it was stopped before.
    fn play_episode(&self, number: u64, session: &mut GameSession, tally: &Tally) -> bool {
        while !session.finished() {
            if self.stopped() {
                return false;
            }
            let (clock, pace, before) = (Instant::now(), self.stream.pace(), session.moves());
            if pace <= 0.0 {
                self.sleep(POLL);
                continue;
            }
            let frame = Duration::from_secs_f64(1.0 / pace.clamp(1e-3, MAX_SINGLE_MOVES));
            let max = (pace / MAX_SINGLE_MOVES).clamp(1.0, 1e6) as u64;
            let fast = pace > MAX_SINGLE_MOVES;
            // A move of a search may take seconds, in which the watcher may go away.
            let most = if self.search.is_greedy() { 16 } else { 1 };
            while session.moves() - before < max && !(fast && clock.elapsed() >= POLL) {
                if self.stopped() {
                    return false;
                }
                let batch = (max - (session.moves() - before)).min(most);
                match session.play_by(&self.agent, &self.search, batch) {
                    Ok(played) if played == batch => {}
                    _ => break,
                }
            }
            if pace.is_finite() {
                self.sleep(frame.saturating_sub(clock.elapsed()));
            }
            let speed = (session.moves() - before) as f64 / clock.elapsed().as_secs_f64();
            self.publish(number, session, tally, speed);
        }
        true
    }

    /// Publishes the board. At a pace that shows no single moves, an update that was not yet taken
    /// stays.
    fn publish(&self, number: u64, session: &GameSession, tally: &Tally, moves_per_second: f64) {
        let mut latest = lock(&self.latest);
        if latest.is_some() && self.stream.pace() > MAX_SINGLE_MOVES {
            return;
        }
        let (view, summary) = (session.glance(), tally.summary());
        *latest = Some(BoardUpdate { board: self.board, number, view, summary, moves_per_second });
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Sleeps until the time is over, the stream is stopped or its pace changes.
    fn sleep(&self, time: Duration) {
        let (clock, pace) = (Instant::now(), self.stream.pace());
        while clock.elapsed() < time && !self.stopped() && self.stream.pace() == pace {
            thread::sleep(POLL.min(time.saturating_sub(clock.elapsed())));
        }
    }
}
