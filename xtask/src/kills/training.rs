//! Trainings that are interrupted again and again.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::Asked;
use super::disk::Disk;
use super::interrupt::{End, Moments, WAYS, interrupted_by, shown};
use super::left::{INTERVAL, Saved, metrics, names};
use crate::note;

/// A training by a built-in recipe with other settings.
pub(super) struct Training {
    /// The recipe, or what is different from it.
    pub name: &'static str,
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
        disk: &Disk,
        asked: &Asked,
    ) -> anyhow::Result<()> {
        let (name, device) = (self.name, &*asked.device);
        let (whole, broken) = (folder.join(format!("{name}-whole")), disk.folder().join(name));
        let train = || {
            let mut command = Command::new(program);
            command.args(["train", "--threads", "1", "--eval-games", "0", "--keep-checkpoint"]);
            command.args(["--device", device]);
            command
        };
        let new = |out: &Path| {
            let mut command = train();
            let interval = format!("log.checkpoint_seconds={INTERVAL}");
            command.args([self.recipe, "--set", &interval, "--set", "log.window=100"]);
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
        let files = names(&whole)?;
        // A program takes a second or more until it trains on a GPU.
        let longest = if device == "cpu" { length / 3 } else { length };
        let (mut moments, mut kills, mut saved) = (Moments(1), [0u64; WAYS.len()], 0);
        let is_time = || clock.elapsed().as_secs() < asked.seconds;
        while kills.iter().sum::<u64>() < asked.times && is_time() {
            let way = moments.way(disk);
            let part = Duration::from_micros(moments.below(longest.as_micros() as u64 + 1));
            let command = match broken.join("recipe.toml").exists() {
                true => resume(),
                false => {
                    let _ = fs::remove_dir_all(&broken);
                    saved = 0;
                    new(&broken)
                }
            };
            let End { way, .. } = interrupted_by(way, command, part, disk, &mut moments)?;
            way.into_iter().for_each(|way| kills[way] += 1);
            if !broken.join("recipe.toml").exists() {
                continue;
            }
            let stray: Vec<String> = names(&broken)?.difference(&files).cloned().collect();
            ensure!(stray.is_empty(), "{name}: stray files {stray:?}");
            let found = Saved::of(&broken)?;
            let moves = found.moves;
            ensure!(moves >= saved, "{name}: a checkpoint of {moves} moves after one of {saved}");
            found.check_lost(&broken).context(name)?;
            saved = moves;
            if way.is_none() && finished(program, &broken)? {
                self.compare(program, device, &whole, &broken)?;
                fs::remove_dir_all(&broken)?;
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

    /// Compares the agent, the metrics and the files of a run with those of an unbroken one, or lets the
    /// agent play.
    fn compare(
        &self,
        program: &Path,
        device: &str,
        whole: &Path,
        broken: &Path,
    ) -> anyhow::Result<()> {
        let name = self.name;
        if self.same_bytes {
            let agent = |run: &Path| fs::read(run.join("agent.safetensors"));
            ensure!(agent(broken)? == agent(whole)?, "{name}: other bytes");
            ensure!(metrics(broken)? == metrics(whole)?, "{name}: other metrics");
        } else {
            let mut command = Command::new(program);
            command.arg("eval").arg(broken).args(["--games", "100", "--device", device]);
            let played = command.stdout(Stdio::null()).status()?;
            ensure!(played.success(), "{name}: the agent does not play");
        }
        let (found, expected) = (names(broken)?, names(whole)?);
        ensure!(found == expected, "{name}: files {found:?} instead of {expected:?}");
        Ok(())
    }
}

/// Whether a run is finished.
fn finished(program: &Path, run: &Path) -> anyhow::Result<bool> {
    let listed = Command::new(program).arg("runs").arg(run).arg("--json").output()?;
    Ok(String::from_utf8_lossy(&listed.stdout).contains("\"finished\":true"))
}
