//! Streams: agents that play side by side on the same seed, live, while a client watches.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::stream::unfold;
use serde::{Deserialize, Serialize};
use tokio::sync::{Semaphore, watch};

use self::board_stream::{BoardStream, BoardUpdate};
use self::ranking::{Ranked, Scores, ranking};
use crate::agents::{parse_game, parse_search};
use crate::app::Shared;
use crate::body::Body;
use crate::error::ApiError;
use crate::limits::{MAX_BOARDS, MAX_STORED_STREAMS, MAX_STREAMS};
use crate::lru_store::LruStore;

mod board_stream;
mod ranking;

/// All streams, and how many more can be watched.
pub(crate) struct Streams {
    store: LruStore<Arc<Stream>>,
    watched: Arc<Semaphore>,
}

impl Streams {
    pub(crate) fn new() -> Streams {
        Streams {
            store: LruStore::new("s", MAX_STORED_STREAMS),
            watched: Arc::new(Semaphore::new(MAX_STREAMS)),
        }
    }
}

/// The games of a stream, and their speed.
struct Stream {
    game: String,
    seed: u64,
    players: Vec<Player>,
    /// The bits of the moves per second; 0 pauses, infinity is as fast as possible.
    pace: AtomicU64,
    watched: AtomicBool,
}

impl Stream {
    fn pace(&self) -> f64 {
        f64::from_bits(self.pace.load(Ordering::Relaxed))
    }
}

/// The player of one board.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Player {
    agent: String,
    search: String,
}

/// A stream to open.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewStream {
    game: String,
    seed: u64,
    players: Vec<Player>,
    /// Moves per second; `null` for as fast as possible.
    pace: Option<f64>,
}

#[derive(Serialize)]
pub(crate) struct Opened {
    id: String,
    game: String,
}

/// Opens a stream; its games start when a client watches.
pub(crate) async fn open(
    State(app): State<Shared>,
    Body(new): Body<NewStream>,
) -> Result<Json<Opened>, ApiError> {
    let game = parse_game(&new.game)?.to_string();
    let count = new.players.len();
    if count == 0 || count > MAX_BOARDS {
        let error = format!("a stream cannot have {count} agents: 1 to {MAX_BOARDS} are possible");
        return Err(ApiError::BadRequest(error));
    }
    let (shared, players, rules) = (Arc::clone(&app), new.players.clone(), game.clone());
    let check = move || {
        players.iter().try_for_each(|player| {
            let search = parse_search(&player.search, shared.think())?;
            let agent = shared.agents.agent(&player.agent, &rules)?;
            agent.check_search(&search).map_err(ApiError::bad_request)
        })
    };
    app.thinkers.run(check).await?;
    let stream = Stream {
        game: game.clone(),
        seed: new.seed,
        players: new.players,
        pace: AtomicU64::new(pace_bits(new.pace)?),
        watched: AtomicBool::new(false),
    };
    Ok(Json(Opened { id: app.streams.store.insert(Arc::new(stream)), game }))
}

