//! Interrupts a program at a random moment, by a signal or by a disk that is full.

use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::disk::Disk;

/// How a program is interrupted: by a signal, by a limit on the size of files, by a disk that is full.
pub(super) const WAYS: [&str; 5] = ["-KILL", "-TERM", "-INT", "file limit", "full disk"];

/// The way that needs a disk of its own.
pub(super) const FULL_DISK: usize = 4;

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

    /// The next number below a bound; small ones as often as large ones.
    pub(super) fn of_any_size(&mut self, bound: u64) -> u64 {
        let part = bound >> self.below(u64::from(bound.ilog2()));
        self.below(part)
    }

    /// One of the [`WAYS`] that there are.
    pub(super) fn way(&mut self, disk: &Disk) -> usize {
        let count = if disk.is_mounted() { WAYS.len() } else { FULL_DISK };
        self.below(count as u64) as usize
    }
}

/// How a program ended.
pub(super) struct End {
    /// Which of the [`WAYS`] ended it; `None` if it ended by itself.
    pub way: Option<usize>,
    pub status: ExitStatus,
}

/// Runs a command and interrupts it after some time by a signal, unless it has ended before.
fn interrupted(mut command: Command, way: usize, after: Duration) -> anyhow::Result<End> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let begin = Instant::now();
    while begin.elapsed() < after {
        if let Some(status) = child.try_wait()? {
            return Ok(End { way: None, status });
        }
        thread::sleep(Duration::from_millis(1));
    }
    Command::new("kill")
        .args([WAYS[way], &child.id().to_string()])
        .stderr(Stdio::null())
        .status()?;
    Ok(End { way: Some(way), status: child.wait()? })
}

/// The same in one of the [`WAYS`]. A program that fails by itself without room for its files was ended by
/// that; one that goes on is killed.
pub(super) fn interrupted_by(
    way: usize,
    command: Command,
    after: Duration,
    disk: &Disk,
    moments: &mut Moments,
) -> anyhow::Result<End> {
    let end = match WAYS[way] {
        "file limit" => {
            let mut limited = Command::new("sh");
            limited.args([
                "-c",
                "ulimit -f $0; exec \"$@\"",
                &moments.of_any_size(1 << 12).to_string(),
            ]);
            limited.arg(command.get_program()).args(command.get_args());
            interrupted(limited, 0, after)?
        }
        "full disk" => {
            disk.fill(moments)?;
            let end = interrupted(command, 0, after);
            disk.clear()?;
            end?
        }
        _ => return interrupted(command, way, after),
    };
    let failed = end.way.is_none() && !end.status.success();
    Ok(End { way: if failed { Some(way) } else { end.way }, ..end })
}

/// How often each way was taken, in words.
pub(super) fn shown(kills: [u64; WAYS.len()]) -> String {
    let shown = WAYS.iter().zip(kills).map(|(way, count)| format!("{count} {way}"));
    shown.collect::<Vec<_>>().join(", ")
}
