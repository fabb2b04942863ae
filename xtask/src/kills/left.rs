//! What an interrupted run left: its files, its checkpoint, its metrics.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::Value;

/// Seconds between two checkpoints, as the trainings are told.
pub(super) const INTERVAL: f64 = 0.05;

/// The names of the files in a folder. Every start of a training has events of its own, whose name tells
/// when.
pub(super) fn names(folder: &Path) -> anyhow::Result<BTreeSet<String>> {
    let name = |entry: std::io::Result<fs::DirEntry>| -> anyhow::Result<String> {
        let name = entry?.file_name().to_string_lossy().into_owned();
        Ok(if name.starts_with("events.out.tfevents.") { "events".to_owned() } else { name })
    };
    fs::read_dir(folder)?.map(name).collect()
}

/// What the checkpoint of a run holds.
#[derive(Default)]
pub(super) struct Saved {
    pub moves: u64,
    pub seconds: f64,
    /// The length of the metrics.
    metrics: u64,
}

impl Saved {
    /// Reads the checkpoint of a run; the start without one.
    pub(super) fn of(run: &Path) -> anyhow::Result<Saved> {
        let bytes = match fs::read(run.join("checkpoint.safetensors")) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Saved::default()),
            bytes => bytes?,
        };
        let header = (bytes.split_first_chunk())
            .and_then(|(length, rest)| rest.get(..u64::from_le_bytes(*length) as usize))
            .context("a checkpoint without a header")?;
        let header: Value = serde_json::from_slice(header)?;
        let progress = header["__metadata__"]["progress"].as_str().context("no progress")?;
        let progress: Value = serde_json::from_str(progress)?;
        let position = &progress["position"];
        Ok(Saved {
            moves: position["moves"].as_u64().context("no moves")?,
            seconds: position["seconds"].as_f64().context("no seconds")?,
            metrics: progress["metrics_bytes"].as_u64().context("no length of metrics")?,
        })
    }

    /// Checks that one interval was lost at most: of the rounds whose metrics the checkpoint lacks, all but
    /// the last ended within the interval, or there would be a later checkpoint.
    pub(super) fn check_lost(&self, run: &Path) -> anyhow::Result<()> {
        let text = match fs::read(run.join("metrics.jsonl")) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            text => text?,
        };
        let lost = text.get(self.metrics as usize..).context("metrics shorter than saved")?;
        let whole = lost.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let mut rounds: Vec<f64> = Vec::new();
        for line in String::from_utf8_lossy(&lost[..whole]).lines() {
            let window: Value = serde_json::from_str(line)?;
            rounds.push(window["seconds"].as_f64().context("a window without seconds")?);
        }
        rounds.dedup();
        rounds.pop();
        let (last, saved) = (rounds.last().copied().unwrap_or(0.0), self.seconds);
        ensure!(
            last <= saved + INTERVAL,
            "a round that ended after {last} s is lost, the checkpoint is of {saved} s"
        );
        Ok(())
    }
}

/// The metrics of a run without times, and without what a learner measures at the end of a round, which
/// comes at another moment in every run.
pub(super) fn metrics(run: &Path) -> anyhow::Result<Vec<Value>> {
    let text = match fs::read_to_string(run.join("metrics.jsonl")) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        text => text?,
    };
    let read = |line: &str| -> anyhow::Result<Value> {
        let mut window: Value = serde_json::from_str(line)?;
        let fields = window.as_object_mut().context("a window that is no object")?;
        fields.remove("seconds");
        if !fields.get("extra").is_some_and(|extra| extra["iteration"].is_number()) {
            fields.remove("extra");
        }
        Ok(window)
    };
    text.lines().map(read).collect()
}
