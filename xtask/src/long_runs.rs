//! Tests of the test command with larger numbers: positions compared with the reference implementations,
//! requests to the server, command lines.

use std::process::Command;

use anyhow::{Context, bail};

use crate::step;

/// Random positions of all games together, unless another number is given.
const POSITIONS: u64 = 100_000_000;

/// Requests, unless another number is given.
const REQUESTS: u64 = 1_000_000;

/// Command lines, unless another number is given.
const LINES: u64 = 10_000;

/// The tests that compare random positions, every move of each.
const RULES: [&str; 3] = [
    "a_million_random_boards_slide_as_in_the_reference",
    "a_million_placements_settle_as_in_the_reference",
    "a_million_random_positions",
];

/// `cargo xtask rules [POSITIONS]`.
pub(crate) fn rules(words: &[String]) -> anyhow::Result<()> {
    let positions = number(words, POSITIONS)?;
    let mut command = Command::new("cargo");
    command.args(["test", "--release", "--package", "afterstate-games", "--lib", "--"]).args(RULES);
    command.env("RULES_POSITIONS", positions.to_string());
    step(&format!("{positions} random positions against the reference"), &mut command)
}

/// `cargo xtask requests [REQUESTS]`.
pub(crate) fn requests(words: &[String]) -> anyhow::Result<()> {
    let requests = number(words, REQUESTS)?;
    let mut command = Command::new("cargo");
    command.args(["test", "--release", "--package", "afterstate-serve", "--test", "memory"]);
    command.args(["--", "--nocapture"]).env("SERVER_REQUESTS", requests.to_string());
    step(&format!("{requests} requests in flat memory"), &mut command)
}

/// `cargo xtask commands [LINES]`.
pub(crate) fn commands(words: &[String]) -> anyhow::Result<()> {
    let lines = number(words, LINES)?;
    let mut command = Command::new("cargo");
    command.args(["test", "--profile", "fuzz", "--package", "afterstate", "--test", "it", "--"]);
    command.arg("random_command_lines").env("COMMAND_LINES", lines.to_string());
    step(&format!("{lines} random command lines"), &mut command)
}

/// The number that was given, or the usual one.
fn number(words: &[String], usual: u64) -> anyhow::Result<u64> {
    match words {
        [] => Ok(usual),
        [word] => word.parse().with_context(|| format!("{word:?} is no whole number")),
        _ => bail!("expected one number or none"),
    }
}
