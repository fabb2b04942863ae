//! Replays as every command reads them: verified move by move, and what they came to.

use std::path::Path;

use afterstate_lab::sitting::{GameSession, Replay};
use anyhow::Context;
use serde::Serialize;

use crate::output::{Output, count, number};

/// What `eval --replay` says.
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
    over: bool,
    reached: Option<u64>,
}

/// A replay from a file, and its sitting at the end.
pub(crate) fn read(path: &Path) -> anyhow::Result<(Replay, GameSession)> {
    let called = || path.display().to_string();
    let replay = Replay::read(path).with_context(called)?;
    let sitting = replay.sitting().with_context(called)?;
    Ok((replay, sitting))
}

/// Verifies a replay and says what it came to.
pub(crate) fn verify(path: &Path, out: &mut Output) -> anyhow::Result<()> {
    let (replay, sitting) = read(path)?;
    let view = sitting.glance();
    let verified = Verified {
        game: view.game,
        rules_version: replay.rules_version,
        seed: view.seed,
        agent: replay.agent.as_deref(),
        search: replay.search.as_deref(),
        moves: view.moves,
        score: view.score,
        unit: view.unit,
        over: view.over,
        reached: view.reached,
    };
    if out.json() {
        return Ok(out.object(&verified)?);
    }
    let Verified { game, seed, moves, score, unit, .. } = &verified;
    let by = replay.agent.as_ref().map_or_else(String::new, |agent| format!(", agent {agent}"));
    out.line(format!("{game}{by}, seed {seed}: every move is legal, and the score is right"))?;
    let how = if verified.over { "over" } else { "not over" };
    out.line(format!("  {}, {} {unit}, {how}", count(*moves, "move"), number(*score)))?;
    Ok(())
}
