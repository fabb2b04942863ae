//! Review of a game: the value of the best move and of the move played at every position.

use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};

use crate::agents::parse_search;
use crate::app::Shared;
use crate::body::Body;
use crate::error::ApiError;
use crate::games::{refused, with_game};

/// The most positions in one response.
const MAX_POSITIONS: u64 = 500;

/// Longer games are not reviewed: every response replays the game.
const MAX_REVIEWED: usize = 20_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReviewRequest {
    agent: String,
    search: String,
    /// The first position, counted in moves.
    from: u64,
}

/// One position of a game.
#[derive(Serialize)]
pub(crate) struct Reviewed {
    /// The move that was played.
    #[serde(rename = "move")]
    mv: String,
    /// Its value.
    value: Option<f32>,
    /// The best move.
    best: String,
    /// Its value.
    best_value: Option<f32>,
    /// The score before the move: with it, values of different positions compare.
    score: f64,
}

/// Evaluates the moves played from a position on, as many as fit into the time.
pub(crate) async fn review(
    State(app): State<Shared>,
    Path(id): Path<String>,
    Body(request): Body<ReviewRequest>,
) -> Result<Json<Vec<Reviewed>>, ApiError> {
    let (search, shared) = (parse_search(&request.search, app.think())?, Arc::clone(&app));
    let copied = with_game(&app, id, |_, game| {
        let moves = game.session.moves();
        let replay = game.session.replay().filter(|replay| replay.moves.len() <= MAX_REVIEWED);
        let too_long =
            format!("a game of {moves} moves is too long for a review: at most {MAX_REVIEWED}");
        Ok((game.session.rules(), replay.ok_or(ApiError::BadRequest(too_long))?))
    });
    // A copy is reviewed, so that the game itself can be played on.
    let Json((rules, replay)) = copied.await?;
    let reviewed = app.thinkers.run(move || {
        let agent = shared.agents.agent(&request.agent, &rules)?;
        let mut session = afterstate_engine::verify(&replay).map_err(ApiError::bad_request)?;
        let last = session.moves();
        let end = last.min(request.from.saturating_add(MAX_POSITIONS));
        let (clock, mut positions) = (Instant::now(), Vec::new());
        for at in request.from..end {
            session.go_to(at + 1);
            let mv = session.glance().last.map_or_else(String::new, |last| last.mv);
            session.go_to(at);
            let hints = session.hints(&agent, &search, 1).map_err(refused)?;
            let played = hints.moves.iter().find(|hint| hint.mv == mv);
            let Some(best) = hints.moves.first() else { break };
            positions.push(Reviewed {
                value: played.and_then(|hint| hint.value),
                mv,
                best: best.mv.clone(),
                best_value: best.value,
                score: session.score(),
            });
            if clock.elapsed() >= shared.think() {
                break;
            }
        }
        Ok(positions)
    });
    reviewed.await.map(Json)
}
