//! The long fuzzing runs: the same functions as in the tests, with the same mutations and many more
//! inputs, or with those that cargo-fuzz finds by coverage.

use std::fs;
use std::process::Command;

use anyhow::{Context, bail, ensure};

use crate::{root, step, target};

/// Inputs for each target, unless another number is given.
const INPUTS: u64 = 10_000_000;

/// Seconds for each target of cargo-fuzz, unless another number is given.
const SECONDS: u64 = 60;

/// `cargo xtask fuzz [INPUTS] [TARGET] [--seconds N]`.
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let (words, seconds) = match words.iter().position(|word| word == "--seconds") {
        None => (words.to_vec(), None),
        Some(at) => {
            let seconds = words.get(at + 1).context("--seconds needs a number")?;
            let _: u64 = seconds.parse().with_context(|| format!("{seconds:?} is no number"))?;
            ([&words[..at], &words[at + 2..]].concat(), Some(seconds))
        }
    };
    let (inputs, target) = parse(&words, INPUTS)?;
    let mut command = tests();
    // One target after the other, each on all processors.
    command.args(["--test-threads=1", "--nocapture"]).args(target);
    command.env("FUZZ_INPUTS", inputs.to_string());
    if let Some(seconds) = seconds {
        command.env("FUZZ_SECONDS", seconds);
    }
    step(&format!("{inputs} inputs for each reader of bytes from outside"), &mut command)
}

/// `cargo xtask guided [SECONDS] [TARGET]`.
pub(crate) fn guided(words: &[String]) -> anyhow::Result<()> {
    let (seconds, only) = parse(words, SECONDS)?;
    let has = |words: &[&str]| {
        let output = Command::new("cargo").arg("+nightly").args(words).output();
        output.is_ok_and(|output| output.status.success())
    };
    ensure!(
        has(&["--version"]),
        "NOT run: cargo-fuzz needs a nightly toolchain (rustup toolchain install nightly)"
    );
    ensure!(
        has(&["fuzz", "--version"]),
        "NOT run: cargo-fuzz is missing (cargo install cargo-fuzz)"
    );
    let corpora = target().join("fuzz-corpus");
    let mut command = tests();
    step("the corpora", command.args(only).env("FUZZ_CORPUS", &corpora))?;
    let mut names: Vec<String> = fs::read_dir(&corpora)
        .context("no corpora were written")?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<anyhow::Result<_>>()?;
    names.retain(|name| only.is_none_or(|only| only == name));
    names.sort();
    for name in names {
        let mut command = Command::new("cargo");
        command.args(["+nightly", "fuzz", "run", &name]).arg(corpora.join(&name)).arg("--");
        // Agents may think for two seconds in one request.
        let timeout = if name == "requests" { 3 } else { 1 };
        command.arg(format!("-max_total_time={seconds}")).arg(format!("-timeout={timeout}"));
        command.args(["-rss_limit_mb=2048", "-print_final_stats=1"]).current_dir(root());
        step(&format!("{seconds} s of {name} by coverage"), &mut command)?;
    }
    Ok(())
}

/// The tests that have the targets, with checks for overflow.
fn tests() -> Command {
    let mut command = Command::new("cargo");
    command.args([
        "test",
        "--profile",
        "fuzz",
        "--package",
        "afterstate-serve",
        "--test",
        "fuzz",
        "--",
    ]);
    command
}

/// A number and a target, both optional.
fn parse(words: &[String], usual: u64) -> anyhow::Result<(u64, Option<&String>)> {
    let number = |word: &String| word.parse().with_context(|| format!("{word:?} is no number"));
    match words {
        [] => Ok((usual, None)),
        [count] => Ok((number(count)?, None)),
        [count, target] => Ok((number(count)?, Some(target))),
        _ => bail!("expected a number and a target at most"),
    }
}
