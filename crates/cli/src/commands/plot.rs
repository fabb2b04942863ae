//! `plot`: learning curves of runs and charts of results, in the terminal or in files.

use std::io::Write;
use std::path::{Path, PathBuf};

use afterstate_render::RenderError;
use afterstate_render::chart::{Chart, Compared, Comparison, Measured};
use afterstate_reproduce::{Report, Value};
use afterstate_train::run::Folder;
use afterstate_train::run::plot::{Against, extra, extras, reach, scores};
use afterstate_values::replace_file;
use anyhow::{Context, bail};
use serde_json::json;

use crate::args::{Plot, XAxis};
use crate::output::Output;

pub(crate) fn run(args: &Plot, out: &mut Output) -> anyhow::Result<()> {
    if args.runs.iter().any(|path| path.extension().is_some_and(|end| end == "json")) {
        return results(args, out);
    }
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
            let known = if names.is_empty() {
                "these runs have no metrics besides scores".to_owned()
            } else {
                format!("the metrics of these runs are {names}")
            };
            bail!("--of: unknown metric {name:?}: {known}");
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
                let file = draw(path, suffix, || chart.svg(), || chart.png())?;
                out.object_or_line(&json!({"file": file}), || file.display().to_string())?;
            }
        }
    }
    Ok(())
}

/// Draws measured results beside published ones.
fn results(args: &Plot, out: &mut Output) -> anyhow::Result<()> {
    for path in &args.runs {
        let comparison = comparison(path)?;
        let Some(to) = &args.out else {
            out.line(comparison.terminal(78))?;
            continue;
        };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let suffix = if args.runs.len() == 1 { String::new() } else { format!("-{stem}") };
        let file = draw(to, &suffix, || comparison.svg(), || comparison.png())?;
        out.object_or_line(&json!({"file": file}), || file.display().to_string())?;
    }
    Ok(())
}

/// The rows of a results file.
fn comparison(path: &Path) -> anyhow::Result<Comparison> {
    let report = Report::read(path)?;
    let experiment = afterstate_reproduce::find(&report.name).with_context(|| {
        let (path, name) = (path.display(), &report.name);
        format!("{path}: name is {name:?}, but must be one of `afterstate reproduce --list`")
    })?;
    let measured = |value: Option<Value>| {
        let Value { value, ci95, .. } = value?;
        value.is_finite().then_some(Measured { value, ci95 })
    };
    let rows = experiment.published.iter().map(|published| {
        let what = published.quantity.to_string();
        let (row, unit) = (report.row(published.case, &what), published.quantity.axis());
        // An axis that names the quantity says it for all its rows.
        let named = unit.starts_with(&what);
        let case = published.case.to_owned();
        Compared {
            label: if named { case } else { format!("{case}: {what}") },
            unit,
            published: published.value,
            measured: measured(row.and_then(|row| row.measured)),
            played: measured(row.and_then(|row| row.played)),
        }
    });
    let note = format!("{} form; {}", report.form, report.command);
    Ok(Comparison { title: experiment.title.to_owned(), rows: rows.collect(), note })
}

/// Draws to `name-suffix.extension`.
fn draw(
    path: &Path,
    suffix: &str,
    svg: impl FnOnce() -> Result<String, RenderError>,
    png: impl FnOnce() -> Result<Vec<u8>, RenderError>,
) -> anyhow::Result<PathBuf> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned());
    let bytes = match extension.as_deref() {
        Some("svg") => svg()?.into_bytes(),
        Some("png") => png()?,
        _ => bail!("cannot write {}: the name must end in .svg or .png", path.display()),
    };
    let stem =
        path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let name = format!("{stem}{suffix}.{}", extension.unwrap_or_default());
    let file = path.with_file_name(name);
    let written = replace_file(&file, |file| file.write_all(&bytes));
    written.with_context(|| format!("cannot write {}", file.display()))?;
    Ok(file)
}
