//! The kill tier: the program is killed at random moments, by signals and by a disk that is full, and
//! goes on; in the end there are the bytes of an unbroken run and no stray files.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use anyhow::{Context, bail, ensure};

use crate::{cargo, note, target};

/// How often each training is interrupted, unless another number is given.
const TIMES: u64 = 100;

/// How a training is interrupted. A limit on the size of files stands for a full disk.
const WAYS: [&str; 4] = ["-KILL", "-TERM", "-INT", "full disk"];

/// The built-in recipe of each learner, made a training of some seconds with many checkpoints.
const RECIPES: &[(&str, &[&str])] = &[
    ("2048-td", &["budget.episodes=3000", "network.tuples=lines", "network.average=0.4"]),
    ("2048-states", &["budget.episodes=400", "network.tuples=lines"]),
    ("2048-optimistic", &["budget.episodes=3000", "network.tuples=lines"]),
    ("2048-cuda", &["budget.episodes=1000", "network.tuples=lines"]),
    ("contour4", &["budget.episodes=100", "table.max_moves=5000"]),
    ("contour4-sarsa", &["budget.episodes=100", "table.max_moves=5000"]),
    (
        "tetris-lambda-pi",
        &["budget.episodes=900", "lambda_pi.games=30", "lambda_pi.max_moves=2000"],
    ),
    ("tetris-ce", &["budget.episodes=3000", "weights.optimiser.population=30"]),
    ("tetris-cmaes", &["budget.episodes=1000"]),
    ("tetris-annealing", &["budget.episodes=1000", "weights.games.max_score=200"]),
    ("1010-lspi", &["budget.episodes=60"]),
    (
        "tetris-cbmpi",
        &[
            "budget.episodes=45",
            "cbmpi.games=5",
            "cbmpi.max_moves=500",
            "cbmpi.iteration.states=80",
        ],
    ),
];

/// `cargo xtask kills [TIMES]`.
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let times: u64 = match words {
        [] => TIMES,
        [times] => times.parse().with_context(|| format!("{times:?} is no number of kills"))?,
        _ => bail!("cargo xtask kills takes a number of kills"),
    };
    cargo("the program", &["build", "--release", "--package", "afterstate"])?;
    let program = target().join("release/afterstate");
    let folder = target().join("kills");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).context("cannot make target/kills")?;
    for (name, settings) in RECIPES {
        train(&program, &folder, name, settings, times)?;
    }
    output(&program, &folder, times)?;
    fs::remove_dir_all(&folder).context("cannot remove target/kills")
}

/// A number that differs from call to call and is the same in every run of this task.
struct Moments(u64);

