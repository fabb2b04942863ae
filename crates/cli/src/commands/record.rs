//! `record`: a game as an animation, a picture or a replay.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use afterstate_render::animation::{self, Options, Stats};
use afterstate_render::{Frame, Position};
use afterstate_session::{GameSession, Replay, View};
use afterstate_values::replace_file;
use anyhow::{Context, anyhow, bail};
use serde::Serialize;

use super::eval::check_search;
use crate::args::Record;
use crate::output::{Output, count, number};

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
    let (replay, mut session) = played(args)?;
    let player = player(&replay);
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
        let cell = args.cell.map(f64::from);
        let stats = match format {
            Format::Gif => {
                let options = Options { cell, max_frames: args.frames as usize, delay: args.delay };
                let positions = positions(&mut session, player.as_deref());
                write_file(path, |file| Ok(animation::encode(&positions, &options, file)?))?
            }
            Format::Svg | Format::Png => write_file(path, |file| {
                last_position(&session, player.as_deref(), cell, format, file)
            })?,
        };
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

/// The format of a file, by its extension.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Gif,
    Svg,
    Png,
}

impl Format {
    fn of(path: &Path) -> anyhow::Result<Format> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("gif") => Ok(Format::Gif),
            Some("svg") => Ok(Format::Svg),
            Some("png") => Ok(Format::Png),
            _ => bail!("cannot write {}: the name must end in .gif, .svg or .png", path.display()),
        }
    }
}

/// Draws the last position.
fn last_position(
    session: &GameSession,
    player: Option<&str>,
    cell: Option<f64>,
    format: Format,
    file: &mut impl Write,
) -> anyhow::Result<Stats> {
    let view = session.glance();
    let canvas = Frame::new(position(&view, player)).draw(cell, view.scene.hand.len());
    match format {
        Format::Svg => file.write_all(canvas.svg(&view.game).as_bytes())?,
        _ => file.write_all(&canvas.png(2.0)?)?,
    }
    let (width, height) = canvas.size();
    Ok(Stats { frames: 1, width: width as u32, height: height as u32 })
}

/// All positions of a game, from its start.
fn positions(session: &mut GameSession, player: Option<&str>) -> Vec<Position> {
    session.rewind();
    let mut positions = vec![position(&session.glance(), player)];
    while session.redo() {
        positions.push(position(&session.glance(), player));
    }
    positions
}

/// Who played: the agent, and its search unless it is greedy.
fn player(replay: &Replay) -> Option<String> {
    let agent = replay.agent.as_ref()?;
    let search = replay.search.as_ref().filter(|search| *search != "greedy");
    Some(
        search
            .map_or_else(|| format!("agent {agent}"), |search| format!("agent {agent}, {search}")),
    )
}

/// The parts of a view that are drawn.
fn position(view: &View, player: Option<&str>) -> Position {
    let first = |text: &str, end: char| text.split(end).next().unwrap_or_default().to_owned();
    let banner = if view.truncated { "limit reached" } else { "game over" };
    Position {
        title: first(&view.game, ':'),
        player: player.map(str::to_owned),
        score: view.score,
        unit: first(view.unit, ','),
        moves: view.moves,
        scene: view.scene.clone(),
        last: view.last.as_ref().map(|last| last.mark.clone()),
        spawned: view.last.as_ref().map_or_else(Vec::new, |last| last.spawned.clone()),
        banner: view.finished.then(|| banner.to_owned()),
    }
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

/// Replaces a file by the output of `write`.
pub(crate) fn write_file<T>(
    path: &Path,
    write: impl FnOnce(&mut Vec<u8>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let context = || format!("cannot write {}", path.display());
    let mut bytes = Vec::new();
    let written = write(&mut bytes).with_context(context)?;
    replace_file(path, |file| file.write_all(&bytes)).with_context(context)?;
    Ok(written)
}
