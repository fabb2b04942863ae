//! Undefined behaviour: Miri over the code without vectors and maps, and the address and thread sanitizers
//! over the tests that use threads and maps. What a machine lacks for that is said, and the rest is run.

use std::process::Command;

use anyhow::ensure;

use crate::{note, step};

/// What Miri interprets: rules of memory in safe and unsafe code alike. Tests of millions of inputs would
/// take days and are left out by their names.
const INTERPRETED: [&str; 3] = ["afterstate-core", "afterstate-values", "afterstate-learn"];

/// What has threads, maps, atomics or unchecked indices.
const THREADED: [&str; 5] = [
    "afterstate-core",
    "afterstate-search",
    "afterstate-values",
    "afterstate-learn",
    "afterstate-games",
];

/// Tests that take minutes in an instrumented build and compare arithmetic only.
const SKIPPED: [&str; 6] =
    ["a_million", "every_small_board", "every_placement", "every_row", "laws_of", "golden_counts"];

/// `cargo xtask undefined`.
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    ensure!(words.is_empty(), "cargo xtask undefined takes no arguments");
    let has = |arguments: &[&str]| {
        let output = Command::new("cargo").arg("+nightly").args(arguments).output();
        output.is_ok_and(|output| output.status.success())
    };
    if !has(&["--version"]) {
        note(
            "NOT run: Miri and the sanitizers need a nightly toolchain (rustup toolchain install nightly)",
        );
        return Ok(());
    }
    if has(&["miri", "--version"]) {
        miri()?;
    } else {
        note(
            "Miri NOT run: the nightly toolchain lacks it (rustup +nightly component add miri rust-src)",
        );
    }
    sanitizer("address", "detect_leaks=0")?;
    sanitizer("thread", "halt_on_error=1")
}

/// The tests of what Miri can interpret, in their portable form.
fn miri() -> anyhow::Result<()> {
    let mut command = Command::new("cargo");
    command.args(["+nightly", "miri", "test", "--lib"]);
    command.args(INTERPRETED.iter().flat_map(|name| ["--package", name]));
    command.args(["--", "--skip", "a_million"]).env("RUSTFLAGS", "--cfg portable");
    // Files and the clock of this machine are used, maps are not.
    command.env("MIRIFLAGS", "-Zmiri-disable-isolation");
    step("Miri", &mut command)
}

/// The unit tests under a sanitizer, in a folder of their own: everything but the standard library is
/// compiled again.
fn sanitizer(name: &str, options: &str) -> anyhow::Result<()> {
    let mut command = Command::new("cargo");
    command.args(["+nightly", "test", "--lib", "--target", "x86_64-unknown-linux-gnu"]);
    command.arg("--target-dir").arg(crate::target().join(name));
    command.args(THREADED.iter().flat_map(|name| ["--package", name])).arg("--");
    command.args(SKIPPED.iter().flat_map(|name| ["--skip", name]));
    // The standard library that is installed has no instrumentation; what is generic in it has.
    let flags = format!("-Zsanitizer={name} -Cunsafe-allow-abi-mismatch=sanitizer");
    command
        .env("RUSTFLAGS", flags)
        .env(format!("{}SAN_OPTIONS", &name[..1].to_uppercase()), options);
    step(&format!("the {name} sanitizer"), &mut command)
}
