//! Games played by hand and by agents. Each has a lock and a revision: of two tabs that change the
//! same revision, the second is refused.

use std::sync::Arc;
use std::time::{Duration, Instant};

use afterstate_games::picture::Figure;
use afterstate_games::spec::{GameHelp, GameSpec};
use afterstate_search::Search;
use afterstate_session::{GameSession, Hints, Replay, SessionError, View};
use afterstate_values::Explanation;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::agents::{parse_game, parse_search};
use crate::app::{App, Shared};
use crate::body::{Body, Upload};
use crate::error::ApiError;

/// A game and the number of its changes.
pub(crate) struct GameEntry {
    pub(crate) session: GameSession,
    revision: u64,
}

/// A game as the page shows it.
#[derive(Serialize)]
pub(crate) struct GameView {
    id: String,
    revision: u64,
    #[serde(flatten)]
    view: View,
}

impl GameEntry {
    fn view(&self, id: &str) -> GameView {
        GameView { id: id.to_owned(), revision: self.revision, view: self.session.view() }
    }

    /// Checks that the client has seen the current revision.
    fn check(&self, revision: u64) -> Result<(), ApiError> {
        if revision == self.revision {
            return Ok(());
        }
        Err(ApiError::Conflict(format!(
            "this game was played elsewhere: its revision is {}, not {revision}",
            self.revision
        )))
    }
}

