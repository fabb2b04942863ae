//! Games by hand and by agent: each behind a lock, with a revision by which two tabs that play the
//! same game notice each other.

use std::sync::Arc;
use std::time::{Duration, Instant};

use afterstate_games::spec::GameSpec;
use afterstate_lab::sitting::{Explanation, GameSession, Hints, Replay, SessionError, View};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

use crate::agents::{parse_game, parse_search};
use crate::app::{App, Shared};
use crate::body::Body;
use crate::failure::Failure;
use crate::limits::{LARGEST_REPLAY, LONGEST_TURN, MAX_MOVES};

/// A game and how often it has changed.
pub(crate) struct Seat {
    sitting: GameSession,
    revision: u64,
}

/// A game as the page shows it.
#[derive(Serialize)]
pub(crate) struct Shown {
    id: String,
    revision: u64,
    #[serde(flatten)]
    view: View,
}

impl Seat {
    fn new(sitting: GameSession) -> Seat {
        Seat { sitting, revision: 1 }
    }

    fn shown(&self, id: &str) -> Shown {
        let view = self.sitting.view();
        Shown { id: id.to_owned(), revision: self.revision, view }
    }

    /// Whether the sender has seen what the game looks like now.
    fn check(&self, revision: u64) -> Result<(), Failure> {
        if revision == self.revision {
            return Ok(());
        }
        Err(Failure::Conflict(format!(
            "met revision {revision}, expected {}: this game was played elsewhere meanwhile",
            self.revision
        )))
    }
}

