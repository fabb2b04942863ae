//! `top`: trainings followed while they run.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use afterstate_lab::run::Folder;
use anyhow::bail;

use super::train::RUNS;
use crate::args::Top;
use crate::output::Output;
use crate::terminal::screen::{Happening, Screen};
use crate::terminal::top::{Follow, State};

/// How often the files of a run are read again.
const EVERY: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &Top, out: &mut Output) -> anyhow::Result<()> {
    let paths = match &args.runs[..] {
        [] => vec![newest(Path::new(RUNS))?],
        paths => paths.to_vec(),
    };
    let folders: Vec<Folder> =
        paths.iter().map(|path| Folder::open(path)).collect::<Result<_, _>>()?;
    if out.json() {
        for folder in &folders {
            out.object(&State::of(folder)?)?;
        }
        return Ok(());
    }
    let mut follow = Follow::new(folders);
    follow.read()?;
    if args.once || !crate::terminal::is_there() {
        return Ok(out.line(follow.plain(78, 24))?);
    }
    let mut screen = Screen::open()?;
    loop {
        screen.draw(|frame| follow.draw(frame))?;
        match screen.wait(EVERY)? {
            Happening::Stop => return Ok(()),
            Happening::Key(key) => {
                if !follow.key(key.code) {
                    return Ok(());
                }
            }
            Happening::Resized => {}
            Happening::Nothing => follow.read()?,
        }
    }
}

/// The run whose metrics were written last.
fn newest(parent: &Path) -> anyhow::Result<PathBuf> {
    let written = |path: &PathBuf| {
        let metrics = ["metrics.jsonl", "recipe.toml"].map(|name| fs::metadata(path.join(name)));
        let times = metrics.into_iter().flatten().filter_map(|file| file.modified().ok());
        times.max().unwrap_or(SystemTime::UNIX_EPOCH)
    };
    match Folder::all(parent)?.into_iter().max_by_key(written) {
        Some(path) => Ok(path),
        None => bail!("met no run in {RUNS}/, expected one: start one with afterstate train 2048"),
    }
}