impl Moments {
    /// The next number below a bound.
    fn below(&mut self, bound: u64) -> u64 {
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

/// Interrupts a training again and again, and compares what it gives in the end.
fn train(
    program: &Path,
    folder: &Path,
    name: &str,
    settings: &[&str],
    times: u64,
) -> anyhow::Result<()> {
    let (whole, broken) = (folder.join(format!("{name}-whole")), folder.join(name));
    let new = |out: &Path| {
        let mut command = Command::new(program);
        command.args(["train", name, "--threads", "1", "--eval-games", "0", "--keep-checkpoint"]);
        command.args(["--set", "log.checkpoint_seconds=0.05", "--set", "log.window=100"]);
        command.args(settings.iter().flat_map(|setting| ["--set", setting]));
        command.arg("--out").arg(out);
        command
    };
    let resume = || {
        let mut command = Command::new(program);
        command.args(["train", "--threads", "1", "--eval-games", "0", "--keep-checkpoint"]);
        command.arg("--resume").arg(&broken);
        command
    };
    let clock = Instant::now();
    let status = new(&whole).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    ensure!(status.success(), "{name}: the unbroken training failed");
    let length = clock.elapsed();
    let expected = fs::read(whole.join("agent.safetensors"))?;
    let (mut moments, mut kills) = (Moments(1), [0u64; WAYS.len()]);
    while kills.iter().sum::<u64>() < times {
        let way = moments.below(WAYS.len() as u64) as usize;
        let part = Duration::from_micros(moments.below(length.as_micros() as u64 / 3 + 1));
        let mut command = match broken.join("recipe.toml").exists() {
            true => resume(),
            false => {
                let _ = fs::remove_dir_all(&broken);
                new(&broken)
            }
        };
        if WAYS[way] == "full disk" {
            let mut limited = Command::new("sh");
            limited.args(["-c", "ulimit -f $0; exec \"$@\"", &moments.below(200).to_string()]);
            limited.arg(command.get_program()).args(command.get_args());
            command = limited;
        }
        let signal = if WAYS[way] == "full disk" { "-KILL" } else { WAYS[way] };
        match interrupted(command, signal, part)? {
            Some(_) => kills[way] += 1,
            None => {
                // It ended: by a full disk, or because it is finished.
                kills[way] += u64::from(WAYS[way] == "full disk");
                if broken.join("recipe.toml").exists() && finished(program, &broken)? {
                    compare(name, &expected, &broken)?;
                    fs::remove_dir_all(&broken)?;
                }
            }
        }
    }
    if !broken.join("recipe.toml").exists() {
        let _ = fs::remove_dir_all(&broken);
        new(&broken).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    }
    let status = resume().stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    ensure!(status.success(), "{name}: the last resumption failed");
    compare(name, &expected, &broken)?;
    let shown: Vec<String> =
        WAYS.iter().zip(kills).map(|(way, count)| format!("{count} {way}")).collect();
    note(format!("{name}: the bytes of an unbroken run after {}", shown.join(", ")));
    fs::remove_dir_all(&broken)?;
    Ok(fs::remove_dir_all(&whole)?)
}

/// Whether a run is finished.
fn finished(program: &Path, run: &Path) -> anyhow::Result<bool> {
    let listed = Command::new(program).arg("runs").arg(run).arg("--json").output()?;
    Ok(String::from_utf8_lossy(&listed.stdout).contains("\"finished\":true"))
}

/// Compares the agent of a run, and looks for stray files.
fn compare(name: &str, expected: &[u8], run: &Path) -> anyhow::Result<()> {
    ensure!(fs::read(run.join("agent.safetensors"))? == expected, "{name}: other bytes");
    let stray = stray_files(run)?;
    ensure!(stray.is_empty(), "{name}: stray files {stray:?}");
    Ok(())
}

fn stray_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let paths: Vec<PathBuf> = paths.collect::<anyhow::Result<_>>()?;
    Ok(paths.into_iter().filter(|path| path.extension() == Some("part".as_ref())).collect())
}

/// Interrupts commands that write one file: it is the old one or the new one, and nothing is beside it.
fn output(program: &Path, folder: &Path, times: u64) -> anyhow::Result<()> {
    for (what, file) in [
        (&["solve", "2048:2x3", "--out"][..], "best.safetensors"),
        (&["record", "2048", "--moves", "200", "--out"], "game.gif"),
    ] {
        let place = folder.join(what[0]);
        fs::create_dir_all(&place)?;
        let path = place.join(file);
        let command = || {
            let mut command = Command::new(program);
            command.args(what).arg(&path);
            command
        };
        let clock = Instant::now();
        let status = command().stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        ensure!(status.success(), "{}: failed", what[0]);
        let length = clock.elapsed();
        let expected = fs::read(&path)?;
        let mut moments = Moments(2);
        for number in 0..times {
            let way = ["-KILL", "-TERM", "-INT"][moments.below(3) as usize];
            let after = Duration::from_micros(moments.below(length.as_micros() as u64 + 1));
            interrupted(command(), way, after)?;
            ensure!(fs::read(&path)? == expected, "{}: other bytes", what[0]);
            let count = fs::read_dir(&place)?.count();
            ensure!(count == 1, "{}: a stray file after kill {number}", what[0]);
        }
        note(format!("{}: the old file or the new one after {times} kills", what[0]));
    }
    Ok(())
}
