//! `record`: a game as an animation, a picture or a replay.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use afterstate_render::animation::Options;
use afterstate_session::{GameSession, Replay};
use anyhow::anyhow;
use serde::Serialize;

use super::eval::check_search;
use crate::args::Record;
use crate::output::{Output, count, number};
use crate::recording::{self, Format, claim_file, write_file};

#[derive(Serialize)]
struct Recorded {
    game: String,
    seed: u64,
    moves: u64,
    score: f64,
    #[serde(rename = "film")]
    animation: Option<PathBuf>,
    frames: Option<usize>,
    width: Option<u32>,
    height: Option<u32>,
    bytes: Option<u64>,
    replay: Option<PathBuf>,
}

pub(crate) fn run(args: &Record, out: &mut Output) -> anyhow::Result<()> {
    let format = args.out.as_ref().map(|path| Format::of(path)).transpose()?;
    args.out.iter().chain(&args.replay_out).try_for_each(|path| claim_file(path))?;
    let (replay, mut session) = played(args)?;
    let mut recorded = Recorded {
        game: session.rules(),
        seed: session.seed(),
        moves: session.moves(),
        score: session.score(),
        animation: args.out.clone(),
        frames: None,
        width: None,
        height: None,
        bytes: None,
        replay: args.replay_out.clone(),
    };
    if let Some(path) = &args.replay_out {
        write_file(path, |file| Ok(file.write_all(replay.to_json().as_bytes())?))?;
    }
    if let (Some(path), Some(format)) = (&args.out, format) {
        let (cell, max_frames) = (args.cell.map(f64::from), args.frames as usize);
        let options = Options { cell, max_frames, delay: args.delay };
        let stats = recording::write(path, format, &replay, &mut session, &options)?;
        recorded.frames = Some(stats.frames);
        (recorded.width, recorded.height) = (Some(stats.width), Some(stats.height));
        recorded.bytes = fs::metadata(path).ok().map(|file| file.len());
    }
    if out.json() {
        return Ok(out.object(&recorded)?);
    }
    let unit = session.glance().unit;
    let Recorded { game, seed, moves, score, .. } = &recorded;
    let moves = count(*moves, "move");
    out.line(format!("{game}, seed {seed}: {moves}, {} {unit}", number(*score)))?;
    if let (Some(path), Some(frames)) = (&recorded.animation, recorded.frames) {
        let size = recorded.bytes.unwrap_or(0).div_ceil(1024);
        let (width, height) = (recorded.width.unwrap_or(0), recorded.height.unwrap_or(0));
        let frames = count(frames as u64, "frame");
        out.line(format!("  {}: {frames} of {width}x{height}, {size} KiB", path.display()))?;
    }
    if let Some(path) = &recorded.replay {
        let path = path.display();
        out.line(format!("  {path}: show it with afterstate play --replay {path}"))?;
    }
    Ok(())
}

/// The game to record, at its end.
fn played(args: &Record) -> anyhow::Result<(Replay, GameSession)> {
    if let Some(path) = &args.replay {
        return super::replay::read(path);
    }
    let rules = args.game.as_ref().ok_or_else(|| anyhow!("a game or --replay is required"))?;
    let engine = afterstate_engine::open(rules);
    let agent = engine.resolve(&args.agent);
    check_search(&agent, &args.search)?;
    let loaded = engine.load(&agent)?;
    let mut session = engine.session(args.seed, None)?;
    session.play_by(&loaded, &args.search, args.moves)?;
    let replay = session.replay().ok_or_else(|| anyhow!("the game is too long to record"))?;
    Ok((replay.by(loaded.name(), &args.search.to_string()), session))
}
