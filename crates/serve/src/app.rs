//! `App`: the state that all requests share, and the routes.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{get, post};
use tokio::sync::{Semaphore, watch};

use crate::agents::{self, Agents};
use crate::error::{ApiError, error_response};
use crate::games::{self, GameEntry};
use crate::guard::{Guard, guarded};
use crate::limits::{MAX_BODY, MAX_GAMES, MAX_REPLAY, MAX_UPLOADS};
use crate::lru_store::LruStore;
use crate::runs::{self, OverviewCache};
use crate::streams::{self, Streams};
use crate::trainer::Trainer;
use crate::worker_pool::WorkerPool;
use crate::{Settings, curves, page, results, review};

/// The state that all requests share.
pub(crate) struct App {
    pub(crate) settings: Settings,
    /// Short computations.
    pub(crate) workers: WorkerPool,
    /// Computations in which agents think: they never delay the short ones.
    pub(crate) thinkers: WorkerPool,
    pub(crate) uploads: Arc<Semaphore>,
    pub(crate) agents: Agents,
    pub(crate) games: LruStore<GameEntry>,
    pub(crate) streams: Streams,
    pub(crate) trainer: Trainer,
    pub(crate) overviews: OverviewCache,
    stopping: watch::Sender<bool>,
}

pub(crate) type Shared = Arc<App>;

impl App {
    pub(crate) fn new(settings: Settings) -> Shared {
        Arc::new(App {
            workers: WorkerPool::new(),
            thinkers: WorkerPool::new(),
            uploads: Arc::new(Semaphore::new(MAX_UPLOADS)),
            agents: Agents::new(&settings),
            games: LruStore::new("g", MAX_GAMES),
            streams: Streams::new(),
            trainer: Trainer::default(),
            overviews: OverviewCache::default(),
            stopping: watch::Sender::new(false),
            settings,
        })
    }

    /// Time for an agent to play or search in one request.
    pub(crate) fn think(&self) -> Duration {
        self.settings.limits.think
    }

    /// Ends streams and trainings, because the server stops.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
        self.trainer.stop_all();
    }

    /// Receives true when the server stops.
    pub(crate) fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }
}

pub(crate) fn router(app: &Shared, guard: Guard) -> Router {
    let api = Router::new()
        .route("/games", get(games::rules).post(games::open))
        .route("/games/{id}", get(games::get).delete(games::close))
        .route("/games/{id}/move", post(games::play))
        .route("/games/{id}/agent", post(games::play_by_agent))
        .route("/games/{id}/go", post(games::go))
        .route("/games/{id}/hints", post(games::hints))
        .route("/games/{id}/explain", post(games::explain))
        .route("/games/{id}/pieces", get(games::pieces))
        .route("/games/{id}/review", post(review::review))
        .route("/games/{id}/replay", get(games::replay))
        .route("/replays", post(games::open_replay).layer(DefaultBodyLimit::max(MAX_REPLAY)))
        .route("/agents", get(agents::list))
        .route("/streams", post(streams::open))
        .route("/streams/{id}", post(streams::change).delete(streams::close))
        .route("/streams/{id}/events", get(streams::events))
        .route("/recipes", get(runs::recipes))
        .route("/runs", get(runs::list).post(runs::start))
        .route("/runs/{name}/stop", post(runs::stop))
        .route("/runs/{name}/resume", post(runs::resume))
        .route("/curves", get(curves::curves))
        .route("/results", get(results::list))
        .route("/results/{name}", get(results::file))
        .with_state(Arc::clone(app));
    Router::new()
        .route("/", get(page::index))
        .route("/page/{name}", get(page::file))
        .nest("/api", api)
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(Arc::new(guard), guarded))
}

async fn not_found(uri: Uri) -> ApiError {
    ApiError::not_found("path", uri.path())
}

async fn method_not_allowed(method: Method, uri: Uri) -> Response {
    let path: String = uri.path().chars().take(80).collect();
    let error = format!("method {method} is not allowed for {path}");
    error_response(StatusCode::METHOD_NOT_ALLOWED, &error)
}
