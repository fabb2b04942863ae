//! Replays from files, verified move by move.

use std::path::Path;

use afterstate_session::{GameSession, Replay};
use anyhow::Context;
use serde::Serialize;

use crate::output::{Output, count, number};

/// The output of `eval --replay --json`.
#[derive(Serialize)]
struct Verified<'a> {
    game: String,
    rules_version: u32,
    seed: u64,
    agent: Option<&'a str>,
    search: Option<&'a str>,
    moves: u64,
    score: f64,
    unit: &'static str,
    finished: bool,
    reached: Option<u64>,
}

/// A replay from a file, and its session at the end.
pub(crate) fn read(path: &Path) -> anyhow::Result<(Replay, GameSession)> {
    let name = || path.display().to_string();
    let replay = Replay::read(path).with_context(name)?;
    let session = afterstate_engine::verify(&replay).with_context(name)?;
    Ok((replay, session))
}

/// Verifies a replay and reports its result.
pub(crate) fn verify(path: &Path, out: &mut Output) -> anyhow::Result<()> {
    let (replay, session) = read(path)?;
    let view = session.glance();
    let verified = Verified {
        game: view.game,
        rules_version: replay.rules_version,
        seed: view.seed,
        agent: replay.agent.as_deref(),
        search: replay.search.as_deref(),
        moves: view.moves,
        score: view.score,
        unit: view.unit,
        finished: view.finished,
        reached: view.reached,
    };
    if out.json() {
        return Ok(out.object(&verified)?);
    }
    let Verified { game, seed, moves, score, unit, .. } = &verified;
    let by = replay.agent.as_ref().map_or_else(String::new, |agent| format!(", agent {agent}"));
    out.line(format!("{game}{by}, seed {seed}: every move is legal, and the score is correct"))?;
    let end = if verified.finished { "finished" } else { "not finished" };
    out.line(format!("  {}, {} {unit}, {end}", count(*moves, "move"), number(*score)))?;
    Ok(())
}
