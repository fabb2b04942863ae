//! Commands that write files, and reproductions, interrupted again and again.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::disk::Disk;
use super::interrupt::{Moments, interrupted_by};
use super::left::names;
use crate::note;

/// Interrupts a command that writes one file: it is the old one or the new one, and nothing is beside it.
pub(super) fn output(
    program: &Path,
    disk: &Disk,
    words: &[&str],
    file: &str,
    times: u64,
) -> anyhow::Result<()> {
    let name = words[0];
    let place = disk.folder().join(name);
    fs::create_dir_all(&place)?;
    let path = place.join(file);
    let command = || {
        let mut command = Command::new(program);
        command.args(words).arg(&path);
        command
    };
    let clock = Instant::now();
    let status = command().stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    ensure!(status.success(), "{name}: failed");
    let (length, expected) = (clock.elapsed(), fs::read(&path)?);
    let mut moments = Moments(2);
    for number in 0..times {
        let way = moments.way(disk);
        let after = Duration::from_micros(moments.below(length.as_micros() as u64 + 1));
        interrupted_by(way, command(), after, disk, &mut moments)?;
        ensure!(fs::read(&path)? == expected, "{name}: other bytes");
        let count = fs::read_dir(&place)?.count();
        ensure!(count == 1, "{name}: a stray file after kill {number}");
    }
    note(format!("{name}: the old file or the new one after {times} kills"));
    Ok(())
}

/// Interrupts a reproduction again and again, and compares what it measures in the end.
pub(super) fn reproduce(
    program: &Path,
    folder: &Path,
    disk: &Disk,
    name: &str,
    times: u64,
) -> anyhow::Result<()> {
    let command = |place: &Path| {
        let mut command = Command::new(program);
        command.args(["reproduce", name, "--threads", "1", "--runs"]).arg(place.join("runs"));
        command.arg("--out").arg(place.join("results"));
        command
    };
    let (whole, broken) = (folder.join(format!("{name}-whole")), disk.folder().join(name));
    let clock = Instant::now();
    let status = command(&whole).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    ensure!(status.success(), "{name}: the unbroken reproduction failed");
    let (length, expected) = (clock.elapsed(), figures(&whole, name)?);
    let (mut moments, mut ended) = (Moments(3), 0);
    for _ in 0..times {
        let way = moments.way(disk);
        let after = Duration::from_micros(moments.below(length.as_micros() as u64 / 2 + 1));
        interrupted_by(way, command(&broken), after, disk, &mut moments)?;
        if broken.join(format!("results/quick/{name}.json")).exists() {
            ensure!(figures(&broken, name)? == expected, "{name}: other figures");
            fs::remove_dir_all(&broken)?;
            ended += 1;
        }
    }
    let status = command(&broken).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    ensure!(status.success(), "{name}: the last reproduction failed");
    ensure!(figures(&broken, name)? == expected, "{name}: other figures");
    let (found, expected) =
        (names(&broken.join("results/quick"))?, names(&whole.join("results/quick"))?);
    ensure!(found == expected, "{name}: files {found:?} instead of {expected:?}");
    note(format!(
        "{name}: the figures of an unbroken run, {} times, after {times} kills",
        ended + 1
    ));
    fs::remove_dir_all(&broken)?;
    Ok(fs::remove_dir_all(&whole)?)
}

/// What a reproduction has measured, without times and speeds.
fn figures(place: &Path, name: &str) -> anyhow::Result<Vec<serde_json::Value>> {
    let text = fs::read_to_string(place.join(format!("results/quick/{name}.json")))?;
    let report: serde_json::Value = serde_json::from_str(&text)?;
    let rows = report["rows"].as_array().context("a report without rows")?.iter();
    let is_timed = |row: &&serde_json::Value| {
        let what = row["what"].as_str().unwrap_or_default();
        ["time", "speed", "second"].iter().any(|word| what.contains(word))
    };
    Ok(rows.filter(|row| !is_timed(row)).cloned().collect())
}