/// Lists the games with their options and examples.
pub(crate) async fn rules() -> Json<Value> {
    let game = |help: &GameHelp| {
        let example = |e: &(&str, &str)| json!({"game": e.0, "about": e.1});
        json!({
            "name": help.name,
            "summary": help.summary,
            "options": help.options,
            "examples": help.examples.iter().map(example).collect::<Vec<_>>(),
        })
    };
    Json(GameSpec::ALL.iter().map(game).collect())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewGame {
    game: String,
    seed: u64,
    /// The board to start from.
    #[serde(default)]
    board: Option<String>,
}

/// Opens a new game.
pub(crate) async fn open(
    State(app): State<Shared>,
    Body(new): Body<NewGame>,
) -> Result<Json<GameView>, ApiError> {
    let spec = parse_game(&new.game)?;
    let shared = Arc::clone(&app);
    let opened = app.workers.run(move || {
        let session = afterstate_engine::open(&spec).session(new.seed, new.board.as_deref());
        Ok(insert(&shared, session.map_err(ApiError::bad_request)?))
    });
    opened.await.map(Json)
}

fn insert(app: &App, session: GameSession) -> GameView {
    let game = GameEntry { session, revision: 1 };
    let view = game.view("");
    GameView { id: app.games.insert(game), ..view }
}

/// Opens a game from a replay, at its start.
pub(crate) async fn open_replay(
    State(app): State<Shared>,
    Upload { bytes, permit }: Upload,
) -> Result<Json<GameView>, ApiError> {
    let shared = Arc::clone(&app);
    let opened = app.thinkers.run(move || {
        let replay = Replay::from_bytes(&bytes).map_err(ApiError::bad_request)?;
        drop((bytes, permit));
        parse_game(&replay.game)?;
        let mut session = afterstate_engine::verify(&replay).map_err(ApiError::bad_request)?;
        session.rewind();
        Ok(insert(&shared, session))
    });
    opened.await.map(Json)
}

/// Returns a game.
pub(crate) async fn get(
    State(app): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<GameView>, ApiError> {
    with_game(&app, id, |id, game| Ok(game.view(id))).await
}

/// Lists every piece of a game's rules, for the editor of positions.
pub(crate) async fn pieces(
    State(app): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<Vec<Figure>>, ApiError> {
    with_game(&app, id, |_, game| Ok(game.session.pieces())).await
}

/// Removes a game.
pub(crate) async fn close(
    State(app): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<()>, ApiError> {
    app.games.remove("game", &id).map(Json)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Move {
    revision: u64,
    #[serde(rename = "move")]
    mv: String,
}

/// Plays one move.
pub(crate) async fn play(
    State(app): State<Shared>,
    Path(id): Path<String>,
    Body(Move { revision, mv }): Body<Move>,
) -> Result<Json<GameView>, ApiError> {
    with_game(&app, id, move |id, game| {
        game.check(revision)?;
        game.session.play(&mv).map_err(refused)?;
        game.revision += 1;
        Ok(game.view(id))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Go {
    revision: u64,
    /// The number of moves before the position.
    to: u64,
}

/// Goes to another position among the known moves.
pub(crate) async fn go(
    State(app): State<Shared>,
    Path(id): Path<String>,
    Body(Go { revision, to }): Body<Go>,
) -> Result<Json<GameView>, ApiError> {
    with_game(&app, id, move |id, game| {
        game.check(revision)?;
        if !game.session.go_to(to) {
            let known = game.session.glance().known;
            let error = format!("there is no move {to}: the game has {known} known moves");
            return Err(ApiError::BadRequest(error));
        }
        game.revision += 1;
        Ok(game.view(id))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlayByAgent {
    revision: u64,
    agent: String,
    search: String,
    /// The maximal number of moves.
    moves: u64,
    /// The maximal time in milliseconds.
    ms: u64,
}

/// Lets an agent play some moves.
pub(crate) async fn play_by_agent(
    State(app): State<Shared>,
    Path(id): Path<String>,
    Body(request): Body<PlayByAgent>,
) -> Result<Json<GameView>, ApiError> {
    let (search, shared) = (parse_search(&request.search, app.think())?, Arc::clone(&app));
    think(&app, id, move |id, game| {
        game.check(request.revision)?;
        let agent = shared.agents.agent(&request.agent, &game.session.rules())?;
        let (clock, time) = (Instant::now(), Duration::from_millis(request.ms).min(shared.think()));
        let (max, mut played, mut batch) =
            (request.moves.clamp(1, shared.settings.limits.moves), 0, 1);
        while played < max {
            let done = game.session.play_by(&agent, &search, batch.min(max - played));
            let done = done.map_err(refused)?;
            played += done;
            if done < batch || clock.elapsed() >= time {
                break;
            }
            // Larger batches make the clock cheap, once single moves are known to be fast.
            batch = (2 * batch).min(64);
        }
        if played > 0 {
            game.revision += 1;
        }
        Ok(game.view(id))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HintsRequest {
    agent: String,
    search: String,
}

/// The value of every move, and the revision to which they belong.
#[derive(Serialize)]
pub(crate) struct HintsOfGame {
    revision: u64,
    #[serde(flatten)]
    hints: Hints,
}

/// Evaluates every move by an agent.
pub(crate) async fn hints(
    State(app): State<Shared>,
    Path(id): Path<String>,
    Body(request): Body<HintsRequest>,
) -> Result<Json<HintsOfGame>, ApiError> {
    let (search, shared) = (parse_search(&request.search, app.think())?, Arc::clone(&app));
    think(&app, id, move |_, game| {
        let agent = shared.agents.agent(&request.agent, &game.session.rules())?;
        let hints = game.session.hints(&agent, &search, 1).map_err(refused)?;
        Ok(HintsOfGame { revision: game.revision, hints })
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExplainRequest {
    agent: String,
    search: String,
    /// The number of the move among the options; the best one by default.
    #[serde(default)]
    number: Option<usize>,
}

/// The value of every move, and the parts of one of them.
#[derive(Serialize)]
pub(crate) struct Explained {
    revision: u64,
    hints: Hints,
    /// The exact values, if the game is solved.
    exact: Option<Hints>,
    /// The number of the explained move.
    number: Option<usize>,
    /// The parts of its value, if the agent has values.
    explanation: Option<Explanation>,
}

/// Explains the value of a move, beside the exact value if the game is solved.
pub(crate) async fn explain(
    State(app): State<Shared>,
    Path(id): Path<String>,
    Body(request): Body<ExplainRequest>,
) -> Result<Json<Explained>, ApiError> {
    let (search, shared) = (parse_search(&request.search, app.think())?, Arc::clone(&app));
    think(&app, id, move |_, game| {
        let (session, rules) = (&game.session, game.session.rules());
        let agent = shared.agents.agent(&request.agent, &rules)?;
        let hints = session.hints(&agent, &search, 1).map_err(refused)?;
        let exact = shared.agents.solved(&rules)?;
        let exact = exact.map(|solved| session.hints(&solved, &Search::GREEDY, 1));
        let exact = exact.transpose().map_err(refused)?;
        let number = request.number.or_else(|| hints.moves.first().map(|hint| hint.number));
        let explanation = match number.map(|number| session.explain(&agent, number)) {
            Some(Err(SessionError::NoValues(_))) | None => None,
            Some(explanation) => Some(explanation.map_err(refused)?),
        };
        Ok(Explained { revision: game.revision, hints, exact, number, explanation })
    })
    .await
}

/// Returns the game as a replay file.
pub(crate) async fn replay(
    State(app): State<Shared>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let disposition = format!("attachment; filename=\"{id}.replay.json\"");
    let replay = with_game(&app, id, |_, game| {
        let too_long = || ApiError::BadRequest("this game is too long for a replay".to_owned());
        game.session.replay().map(|replay| replay.to_json()).ok_or_else(too_long)
    });
    let Json(json) = replay.await?;
    let kind = "application/json".to_owned();
    let headers = [(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, disposition)];
    Ok((headers, json).into_response())
}

/// The error of a session as that of the request.
pub(crate) fn refused(error: SessionError) -> ApiError {
    match error {
        SessionError::Finished | SessionError::Truncated(_) => {
            ApiError::Conflict(error.to_string())
        }
        error => ApiError::bad_request(error),
    }
}

/// Locks a game and lets an agent think about it.
async fn think<T: Send + 'static>(
    app: &Shared,
    id: String,
    then: impl FnOnce(&str, &mut GameEntry) -> Result<T, ApiError> + Send + 'static,
) -> Result<Json<T>, ApiError> {
    let mut game = app.games.get("game", &id)?.lock_owned().await;
    app.thinkers.run(move || then(&id, &mut game)).await.map(Json)
}

/// Locks a game and uses it on a worker.
pub(crate) async fn with_game<T: Send + 'static>(
    app: &Shared,
    id: String,
    then: impl FnOnce(&str, &mut GameEntry) -> Result<T, ApiError> + Send + 'static,
) -> Result<Json<T>, ApiError> {
    let mut game = app.games.get("game", &id)?.lock_owned().await;
    app.workers.run(move || then(&id, &mut game)).await.map(Json)
}
