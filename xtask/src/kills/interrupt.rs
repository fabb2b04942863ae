//! Interrupts a program at a random moment, by a signal or by a disk that is full.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// How a program is interrupted. A limit on the size of files stands for a full disk.
pub(super) const WAYS: [&str; 4] = ["-KILL", "-TERM", "-INT", "full disk"];

/// A number that differs from call to call and is the same in every run of this task.
pub(super) struct Moments(pub(super) u64);

impl Moments {
    /// The next number below a bound.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        // The finaliser of SplitMix64 over a counter.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// Runs a command and interrupts it after some time; `None` if it ended before.
fn interrupted(
    mut command: Command,
    way: &str,
    after: Duration,
) -> anyhow::Result<Option<ExitStatus>> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let begin = Instant::now();
    while begin.elapsed() < after {
        if child.try_wait()?.is_some() {
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(1));
    }
    Command::new("kill").args([way, &child.id().to_string()]).stderr(Stdio::null()).status()?;
    Ok(Some(child.wait()?))
}

/// The same in one of the [`WAYS`].
pub(super) fn interrupted_by(
    way: usize,
    command: Command,
    after: Duration,
    moments: &mut Moments,
) -> anyhow::Result<Option<ExitStatus>> {
    if WAYS[way] != "full disk" {
        return interrupted(command, WAYS[way], after);
    }
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -f $0; exec \"$@\"", &moments.below(200).to_string()]);
    limited.arg(command.get_program()).args(command.get_args());
    interrupted(limited, "-KILL", after)
}

/// How often each way was taken, in words.
pub(super) fn shown(kills: [u64; WAYS.len()]) -> String {
    let shown = WAYS.iter().zip(kills).map(|(way, count)| format!("{count} {way}"));
    shown.collect::<Vec<_>>().join(", ")
}

/// What a program left half done in a folder.
pub(super) fn stray_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let paths: Vec<PathBuf> = paths.collect::<anyhow::Result<_>>()?;
    Ok(paths.into_iter().filter(|path| path.extension() == Some("part".as_ref())).collect())
}
