//! `plot`: the curves of runs, in the terminal or in files.

use std::fs;
use std::path::{Path, PathBuf};

use afterstate_lab::chart::Chart;
use afterstate_lab::run::Folder;
use afterstate_lab::run::plot::{Against, extra, extras, reach, scores};
use anyhow::{Context, bail};
use serde::Serialize;

use crate::args::{Plot, XAxis};
use crate::output::Output;

#[derive(Serialize)]
struct Drawn {
    file: PathBuf,
}

pub(crate) fn run(args: &Plot, out: &mut Output) -> anyhow::Result<()> {
    let folders: Vec<Folder> =
        args.runs.iter().map(|path| Folder::open(path)).collect::<Result<_, _>>()?;
    let against = match args.against {
        XAxis::Episodes => Against::Episodes,
        XAxis::Moves => Against::Moves,
        XAxis::Seconds => Against::Seconds,
    };
    if let Some(name) = &args.of {
        let names = extras(&folders)?;
        if !names.contains(name) {
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            let names = if names.is_empty() { "no --of: these runs have none" } else { &names };
            bail!("--of: met {name:?}, expected {names}");
        }
        return show(&[(String::new(), extra(&folders, against, name)?)], args, out);
    }
    let mut charts = vec![(String::new(), scores(&folders, against)?)];
    for folder in &folders {
        let suffix = if folders.len() == 1 {
            "-reach".to_owned()
        } else {
            format!("-reach-{}", folder.name())
        };
        charts.extend(reach(folder, against)?.map(|chart| (suffix, chart)));
    }
    show(&charts, args, out)
}

/// Shows charts in the terminal, or draws each to a file.
fn show(charts: &[(String, Chart)], args: &Plot, out: &mut Output) -> anyhow::Result<()> {
    for (suffix, chart) in charts {
        match &args.out {
            None => out.line(chart.terminal(78, 20))?,
            Some(path) => {
                let file = draw(chart, path, suffix)?;
                if out.json() {
                    out.object(&Drawn { file })?;
                } else {
                    out.line(file.display().to_string())?;
                }
            }
        }
    }
    Ok(())
}

/// Draws to `name-suffix.extension`.
fn draw(chart: &Chart, path: &Path, suffix: &str) -> anyhow::Result<PathBuf> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned());
    let bytes = match extension.as_deref() {
        Some("svg") => chart.svg()?.into_bytes(),
        Some("png") => chart.png()?,
        _ => bail!("met {}, expected a file that ends in .svg or .png", path.display()),
    };
    let stem =
        path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let name = format!("{stem}{suffix}.{}", extension.unwrap_or_default());
    let file = path.with_file_name(name);
    fs::write(&file, bytes).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(file)
}
