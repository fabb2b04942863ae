//! `runs`: the runs, side by side, and how one is deleted.

use std::io::{self, IsTerminal};
use std::path::Path;

use afterstate_train::run::{Folder, MIN_PIECE, RunState};
use afterstate_values::{Strength, memory};
use anyhow::bail;
use serde::Serialize;
use serde_json::json;

use crate::args::Runs;
use crate::output::{Output, Usage, count, grouped, number, print_error};

#[derive(Serialize)]
struct Listed {
    run: String,
    game: String,
    seed: u64,
    episodes: u64,
    moves: u64,
    seconds: f64,
    mean: Option<f64>,
    best_mean: Option<f64>,
    max: Option<f64>,
    strength: Option<Strength>,
    disk_bytes: u64,
    finished: bool,
}

pub(crate) fn run(args: &Runs, out: &mut Output) -> anyhow::Result<()> {
    if args.delete {
        return args.runs.iter().try_for_each(|path| delete(path, args.yes, out));
    }
    if let (Some(pieces), [run]) = (&args.pack, &args.runs[..]) {
        return pack(run, pieces, args.piece_size, out);
    }
    if let (Some(pieces), [run]) = (&args.unpack, &args.runs[..]) {
        return unpack(pieces, run, out);
    }
    if args.pack.is_some() || args.unpack.is_some() {
        return Err(Usage("--pack and --unpack take one run".to_owned()).into());
    }
    let folders: Vec<Folder> = match &args.runs[..] {
        [] => all(Path::new("runs"))?,
        paths => paths.iter().map(|path| Folder::open(path)).collect::<Result<_, _>>()?,
    };
    if folders.is_empty() && !out.json() {
        return Ok(out.line("There are no runs in runs/: start one with afterstate train 2048.")?);
    }
    let length = |folder: &Folder| folder.path().display().to_string().chars().count();
    // Two columns apart, however long the name of a run is.
    let width = folders.iter().map(length).max().unwrap_or(0).max(22) + 2;
    if !out.json() {
        let heading =
            ["run", "game", "games", "moves", "seconds", "mean", "best mean", "best game", "disk"];
        let [run, game, rest @ ..] = heading;
        let rest: String = rest.iter().map(|word| format!("{word:>15}")).collect();
        out.line(format!("{run:<width$}{game:<24}{rest}"))?;
    }
    for folder in folders {
        let overview = match folder.overview() {
            // One damaged run of a list does not hide the others.
            Err(error) if args.runs.is_empty() => {
                print_error(&error.into());
                continue;
            }
            overview => overview?,
        };
        let listed = Listed {
            run: folder.path().display().to_string(),
            game: overview.game,
            seed: overview.seed,
            episodes: overview.episodes,
            moves: overview.moves,
            seconds: overview.seconds,
            mean: overview.mean,
            best_mean: overview.best_mean,
            max: overview.max,
            strength: overview.strength,
            disk_bytes: overview.disk_bytes,
            finished: overview.state == RunState::Finished,
        };
        if out.json() {
            out.object(&listed)?;
            continue;
        }
        let score = |value: Option<f64>| value.map_or("-".to_owned(), number);
        let cells = [
            grouped(listed.episodes),
            grouped(listed.moves),
            number(listed.seconds),
            score(listed.mean),
            score(listed.best_mean),
            score(listed.max),
            memory::show(listed.disk_bytes),
        ];
        let cells: String = cells.iter().map(|cell| format!("{cell:>15}")).collect();
        out.line(format!("{:<width$}{:<24}{cells}", listed.run, listed.game))?;
    }
    Ok(())
}

/// Deletes a run, if the user means it.
fn delete(path: &Path, sure: bool, out: &mut Output) -> anyhow::Result<()> {
    let (folder, run) = (Folder::open(path)?, path.display());
    if folder.is_training() {
        bail!("{run} is being trained: stop it before you delete it");
    }
    if !sure {
        if !out.is_terminal() || !io::stdin().is_terminal() {
            return Err(Usage("--delete needs --yes where nobody can be asked".to_owned()).into());
        }
        let disk = memory::show(folder.disk_bytes());
        out.prompt(&format!("Delete {run} with its agent and its curve, {disk}? [y/N] "))?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        if !matches!(answer.trim(), "y" | "Y" | "yes") {
            return Ok(out.line(format!("{run} is kept."))?);
        }
    }
    let deleted = Folder::delete(path)?;
    let object = json!({"deleted": path, "bytes": deleted.bytes, "folder": deleted.folder});
    out.object_or_line(&object, || {
        let disk = memory::show(deleted.bytes);
        let rest = if deleted.folder { "" } else { " Its folder stays: it has other files." };
        format!("{run} is deleted, {disk} are free.{rest}")
    })?;
    Ok(())
}

/// Writes a run in pieces.
fn pack(run: &Path, to: &Path, piece_size: u64, out: &mut Output) -> anyhow::Result<()> {
    if piece_size < MIN_PIECE {
        return Err(Usage(format!(
            "--piece-size {} is too small: expected 2MiB or more",
            memory::show(piece_size)
        ))
        .into());
    }
    let pieces = Folder::open(run)?.pack(to, piece_size)?;
    let object = json!({"run": run, "pieces": pieces});
    Ok(out.object_or_line(&object, || {
        format!(
            "{} is packed into {} in {}; there, make a run of it with afterstate runs {} --unpack {}",
            run.display(),
            count(pieces.len() as u64, "piece"),
            to.display(),
            run.display(),
            to.display(),
        )
    })?)
}

/// Makes a run from pieces.
fn unpack(pieces: &Path, run: &Path, out: &mut Output) -> anyhow::Result<()> {
    let folder = Folder::unpack(pieces, run)?;
    let object = json!({"run": run, "bytes": folder.disk_bytes()});
    Ok(out.object_or_line(&object, || {
        let run = run.display();
        format!("{run} is unpacked; resume it with afterstate train --resume {run}")
    })?)
}

/// All runs in a folder. An unreadable run does not hide the others.
fn all(parent: &Path) -> anyhow::Result<Vec<Folder>> {
    let mut folders = Vec::new();
    for path in Folder::all(parent)? {
        match Folder::open(&path) {
            Ok(folder) => folders.push(folder),
            Err(error) => print_error(&error.into()),
        }
    }
    Ok(folders)
}
