//! Trainings that are interrupted again and again.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::Value;

use super::interrupt::{Moments, WAYS, interrupted_by, shown, stray_files};
use crate::note;

/// A training by a built-in recipe with other settings.
pub(super) struct Training {
    pub recipe: &'static str,
    pub settings: &'static [&'static str],
    /// Whether an interrupted training gives the bytes of an unbroken one. Networks do not on a GPU, where
    /// additions of many games meet in any order.
    pub same_bytes: bool,
}

impl Training {
    /// Interrupts the training again and again, and compares what it gives in the end.
    pub(super) fn interrupt(
        &self,
        program: &Path,
        folder: &Path,
        device: &str,
        times: u64,
    ) -> anyhow::Result<()> {
        let name = self.recipe;
        let (whole, broken) = (folder.join(format!("{name}-whole")), folder.join(name));
        let train = || {
            let mut command = Command::new(program);
            command.args(["train", "--threads", "1", "--eval-games", "0", "--keep-checkpoint"]);
            command.args(["--device", device]);
            command
        };
        let new = |out: &Path| {
            let mut command = train();
            command.args([name, "--set", "log.checkpoint_seconds=0.05", "--set", "log.window=100"]);
            command.args(self.settings.iter().flat_map(|setting| ["--set", setting]));
            command.arg("--out").arg(out);
            command
        };
        let resume = || {
            let mut command = train();
            command.arg("--resume").arg(&broken);
            command
        };
        let clock = Instant::now();
        let status = new(&whole).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        ensure!(status.success(), "{name}: the unbroken training failed");
        let length = clock.elapsed();
        let (mut moments, mut kills, mut saved) = (Moments(1), [0u64; WAYS.len()], 0);
        while kills.iter().sum::<u64>() < times {
            let way = moments.below(WAYS.len() as u64) as usize;
            let part = Duration::from_micros(moments.below(length.as_micros() as u64 / 3 + 1));
            let command = match broken.join("recipe.toml").exists() {
                true => resume(),
                false => {
                    let _ = fs::remove_dir_all(&broken);
                    saved = 0;
                    new(&broken)
                }
            };
            let interrupted = interrupted_by(way, command, part, &mut moments)?.is_some();
            // One that ended by itself was ended by a full disk, or is finished.
            kills[way] += u64::from(interrupted || WAYS[way] == "full disk");
            if broken.join("recipe.toml").exists() {
                let moves = moves_saved(&broken)?;
                ensure!(
                    moves >= saved,
                    "{name}: a checkpoint of {moves} moves after one of {saved}"
                );
                saved = moves;
                if !interrupted && finished(program, &broken)? {
                    self.compare(program, device, &whole, &broken)?;
                    fs::remove_dir_all(&broken)?;
                }
            }
        }
        if !broken.join("recipe.toml").exists() {
            let _ = fs::remove_dir_all(&broken);
            new(&broken).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        }
        let status = resume().stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        ensure!(status.success(), "{name}: the last resumption failed");
        self.compare(program, device, &whole, &broken)?;
        let what =
            if self.same_bytes { "the bytes of an unbroken run" } else { "an agent that plays" };
        note(format!("{name}: {what} after {}", shown(kills)));
        fs::remove_dir_all(&broken)?;
        Ok(fs::remove_dir_all(&whole)?)
    }

    /// Compares the agent of a run with that of an unbroken one, or lets it play, and looks for stray files.
    fn compare(
        &self,
        program: &Path,
        device: &str,
        whole: &Path,
        broken: &Path,
    ) -> anyhow::Result<()> {
        let name = self.recipe;
        if self.same_bytes {
            let agent = |run: &Path| fs::read(run.join("agent.safetensors"));
            ensure!(agent(broken)? == agent(whole)?, "{name}: other bytes");
        } else {
            let mut command = Command::new(program);
            command.arg("eval").arg(broken).args(["--games", "100", "--device", device]);
            let played = command.stdout(Stdio::null()).status()?;
            ensure!(played.success(), "{name}: the agent does not play");
        }
        let stray = stray_files(broken)?;
        ensure!(stray.is_empty(), "{name}: stray files {stray:?}");
        Ok(())
    }
}

/// The moves that the checkpoint of a run has learned from; none without a checkpoint.
fn moves_saved(run: &Path) -> anyhow::Result<u64> {
    let bytes = match fs::read(run.join("checkpoint.safetensors")) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
        bytes => bytes?,
    };
    let header = (bytes.split_first_chunk())
        .and_then(|(length, rest)| rest.get(..u64::from_le_bytes(*length) as usize))
        .context("a checkpoint without a header")?;
    let header: Value = serde_json::from_slice(header)?;
    let progress = header["__metadata__"]["progress"].as_str().context("no progress")?;
    let progress: Value = serde_json::from_str(progress)?;
    progress["position"]["moves"].as_u64().context("no position")
}

/// Whether a run is finished.
fn finished(program: &Path, run: &Path) -> anyhow::Result<bool> {
    let listed = Command::new(program).arg("runs").arg(run).arg("--json").output()?;
    Ok(String::from_utf8_lossy(&listed.stdout).contains("\"finished\":true"))
}
