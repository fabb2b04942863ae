//! Games as animations and pictures, for the command `record` and the Python package.

use std::io::Write;
use std::path::Path;

use afterstate_render::animation::{self, Options, Stats};
use afterstate_render::{Frame, Position};
use afterstate_session::{GameSession, Replay, View};
use afterstate_values::{claim, replace_file};
use anyhow::{Context, bail};

/// The format of a file, by its extension.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// An animation of the whole game.
    Gif,
    /// The last position as a vector drawing.
    Svg,
    /// The last position as pixels.
    Png,
}

impl Format {
    /// The format of a path; an error for any other extension.
    pub fn of(path: &Path) -> anyhow::Result<Format> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("gif") => Ok(Format::Gif),
            Some("svg") => Ok(Format::Svg),
            Some("png") => Ok(Format::Png),
            _ => bail!("cannot write {}: the name must end in .gif, .svg or .png", path.display()),
        }
    }
}

/// Writes a game in a format: of its session all moves are shown, or the last position.
pub fn write(
    path: &Path,
    format: Format,
    replay: &Replay,
    session: &mut GameSession,
    options: &Options,
) -> anyhow::Result<Stats> {
    let player = player(replay);
    match format {
        Format::Gif => {
            let positions = positions(session, player.as_deref());
            write_file(path, |file| Ok(animation::encode(&positions, options, file)?))
        }
        Format::Svg | Format::Png => write_file(path, |file| {
            last_position(session, player.as_deref(), options.cell, format, file)
        }),
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

/// Says that a file is going to be written, before the work for it begins: what cannot be written is refused at once,
/// and what another program writes meanwhile stays.
pub fn claim_file(path: &Path) -> anyhow::Result<()> {
    claim(path).with_context(|| format!("cannot write {}", path.display()))
}

/// Replaces a file by the output of `write`.
pub fn write_file<T>(
    path: &Path,
    write: impl FnOnce(&mut Vec<u8>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let context = || format!("cannot write {}", path.display());
    let mut bytes = Vec::new();
    let written = write(&mut bytes).with_context(context)?;
    replace_file(path, |file| file.write_all(&bytes)).with_context(context)?;
    Ok(written)
}
