//! `runs`: the runs, side by side.

use std::path::Path;

use afterstate_train::run::{Folder, RunState};
use serde::Serialize;

use crate::args::Runs;
use crate::output::{Output, grouped, number, print_error};

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
    finished: bool,
}

pub(crate) fn run(args: &Runs, out: &mut Output) -> anyhow::Result<()> {
    let folders: Vec<Folder> = match &args.runs[..] {
        [] => all(Path::new("runs"))?,
        paths => paths.iter().map(|path| Folder::open(path)).collect::<Result<_, _>>()?,
    };
    if folders.is_empty() && !out.json() {
        return Ok(out.line("There are no runs in runs/: start one with afterstate train 2048.")?);
    }
    if !out.json() {
        let heading =
            ["run", "game", "games", "moves", "seconds", "mean", "best mean", "best game"];
        let [run, game, rest @ ..] = heading;
        let rest: String = rest.iter().map(|word| format!("{word:>15}")).collect();
        out.line(format!("{run:<24}{game:<24}{rest}"))?;
    }
    for folder in folders {
        let overview = folder.overview()?;
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
        ];
        let cells: String = cells.iter().map(|cell| format!("{cell:>15}")).collect();
        out.line(format!("{:<24}{:<24}{cells}", listed.run, listed.game))?;
    }
    Ok(())
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
