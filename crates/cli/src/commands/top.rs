//! `top`: the progress of runs during training.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use afterstate_train::run::{Folder, RUNS};
use anyhow::bail;

use crate::args::Top;
use crate::output::Output;
use crate::terminal::screen::{Input, Screen};
use crate::terminal::top::{Follow, State};

/// The interval between two reads of the files of a run.
const INTERVAL: Duration = Duration::from_secs(1);

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
    if args.once || !crate::terminal::is_available() {
        return Ok(out.line(follow.plain(78, 24))?);
    }
    let mut screen = Screen::open()?;
    loop {
        screen.draw(|frame| follow.draw(frame))?;
        match screen.wait(INTERVAL)? {
            Input::Stop => return Ok(()),
            Input::Key(key) => {
                if !follow.key(key.code) {
                    return Ok(());
                }
            }
            Input::Resized => {}
            Input::Timeout => follow.read()?,
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
        None => bail!("there are no runs in {RUNS}/: start one with afterstate train 2048"),
    }
}
