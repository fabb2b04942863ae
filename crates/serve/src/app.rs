//! `App`: what all requests share, and which request goes where.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use tokio::sync::watch;

use crate::agents::Agents;
use crate::failure::Failure;
use crate::games::{self, Seat};
use crate::guard::{Guard, guarded};
use crate::limits::{GAMES, LARGEST_BODY, LARGEST_REPLAY};
use crate::runs::Overviews;
use crate::shelf::Shelf;
use crate::shows::{self, Shows};
use crate::trainer::Trainer;
use crate::work::Work;
use crate::{Settings, agents, page, results, runs};

/// What all requests share.
pub(crate) struct App {
    pub(crate) settings: Settings,
    pub(crate) work: Work,
    pub(crate) agents: Agents,
    pub(crate) games: Shelf<Seat>,
    pub(crate) shows: Shows,
    pub(crate) trainer: Trainer,
    pub(crate) overviews: Overviews,
    /// Turns true when the server stops.
    ending: watch::Sender<bool>,
}

pub(crate) type Shared = Arc<App>;

impl App {
    pub(crate) fn new(settings: Settings) -> Shared {
        Arc::new(App {
            work: Work::new(),
            agents: Agents::new(&settings),
            games: Shelf::new("g", GAMES),
            shows: Shows::new(),
            trainer: Trainer::new(),
            overviews: Overviews::default(),
            ending: watch::Sender::new(false),
            settings,
        })
    }

    /// Tells streams and trainings that the server stops.
    pub(crate) fn end(&self) {
        self.ending.send_replace(true);
        self.trainer.stop_all();
    }

    /// Something that turns true when the server stops.
    pub(crate) fn ending(&self) -> watch::Receiver<bool> {
        self.ending.subscribe()
    }
}

pub(crate) fn router(app: &Shared, address: SocketAddr) -> Router {
    let api = Router::new()
        .route("/games", get(games::rules).post(games::open))
        .route("/games/{id}", get(games::look).delete(games::close))
        .route("/games/{id}/move", post(games::play))
        .route("/games/{id}/agent", post(games::play_by_agent))
        .route("/games/{id}/go", post(games::go))
        .route("/games/{id}/hints", post(games::hints))
        .route("/games/{id}/inside", post(games::inside))
        .route("/games/{id}/replay", get(games::replay))
        .route("/replays", post(games::open_replay).layer(DefaultBodyLimit::max(LARGEST_REPLAY)))
        .route("/agents", get(agents::list))
        .route("/shows", post(shows::open))
        .route("/shows/{id}", post(shows::change).delete(shows::close))
        .route("/shows/{id}/stream", get(shows::stream))
        .route("/recipes", get(runs::recipes))
        .route("/runs", get(runs::list).post(runs::start))
        .route("/runs/{name}/stop", post(runs::stop))
        .route("/runs/{name}/resume", post(runs::resume))
        .route("/chart", get(runs::chart))
        .route("/results", get(results::list))
        .route("/results/{name}", get(results::one))
        .with_state(Arc::clone(app));
    Router::new()
        .route("/", get(page::index))
        .route("/page/{name}", get(page::file))
        .nest("/api", api)
        .fallback(nowhere)
        .method_not_allowed_fallback(no_such_way)
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(from_fn_with_state(Arc::new(Guard::new(address)), guarded))
}

async fn nowhere(uri: axum::http::Uri) -> Failure {
    Failure::unknown("address", uri.path())
}

async fn no_such_way(method: axum::http::Method) -> axum::response::Response {
    use axum::response::IntoResponse;
    let error = format!("met {method}, expected another method for this address");
    let told = axum::Json(crate::failure::Told { error });
    (axum::http::StatusCode::METHOD_NOT_ALLOWED, told).into_response()
}
