//! `reproduce`: published tables and figures, measured again.

use afterstate_core::Device;
use afterstate_core::cluster::{ClusterError, connected};
use afterstate_core::threads::cores;
use afterstate_reproduce::{
    Experiment, Report, Scale, TableCache, TrainingCache, experiments, find, table, write,
    write_pages,
};
use serde::Serialize;

use super::eval::print_cluster;
use crate::args::Reproduce;
use crate::output::{Output, Usage};
use crate::progress::{Progress, stop_on_interrupt};

#[derive(Serialize)]
struct Listed {
    experiment: &'static str,
    title: &'static str,
    source: &'static str,
    /// Of the full form, on two cores.
    minutes: u32,
}

pub(crate) fn run(args: &Reproduce, out: &mut Output) -> anyhow::Result<()> {
    if args.pages {
        let files = write_pages(&args.out)?;
        if !out.json() {
            out.line(format!("wrote {} files in {}", files.len(), args.out.display()))?;
        }
        return Ok(());
    }
    if args.list || args.experiments.is_empty() && !args.all {
        return list(out);
    }
    let chosen: Vec<&Experiment> = if args.all {
        experiments().collect()
    } else {
        args.experiments.iter().map(|name| named(name)).collect::<Result<_, _>>()?
    };
    let stop = stop_on_interrupt()?;
    let mut tables = TableCache::default();
    for experiment in chosen {
        if !out.json() {
            out.line(format!("{}: {}", experiment.name, experiment.title))?;
        }
        let device = if args.cluster.is_some() { Device::Cluster } else { args.device };
        let before = tasks(device)?;
        let mut progress = Progress::for_people(out);
        let mut cache = TrainingCache {
            scale: if args.full { Scale::Full } else { Scale::Quick },
            folder: args.runs.clone(),
            seed: args.seed,
            threads: args.threads.unwrap_or_else(cores),
            device,
            stop: &stop,
            observer: &mut progress,
            tables: &mut tables,
        };
        let report = experiment.run(&mut cache);
        drop(progress);
        let report = report?;
        let files = write(&report, &args.out)?;
        if out.json() {
            out.object(&report)?;
            out.flush()?;
            continue;
        }
        print(experiment, &report, out)?;
        if device == Device::Cluster && tasks(device)? == before {
            out.line("Nothing was left to share out to the cluster: this machine did it all.")?;
        } else {
            print_cluster(device, out)?;
        }
        for file in files {
            out.line(format!("wrote {}", file.display()))?;
        }
        out.line("")?;
        out.flush()?;
    }
    Ok(())
}

/// The tasks that the cluster of this process has answered, if it has one.
fn tasks(device: Device) -> Result<u64, ClusterError> {
    if device == Device::Cluster { Ok(connected()?.status().tasks) } else { Ok(0) }
}

fn named(name: &str) -> Result<&'static Experiment, Usage> {
    find(name).ok_or_else(|| {
        let names: Vec<&str> = experiments().map(|experiment| experiment.name).collect();
        Usage(format!("unknown experiment {name:?}: expected one of {}", names.join(", ")))
    })
}

fn list(out: &mut Output) -> anyhow::Result<()> {
    for &Experiment { name: experiment, title, source, minutes, .. } in experiments() {
        let takes = match minutes {
            ..=1 => "a minute".to_owned(),
            2..=120 => format!("{minutes} minutes"),
            _ => format!("{} hours", minutes.div_ceil(60)),
        };
        let text =
            || format!("{experiment}\n  {title}\n  {source}\n  --full: {takes} on two cores\n");
        out.object_or_line(&Listed { experiment, title, source, minutes }, text)?;
    }
    if !out.json() {
        out.line(
            "Measure one: afterstate reproduce NAME. All: --all. As long as the source: --full.",
        )?;
    }
    Ok(())
}

/// The table of a report, its columns aligned.
fn print(experiment: &Experiment, report: &Report, out: &mut Output) -> anyhow::Result<()> {
    let rows = table(experiment, report);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..rows[0].len()).filter_map(width).collect();
    out.line("")?;
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if column < 2 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        out.line(format!("  {}", cells.collect::<Vec<_>>().join("  ")))?;
    }
    out.line("")?;
    for note in &report.notes {
        out.line(note)?;
    }
    Ok(())
}
