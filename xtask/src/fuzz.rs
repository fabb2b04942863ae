//! The long fuzzing run: the same functions and the same mutations as in the tests, many more inputs.

use std::process::Command;

use anyhow::{Context, bail};

use crate::step;

/// Inputs for each target, unless another number is given.
const INPUTS: u64 = 10_000_000;

/// `cargo xtask fuzz [INPUTS] [TARGET]`.
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let (inputs, target) = match words {
        [] => (INPUTS, None),
        [inputs] => (count(inputs)?, None),
        [inputs, target] => (count(inputs)?, Some(target)),
        _ => bail!("cargo xtask fuzz takes a number of inputs and a target"),
    };
    let mut command = Command::new("cargo");
    command.args(["test", "--release", "--package", "afterstate-engine", "--test", "fuzz", "--"]);
    command.args(target).env("FUZZ_INPUTS", inputs.to_string());
    step(&format!("{inputs} inputs for each reader of bytes from outside"), &mut command)
}

fn count(word: &str) -> anyhow::Result<u64> {
    word.parse().with_context(|| format!("{word:?} is no number of inputs"))
}
