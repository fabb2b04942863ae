//! Shows: agents that play side by side on the same seed, live, for as long as somebody watches.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::Stream;
use futures_util::stream::unfold;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use self::lane::Lane;
use crate::agents::{parse_game, parse_search};
use crate::app::Shared;
use crate::body::Body;
use crate::failure::Failure;
use crate::limits::{LANES, SHOWS};
use crate::shelf::Shelf;

mod lane;

/// All shows, and how many are being watched.
pub(crate) struct Shows {
    shelf: Shelf<Arc<Show>>,
    watched: Arc<AtomicUsize>,
}

impl Shows {
    pub(crate) fn new() -> Shows {
        Shows { shelf: Shelf::new("s", 4 * SHOWS), watched: Arc::new(AtomicUsize::new(0)) }
    }
}

/// What is to be played, and how fast.
struct Show {
    game: String,
    seed: u64,
    players: Vec<Player>,
    /// Bits of the moves a second; 0 for none, infinity for as fast as possible.
    pace: AtomicU64,
    watched: AtomicBool,
}

impl Show {
    fn pace(&self) -> f64 {
        f64::from_bits(self.pace.load(Ordering::Relaxed))
    }
}

/// Who plays on one board.
#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Player {
    agent: String,
    search: String,
}

/// A show to open.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct New {
    game: String,
    seed: u64,
    players: Vec<Player>,
    /// Moves a second; `null` for as fast as possible.
    pace: Option<f64>,
}

#[derive(Serialize)]
pub(crate) struct Opened {
    id: String,
    game: String,
}

/// A new show; it begins when somebody watches.
pub(crate) async fn open(
    State(app): State<Shared>,
    Body(new): Body<New>,
) -> Result<Json<Opened>, Failure> {
    let game = parse_game(&new.game)?.to_string();
    let count = new.players.len();
    if count == 0 || count > LANES {
        return Err(Failure::Wrong(format!("met {count} agents, expected 1 to {LANES}")));
    }
    for player in &new.players {
        parse_search(&player.search)?;
    }
    let (on, players, rules) = (Arc::clone(&app), new.players.clone(), game.clone());
    let ready = move || {
        players.iter().try_for_each(|player| on.agents.agent(&player.agent, &rules).map(drop))
    };
    app.work.run(ready).await?;
    let pace = AtomicU64::new(bits(new.pace)?);
    let show = Show {
        game: game.clone(),
        seed: new.seed,
        players: new.players,
        pace,
        watched: AtomicBool::new(false),
    };
    Ok(Json(Opened { id: app.shows.shelf.put(Arc::new(show)), game }))
}

fn bits(pace: Option<f64>) -> Result<u64, Failure> {
    match pace {
        None => Ok(f64::INFINITY.to_bits()),
        Some(pace) if (0.0..=1e9).contains(&pace) => Ok(pace.to_bits()),
        Some(pace) => Err(Failure::Wrong(format!("met {pace} moves a second, expected 0 to 1e9"))),
    }
}

/// Another speed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Change {
    pace: Option<f64>,
}

/// Changes the speed of a show; 0 pauses it.
pub(crate) async fn change(
    State(app): State<Shared>,
    Path(id): Path<String>,
    Body(change): Body<Change>,
) -> Result<Json<()>, Failure> {
    let bits = bits(change.pace)?;
    let show = app.shows.shelf.get("show", &id)?;
    show.lock().await.pace.store(bits, Ordering::Relaxed);
    Ok(Json(()))
}

/// Ends a show.
pub(crate) async fn close(
    State(app): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<()>, Failure> {
    app.shows.shelf.remove("show", &id).map(Json)
}

/// Somebody who watches. When they go away, however that happens, the playing ends.
struct Watching {
    lanes: Vec<Lane>,
    stop: Arc<AtomicBool>,
    show: Arc<Show>,
    count: Arc<AtomicUsize>,
    ending: watch::Receiver<bool>,
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.show.watched.store(false, Ordering::Relaxed);
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How often boards are shown at most.
const FRAME: Duration = Duration::from_millis(40);

/// How often a connection is tried on which nothing happens.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// The boards of a show as they change.
pub(crate) async fn stream(
    State(app): State<Shared>,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Failure> {
    let show = Arc::clone(&*app.shows.shelf.get("show", &id)?.lock().await);
    if show.watched.swap(true, Ordering::Relaxed) {
        return Err(Failure::Conflict("this show is being watched elsewhere".to_owned()));
    }
    let count = Arc::clone(&app.shows.watched);
    let others = count.fetch_add(1, Ordering::Relaxed);
    let mut watching = Watching {
        lanes: Vec::new(),
        stop: Arc::new(AtomicBool::new(false)),
        show: Arc::clone(&show),
        count,
        ending: app.ending(),
    };
    if others >= SHOWS {
        return Err(Failure::Busy(format!(
            "met {others} shows already, expected fewer than {SHOWS}: close one first"
        )));
    }
    let (on, stop) = (Arc::clone(&app), Arc::clone(&watching.stop));
    let lanes = app.work.run(move || {
        let spec = parse_game(&show.game)?;
        let lane = |(number, player): (usize, &Player)| {
            let agent = on.agents.agent(&player.agent, &show.game)?;
            let search = parse_search(&player.search)?;
            Lane::start(number, &show, &spec, agent, search, &stop)
        };
        show.players.iter().enumerate().map(lane).collect()
    });
    watching.lanes = lanes.await?;
    let events = unfold(watching, |mut watching| async move {
        loop {
            tokio::time::sleep(FRAME).await;
            if *watching.ending.borrow() {
                return None;
            }
            let news: Vec<_> = watching.lanes.iter_mut().filter_map(Lane::news).collect();
            if !news.is_empty() {
                let event = Event::default().json_data(&news).unwrap_or_default();
                return Some((Ok(event), watching));
            }
        }
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(SIGN_OF_LIFE)))
}