fn pace_bits(pace: Option<f64>) -> Result<u64, ApiError> {
    match pace {
        None => Ok(f64::INFINITY.to_bits()),
        Some(pace) if (0.0..=1e9).contains(&pace) => Ok(pace.to_bits()),
        Some(pace) => Err(ApiError::BadRequest(format!(
            "invalid pace of {pace} moves per second: 0 to 1e9 are possible"
        ))),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangePace {
    pace: Option<f64>,
}

/// Changes the pace of a stream; 0 pauses it.
pub(crate) async fn change(
    State(app): State<Shared>,
    Path(id): Path<String>,
    Body(change): Body<ChangePace>,
) -> Result<Json<()>, ApiError> {
    let bits = pace_bits(change.pace)?;
    app.streams.store.get("stream", &id)?.lock().await.pace.store(bits, Ordering::Relaxed);
    Ok(Json(()))
}

/// Closes a stream.
pub(crate) async fn close(
    State(app): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<()>, ApiError> {
    app.streams.store.remove("stream", &id).map(Json)
}

/// The client that watches a stream. Its games stop when it is dropped with its connection.
struct Watcher {
    boards: Vec<BoardStream>,
    /// The games of the latest ranking.
    ranked: usize,
    stop: Arc<AtomicBool>,
    stream: Arc<Stream>,
    stopping: watch::Receiver<bool>,
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.stream.watched.store(false, Ordering::Relaxed);
    }
}

/// What has changed since the last event.
#[derive(Serialize)]
struct Updates {
    boards: Vec<BoardUpdate>,
    /// The agents, the best first, if all have finished another game.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranking: Option<Vec<Ranked>>,
}

impl Watcher {
    fn take_updates(&mut self) -> Option<Updates> {
        let boards: Vec<_> = self.boards.iter_mut().filter_map(BoardStream::take_update).collect();
        if boards.is_empty() {
            return None;
        }
        let scores: Vec<Scores> = self.boards.iter().map(BoardStream::scores).collect();
        let (ranked, games) = ranking(&scores, self.ranked).unzip();
        self.ranked = games.unwrap_or(self.ranked);
        Some(Updates { boards, ranking: ranked })
    }
}

/// The time between two events.
const FRAME: Duration = Duration::from_millis(40);

/// The time between keep-alive comments on an idle connection.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// Sends the boards of a stream as they change.
pub(crate) async fn events(
    State(app): State<Shared>,
    Path(id): Path<String>,
) -> Result<Sse<impl futures_util::Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let stream = Arc::clone(&*app.streams.store.get("stream", &id)?.lock().await);
    if stream.watched.swap(true, Ordering::Relaxed) {
        return Err(ApiError::Conflict("this stream is being watched elsewhere".to_owned()));
    }
    let mut watcher = Watcher {
        boards: Vec::new(),
        ranked: 0,
        stop: Arc::new(AtomicBool::new(false)),
        stream: Arc::clone(&stream),
        stopping: app.stopping(),
    };
    let Ok(place) = Arc::clone(&app.streams.watched).try_acquire_owned() else {
        let error = format!("{MAX_STREAMS} streams are being watched: close one first");
        return Err(ApiError::Unavailable(error));
    };
    // Every board holds the place until its thread ends, which may be after the watcher has gone.
    let place = Arc::new(place);
    let (shared, stop) = (Arc::clone(&app), Arc::clone(&watcher.stop));
    let boards = app.thinkers.run(move || {
        let spec = parse_game(&stream.game)?;
        let board = |(number, player): (usize, &Player)| {
            let agent = shared.agents.agent(&player.agent, &stream.game)?;
            let search = parse_search(&player.search, shared.think())?;
            BoardStream::start(number, &stream, &spec, (agent, search), &stop, &place)
        };
        stream.players.iter().enumerate().map(board).collect()
    });
    watcher.boards = boards.await?;
    let events = unfold(watcher, |mut watcher| async move {
        loop {
            tokio::time::sleep(FRAME).await;
            if *watcher.stopping.borrow() {
                return None;
            }
            if let Some(updates) = watcher.take_updates() {
                let event = Event::default().json_data(&updates).unwrap_or_default();
                return Some((Ok(event), watcher));
            }
        }
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Instant;

    use afterstate_agents::Agent;
    use afterstate_games::spec::GameSpec;
    use afterstate_search::Search;

    use super::*;

    fn until(mut holds: impl FnMut() -> bool) {
        let clock = Instant::now();
        while !holds() {
            assert!(clock.elapsed() < Duration::from_secs(60), "not within 60 s");
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn games_stop_with_their_watcher() {
        let rules: GameSpec = "2048:3x3".parse().unwrap();
        let stream = Arc::new(Stream {
            game: rules.to_string(),
            seed: 1,
            players: Vec::new(),
            pace: AtomicU64::new(f64::INFINITY.to_bits()),
            watched: AtomicBool::new(true),
        });
        let (stop, places) = (Arc::new(AtomicBool::new(false)), Arc::new(Semaphore::new(1)));
        let place = Arc::new(Arc::clone(&places).try_acquire_owned().unwrap());
        let agent = afterstate_engine::open(&rules).load(&Agent::Random).unwrap();
        let start = |number| {
            let (agent, search) = (agent.clone(), Search::GREEDY);
            BoardStream::start(number, &stream, &rules, (agent, search), &stop, &place).unwrap()
        };
        let mut watcher = Watcher {
            boards: (0..3).map(start).collect(),
            ranked: 0,
            stop: Arc::clone(&stop),
            stream: Arc::clone(&stream),
            stopping: watch::channel(false).1,
        };
        for board in &mut watcher.boards {
            until(|| board.take_update().is_some());
        }
        drop((watcher, place));
        // Every thread holds the stream until it ends.
        until(|| Arc::strong_count(&stream) == 1);
        assert!(!stream.watched.load(Ordering::Relaxed));
        until(|| places.available_permits() == 1);
    }
}
