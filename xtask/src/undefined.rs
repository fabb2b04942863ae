//! Undefined behaviour: Miri over the code without vectors and maps, and the address and thread sanitizers
//! over the tests that use threads and maps. What a machine lacks for that is said, and the rest is run.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail, ensure};

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

/// The toolchain whose unstable flags are used.
enum Toolchain {
    /// That of rustup.
    Nightly,
    /// A folder with `bin` and `lib`, of any channel.
    Folder(PathBuf),
}

impl Toolchain {
    /// A program of the toolchain: `cargo` or `rustc`.
    fn program(&self, name: &str) -> anyhow::Result<Command> {
        let Toolchain::Folder(folder) = self else {
            let mut command = Command::new(name);
            command.arg("+nightly");
            return Ok(command);
        };
        let programs = folder.join("bin");
        let path = env::var_os("PATH").unwrap_or_default();
        let all = [programs.clone()].into_iter().chain(env::split_paths(&path));
        let mut command = Command::new(programs.join(name));
        // rustup has set the libraries of another one.
        command.env("PATH", env::join_paths(all)?).env("LD_LIBRARY_PATH", folder.join("lib"));
        // What a stable compiler needs to take the flags of nightly ones.
        command.env("RUSTC_BOOTSTRAP", "1");
        Ok(command)
    }

    /// What a program of the toolchain answers.
    fn answer(&self, name: &str, arguments: &[&str]) -> Option<String> {
        let output = self.program(name).ok()?.args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Whether it has the sources of the standard library.
    fn has_sources(&self) -> bool {
        self.answer("rustc", &["--print", "sysroot"]).is_some_and(|root| {
            PathBuf::from(root.trim()).join("lib/rustlib/src/rust/library/std/Cargo.toml").exists()
        })
    }
}

/// `cargo xtask undefined [miri|address|thread] [--toolchain FOLDER]`.
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let (words, toolchain) = match words.iter().position(|word| word == "--toolchain") {
        None => (words.to_vec(), Toolchain::Nightly),
        Some(at) => {
            let folder = words.get(at + 1).context("--toolchain needs a folder")?;
            let folder = std::path::absolute(folder)?;
            ensure!(
                folder.join("bin/cargo").exists(),
                "{} is no toolchain: it has no bin/cargo",
                folder.display()
            );
            ([&words[..at], &words[at + 2..]].concat(), Toolchain::Folder(folder))
        }
    };
    let only = match &words[..] {
        [] => None,
        [only] if ["miri", "address", "thread"].contains(&only.as_str()) => Some(only.as_str()),
        _ => {
            bail!("cargo xtask undefined takes miri, address or thread, or nothing for all of them")
        }
    };
    let is_asked = |name: &str| only.is_none_or(|only| only == name);
    ensure!(
        toolchain.answer("cargo", &["--version"]).is_some(),
        "NOT run: Miri and the sanitizers need a nightly toolchain (rustup toolchain install nightly)"
    );
    if is_asked("miri") {
        if toolchain.answer("cargo", &["miri", "--version"]).is_some() {
            miri(&toolchain)?;
        } else {
            note(
                "Miri NOT run: the toolchain lacks it (rustup +nightly component add miri rust-src)",
            );
        }
    }
    if is_asked("address") {
        sanitizer(&toolchain, "address", &["--lib"], &THREADED, "detect_leaks=0")?;
    }
    if is_asked("thread") {
        if toolchain.has_sources() {
            sanitizer(&toolchain, "thread", &["--lib"], &THREADED, "halt_on_error=1")?;
            // Connections, workers, streams and trainings of the server.
            let server = ["--test", "server"];
            sanitizer(&toolchain, "thread", &server, &["afterstate-serve"], "halt_on_error=1")?;
        } else {
            // Locks, channels and the ends of threads synchronise in the standard library: without
            // instrumentation there, correct programs are reported.
            note(
                "thread sanitizer NOT run: it needs the sources of the standard library (rustup +nightly \
                 component add rust-src, or a copy of a toolchain that was given those of its version in \
                 lib/rustlib/src/rust/library, by --toolchain)",
            );
        }
    }
    Ok(())
}

/// The tests of what Miri can interpret, in their portable form.
fn miri(toolchain: &Toolchain) -> anyhow::Result<()> {
    let mut command = toolchain.program("cargo")?;
    command.args(["miri", "test", "--lib"]);
    command.args(INTERPRETED.iter().flat_map(|name| ["--package", name]));
    command.args(["--", "--skip", "a_million"]).env("RUSTFLAGS", "--cfg portable");
    // Files and the clock of this machine are used, maps are not.
    command.env("MIRIFLAGS", "-Zmiri-disable-isolation");
    step("Miri", &mut command)
}

/// Tests under a sanitizer, in a folder of their own: everything is compiled again, the standard library
/// for the thread sanitizer.
fn sanitizer(
    toolchain: &Toolchain,
    name: &str,
    tests: &[&str],
    packages: &[&str],
    options: &str,
) -> anyhow::Result<()> {
    let mut command = toolchain.program("cargo")?;
    command.args(["test", "--no-fail-fast", "--target", HOST]).args(tests);
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