/// The rules that there are, for the page's choices.
pub(crate) async fn rules() -> Json<serde_json::Value> {
    let game = |help: &afterstate_games::spec::GameHelp| {
        let example = |e: &(&str, &str)| serde_json::json!({"game": e.0, "about": e.1});
        let option = |o: &afterstate_games::spec::OptionHelp| serde_json::json!({"usage": o.usage, "default": o.default, "help": o.help});
        serde_json::json!({
            "name": help.name,
            "summary": help.summary,
            "options": help.options.iter().map(option).collect::<Vec<_>>(),
            "examples": help.examples.iter().map(example).collect::<Vec<_>>(),
        })
    };
    Json(GameSpec::ALL.iter().map(game).collect())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct New {
    game: String,
    seed: u64,
    /// A board to go on from.
    #[serde(default)]
    board: Option<String>,
}

/// A new game.
pub(crate) async fn open(
    State(app): State<Shared>,
    Body(new): Body<New>,
) -> Result<Json<Shown>, Failure> {
    let spec = parse_game(&new.game)?;
    let on = Arc::clone(&app);
    let opened = app.work.run(move || {
        let sitting = match &new.board {
            Some(board) => {
                GameSession::from_board(&spec, new.seed, board).map_err(Failure::wrong)?
            }
            None => GameSession::new(&spec, new.seed),
        };
        Ok(put(&on, sitting))
    });
    Ok(Json(opened.await?))
}

fn put(app: &App, sitting: GameSession) -> Shown {
    let seat = Seat::new(sitting);
    let shown = seat.shown("");
    Shown { id: app.games.put(seat), ..shown }
}

/// A game out of a replay, at its start.
pub(crate) async fn open_replay(
    State(app): State<Shared>,
    Body(replay): Body<serde_json::Value, LARGEST_REPLAY>,
) -> Result<Json<Shown>, Failure> {
    let on = Arc::clone(&app);
    let opened = app.work.run(move || {
        let replay = Replay::from_bytes(replay.to_string().as_bytes()).map_err(Failure::wrong)?;
        parse_game(&replay.game)?;
        let mut sitting = replay.sitting().map_err(Failure::wrong)?;
        sitting.rewind();
        Ok(put(&on, sitting))
    });
    Ok(Json(opened.await?))
}

/// What a game looks like.
pub(crate) async fn look(
    State(app): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<Shown>, Failure> {
    on_seat(&app, id, |id, seat| Ok(seat.shown(id))).await
}

/// A game that nobody needs any more.
pub(crate) async fn close(
    State(app): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<()>, Failure> {
    app.games.remove("game", &id).map(Json)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Move {
    revision: u64,
    #[serde(rename = "move")]
    mv: String,
}

/// One move by hand.
pub(crate) async fn play(
    State(app): State<Shared>,
    Path(id): Path<String>,
    Body(Move { revision, mv }): Body<Move>,
) -> Result<Json<Shown>, Failure> {
    on_seat(&app, id, move |id, seat| {
        seat.check(revision)?;
        seat.sitting.play(&mv).map_err(refused)?;
        seat.revision += 1;
        Ok(seat.shown(id))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Go {
    revision: u64,
    /// The number of moves after which the position is shown.
    to: u64,
}

/// Back or forth among the moves that are known.
pub(crate) async fn go(
    State(app): State<Shared>,
    Path(id): Path<String>,
    Body(Go { revision, to }): Body<Go>,
) -> Result<Json<Shown>, Failure> {
    on_seat(&app, id, move |id, seat| {
        seat.check(revision)?;
        if !seat.sitting.go_to(to) {
            let known = seat.sitting.glance().known;
            return Err(Failure::Wrong(format!("met move {to}, expected 0 to {known}")));
        }
        seat.revision += 1;
        Ok(seat.shown(id))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ByAgent {
    revision: u64,
    agent: String,
    search: String,
    /// Moves to make at most.
    moves: u64,
    /// Milliseconds to play for at most.
    ms: u64,
}

/// Some moves by an agent.
pub(crate) async fn play_by_agent(
    State(app): State<Shared>,
    Path(id): Path<String>,
    Body(by): Body<ByAgent>,
) -> Result<Json<Shown>, Failure> {
    let (search, on) = (parse_search(&by.search)?, Arc::clone(&app));
    on_seat(&app, id, move |id, seat| {
        seat.check(by.revision)?;
        let rules = seat.sitting.rules();
        let agent = on.agents.agent(&by.agent, &rules)?;
        let (clock, time) = (Instant::now(), Duration::from_millis(by.ms).min(LONGEST_TURN));
        let (most, mut made, mut once) = (by.moves.clamp(1, MAX_MOVES), 0, 1);
        while made < most {
            let done = seat.sitting.play_by(&agent, &search, once.min(most - made));
            let done = done.map_err(refused)?;
            made += done;
            if done < once || clock.elapsed() >= time {
                break;
            }
            // Ever more moves between two looks at the clock.
            once = (2 * once).min(64);
        }
        if made > 0 {
            seat.revision += 1;
        }
        Ok(seat.shown(id))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    agent: String,
    search: String,
}

/// What every move is worth, with the revision that was looked at.
#[derive(Serialize)]
pub(crate) struct Told {
    revision: u64,
    #[serde(flatten)]
    hints: Hints,
}

/// What every move is worth to an agent.
pub(crate) async fn hints(
    State(app): State<Shared>,
    Path(id): Path<String>,
    Body(asked): Body<Asked>,
) -> Result<Json<Told>, Failure> {
    let (search, on) = (parse_search(&asked.search)?, Arc::clone(&app));
    on_seat(&app, id, move |_, seat| {
        let agent = on.agents.agent(&asked.agent, &seat.sitting.rules())?;
        let hints = seat.sitting.hints(&agent, &search, 1).map_err(refused)?;
        Ok(Told { revision: seat.revision, hints })
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Look {
    agent: String,
    search: String,
    /// The move by its number among the options; the best one if there is none.
    #[serde(default)]
    number: Option<usize>,
}

/// What the value of a move is made of.
#[derive(Serialize)]
pub(crate) struct Seen {
    revision: u64,
    hints: Hints,
    /// What the moves are worth in truth, where the game is solved.
    exact: Option<Hints>,
    /// The move that was looked into.
    number: Option<usize>,
    /// What its value is made of, where the agent can tell.
    inside: Option<Explanation>,
}

/// What the value of a move is made of, and the truth where it is known.
pub(crate) async fn inside(
    State(app): State<Shared>,
    Path(id): Path<String>,
    Body(look): Body<Look>,
) -> Result<Json<Seen>, Failure> {
    let (search, on) = (parse_search(&look.search)?, Arc::clone(&app));
    on_seat(&app, id, move |_, seat| {
        let rules = seat.sitting.rules();
        let agent = on.agents.agent(&look.agent, &rules)?;
        let hints = seat.sitting.hints(&agent, &search, 1).map_err(refused)?;
        let exact = match on.agents.solved(&rules)? {
            Some(solved) => {
                let greedy = afterstate_search::Search::GREEDY;
                Some(seat.sitting.hints(&solved, &greedy, 1).map_err(refused)?)
            }
            None => None,
        };
        let number = look.number.or_else(|| hints.moves.first().map(|hint| hint.number));
        let inside = match number.map(|number| seat.sitting.inside(&agent, number)) {
            Some(Err(SessionError::NoValues(_))) | None => None,
            Some(inside) => Some(inside.map_err(refused)?),
        };
        Ok(Seen { revision: seat.revision, hints, exact, number, inside })
    })
    .await
}

/// The game as a file.
pub(crate) async fn replay(
    State(app): State<Shared>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let name = format!("attachment; filename=\"{id}.replay.json\"");
    let json = on_seat(&app, id, |_, seat| {
        let replay = seat.sitting.replay();
        let replay =
            replay.ok_or_else(|| Failure::Wrong("this game is too long to keep".into()))?;
        Ok(replay.to_json())
    });
    let Json(json) = json.await?;
    let kind = "application/json".to_owned();
    Ok(([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, name)], json).into_response())
}

/// What a sitting refuses is the request's fault.
fn refused(error: SessionError) -> Failure {
    match error {
        SessionError::Over => Failure::Conflict(error.to_string()),
        error => Failure::wrong(error),
    }
}

/// Does something with a game, off the threads that serve connections.
async fn on_seat<T: Send + 'static>(
    app: &Shared,
    id: String,
    then: impl FnOnce(&str, &mut Seat) -> Result<T, Failure> + Send + 'static,
) -> Result<Json<T>, Failure> {
    let mut seat = app.games.get("game", &id)?.lock_owned().await;
    let done = app.work.run(move || then(&id, &mut seat));
    done.await.map(Json)
}
