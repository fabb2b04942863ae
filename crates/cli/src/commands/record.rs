//! `record`: a game as a film and as a replay.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use afterstate_lab::film::{Cut, Footage, Shot, Style, film, sheet};
use afterstate_lab::sitting::{GameSession, LoadedAgent, Replay};
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
    film: Option<PathBuf>,
    frames: Option<usize>,
    width: Option<u32>,
    height: Option<u32>,
    bytes: Option<u64>,
    replay: Option<PathBuf>,
}

pub(crate) fn run(args: &Record, out: &mut Output) -> anyhow::Result<()> {
    let form = args.out.as_ref().map(|path| Form::of(path)).transpose()?;
    let (replay, mut sitting) = played(args)?;
    let mut recorded = Recorded {
        game: sitting.rules(),
        seed: sitting.seed(),
        moves: sitting.moves(),
        score: sitting.score(),
        film: args.out.clone(),
        frames: None,
        width: None,
        height: None,
        bytes: None,
        replay: args.replay_out.clone(),
    };
    if let Some(path) = &args.replay_out {
        beside(path, |file| Ok(file.write_all(replay.to_json().as_bytes())?))?;
    }
    if let (Some(path), Some(form)) = (&args.out, form) {
        let cut =
            Cut { cell: args.cell.map(f64::from), frames: args.frames as usize, delay: args.delay };
        let footage = match form {
            Form::Film => {
                sitting.rewind();
                beside(path, |file| Ok(film(&mut sitting, &cut, file)?))?
            }
            Form::Svg | Form::Png => {
                beside(path, |file| last_position(&sitting, &cut, form, file))?
            }
        };
        recorded.frames = Some(footage.frames);
        (recorded.width, recorded.height) = (Some(footage.width), Some(footage.height));
        recorded.bytes = fs::metadata(path).ok().map(|file| file.len());
    }
    if out.json() {
        return Ok(out.object(&recorded)?);
    }
    let unit = sitting.glance().unit;
    let Recorded { game, seed, moves, score, .. } = &recorded;
    let moves = count(*moves, "move");
    out.line(format!("{game}, seed {seed}: {moves}, {} {unit}", number(*score)))?;
    if let (Some(path), Some(frames)) = (&recorded.film, recorded.frames) {
        let size = recorded.bytes.unwrap_or(0).div_ceil(1024);
        let (width, height) = (recorded.width.unwrap_or(0), recorded.height.unwrap_or(0));
        let frames = count(frames as u64, "frame");
        out.line(format!("  {}: {frames} of {width}x{height}, {size} KiB", path.display()))?;
    }
    if let Some(path) = &recorded.replay {
        let path = path.display();
        out.line(format!("  {path}: see it with afterstate play --replay {path}"))?;
    }
    Ok(())
}

/// What a file shall be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Film,
    Svg,
    Png,
}

impl Form {
    fn of(path: &Path) -> anyhow::Result<Form> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("gif") => Ok(Form::Film),
            Some("svg") => Ok(Form::Svg),
            Some("png") => Ok(Form::Png),
            _ => bail!("met {}, expected a file that ends in .gif, .svg or .png", path.display()),
        }
    }
}

/// The position at the end as a picture.
fn last_position(
    sitting: &GameSession,
    cut: &Cut,
    form: Form,
    file: &mut BufWriter<File>,
) -> anyhow::Result<Footage> {
    let shot = Shot::of(sitting.glance());
    let own = Style::of(&shot.view);
    let sheet = sheet(&shot, &Style { cell: cut.cell.unwrap_or(own.cell), ..own });
    match form {
        Form::Svg => file.write_all(sheet.svg(&shot.view.game).as_bytes())?,
        _ => file.write_all(&sheet.png(2.0)?)?,
    }
    let (width, height) = sheet.size();
    Ok(Footage { frames: 1, width: width as u32, height: height as u32 })
}

/// The game to record, at its end.
fn played(args: &Record) -> anyhow::Result<(Replay, GameSession)> {
    if let Some(path) = &args.replay {
        return super::replay::read(path);
    }
    let rules = args.game.as_ref().ok_or_else(|| anyhow!("met no game, expected one"))?;
    let agent = args.agent.by_rules(rules);
    check_search(&agent, &args.search)?;
    let partner = LoadedAgent::load(&agent, rules)?;
    let mut sitting = GameSession::new(rules, args.seed);
    sitting.play_by(&partner, &args.search, args.moves)?;
    let replay =
        sitting.replay().ok_or_else(|| anyhow!("met a game that is too long to record"))?;
    Ok((replay.by(partner.name(), &args.search.to_string()), sitting))
}

/// Writes a file beside its place and renames it: it is whole or not there.
pub(crate) fn beside<T>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let cannot = || format!("cannot write {}", path.display());
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    let mut file = BufWriter::new(File::create(&part).with_context(cannot)?);
    let done = write(&mut file).and_then(|done| {
        file.flush()?;
        fs::rename(&part, path)?;
        Ok(done)
    });
    if done.is_err() {
        let _ = fs::remove_file(&part);
    }
    done.with_context(cannot)
}
