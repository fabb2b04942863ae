//! Undefined behaviour: Miri over the code without vectors and maps, and the address and thread sanitizers
//! over the tests that use threads and maps. What a machine lacks for that is said, and the rest is run.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{bail, ensure};

use crate::{note, step};

/// What Miri interprets: rules of memory in safe and unsafe code alike. Tests of millions of inputs would
/// take days and are left out by their names.
const INTERPRETED: [&str; 3] = ["afterstate-core", "afterstate-values", "afterstate-learn"];

/// What has threads, maps, atomics or unchecked indices. What reads bytes from outside runs under the
/// address sanitizer in `cargo xtask guided`.
const THREADED: [&str; 6] = [
    "afterstate-core",
    "afterstate-games",
    "afterstate-search",
    "afterstate-values",
    "afterstate-learn",
    "afterstate-agents",
];

/// Tests that take minutes in an instrumented build and compare arithmetic only.
const SKIPPED: [&str; 7] = [
    "a_million",
    "every_small_board",
    "every_placement",
    "every_row",
    "laws_of",
    "golden_counts",
    "every_instruction_set",
];

const HOST: &str = "x86_64-unknown-linux-gnu";

/// `cargo xtask undefined [miri|address|thread]`.
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let only = match words {
        [] => None,
        [only] if ["miri", "address", "thread"].contains(&only.as_str()) => Some(only.as_str()),
        _ => {
            bail!("cargo xtask undefined takes miri, address or thread, or nothing for all of them")
        }
    };
    let is_asked = |name: &str| only.is_none_or(|only| only == name);
    ensure!(
        nightly(&["--version"]).is_some(),
        "NOT run: Miri and the sanitizers need a nightly toolchain (rustup toolchain install nightly)"
    );
    if is_asked("miri") {
        if nightly(&["miri", "--version"]).is_some() {
            miri()?;
        } else {
            note(
                "Miri NOT run: the nightly toolchain lacks it (rustup +nightly component add miri rust-src)",
            );
        }
    }
    if is_asked("address") {
        sanitizer("address", &["--lib"], &THREADED, "detect_leaks=0")?;
    }
    if is_asked("thread") {
        if has_sources() {
            sanitizer("thread", &["--lib"], &THREADED, "halt_on_error=1")?;
            // Connections, workers, streams and trainings of the server.
            let server = ["--test", "server"];
            sanitizer("thread", &server, &["afterstate-serve"], "halt_on_error=1")?;
        } else {
            // Locks, channels and the ends of threads synchronise in the standard library: without
            // instrumentation there, correct programs are reported.
            note(
                "thread sanitizer NOT run: it needs the sources of the standard library \
                 (rustup +nightly component add rust-src)",
            );
        }
    }
    Ok(())
}

/// What cargo of the nightly toolchain answers.
fn nightly(arguments: &[&str]) -> Option<String> {
    let output = Command::new("cargo").arg("+nightly").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether the nightly toolchain has the sources of the standard library.
fn has_sources() -> bool {
    let output = Command::new("rustc").args(["+nightly", "--print", "sysroot"]).output();
    output.is_ok_and(|output| {
        let root = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        root.join("lib/rustlib/src/rust/library/std/Cargo.toml").exists()
    })
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

/// Tests under a sanitizer, in a folder of their own: everything is compiled again, the standard library
/// for the thread sanitizer.
fn sanitizer(name: &str, tests: &[&str], packages: &[&str], options: &str) -> anyhow::Result<()> {
    let mut command = Command::new("cargo");
    command.args(["+nightly", "test", "--target", HOST]).args(tests);
    command.arg("--target-dir").arg(crate::target().join(name));
    let mut flags = format!("-Zsanitizer={name}");
    if name == "thread" {
        command.arg("-Zbuild-std");
    } else {
        flags.push_str(" -Cunsafe-allow-abi-mismatch=sanitizer");
    }
    command.args(packages.iter().flat_map(|name| ["--package", name])).arg("--");
    command.args(SKIPPED.iter().flat_map(|name| ["--skip", name]));
    command
        .env("RUSTFLAGS", flags)
        .env(format!("{}SAN_OPTIONS", &name[..1].to_uppercase()), options);
    step(&format!("the {name} sanitizer"), &mut command)
}
