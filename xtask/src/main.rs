//! The project's chores, so that one command does each on a fresh machine.

mod architecture;
mod compare;
#[path = "../../crates/agents/src/machine.rs"]
#[allow(unreachable_pub, reason = "the file is a public module of another crate")]
mod machine;
mod page;
mod results;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;
use std::{env, fs};

use anyhow::{Context, bail};

const USAGE: &str = "\
cargo xtask test         everything that must pass before a change lands
cargo xtask check        formatting, lints and documentation only
cargo xtask audit        licences, sources and advisories of dependencies; installs cargo-deny
cargo xtask page         the page in a browser only
cargo xtask portable     tests without AVX and inline assembly, as on other processors
cargo xtask compare OLD NEW [FILTER]   speeds of two programs in one interleaved run
cargo xtask regenerate   golden files and results/, to be read as a diff";

fn main() -> ExitCode {
    let task = env::args().nth(1).unwrap_or_default();
    let done = match task.as_str() {
        "test" => check().and_then(|()| test()),
        "check" => check(),
        "audit" => audit(),
        "page" => cargo("the program", &["build", "--package", "afterstate", "--profile", "test"])
            .and_then(|()| page::test()),
        "portable" => portable(),
        "compare" => compare::run(&env::args().skip(2).collect::<Vec<_>>()),
        "regenerate" => regenerate(),
        other => Err(anyhow::anyhow!("unknown task {other:?}; the tasks are:\n{USAGE}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            note(format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn check() -> anyhow::Result<()> {
    cargo("formatting", &["fmt", "--all", "--check"])?;
    cargo("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    // rustdoc's own lints: links that lead nowhere, examples that are no code.
    let doc = ["doc", "--workspace", "--no-deps", "--document-private-items", "--quiet"];
    step("documentation", Command::new("cargo").args(doc).env("RUSTDOCFLAGS", "-D warnings"))?;
    if has_deny() { audit() } else { skip_audit("cargo-deny is not installed") }
}

/// Licences, sources and duplicates of dependencies, and advisories where their database can be had.
fn audit() -> anyhow::Result<()> {
    if !has_deny() {
        cargo("installing cargo-deny", &["install", "--locked", "--quiet", "cargo-deny"])?;
    }
    cargo("licences", &["deny", "check", "licenses", "bans", "sources"])?;
    match cargo("the advisory database", &["deny", "fetch", "db"]) {
        Ok(()) => cargo("advisories", &["deny", "check", "--disable-fetch", "advisories"]),
        Err(_) => skip_audit("the advisory database cannot be fetched"),
    }
}

fn has_deny() -> bool {
    let found = Command::new("cargo").args(["deny", "--version"]).output();
    found.is_ok_and(|output| output.status.success())
}

fn skip_audit(why: &str) -> anyhow::Result<()> {
    note(format!("NOT checked, because {why}: run cargo xtask audit before a release"));
    Ok(())
}

fn test() -> anyhow::Result<()> {
    cargo("tests", &["test", "--workspace"])?;
    page::test()?;
    first_command()
}

/// The README's first training, in its own words, but built like the tests and for a second instead of
/// a minute.
fn first_command() -> anyhow::Result<()> {
    let readme = fs::read_to_string(root().join("README.md")).context("cannot read README.md")?;
    let command =
        readme.lines().find(|line| line.starts_with("cargo run") && line.contains("train"));
    let words = command.context("the README has no command cargo run ... train")?;
    let run = root().join("target/first-command");
    if run.exists() {
        fs::remove_dir_all(&run).context("cannot clear the last run of the first command")?;
    }
    let mut command = Command::new("cargo");
    command.args(words.replace("--release", "--profile test").split_whitespace().skip(1));
    command.args(["--seconds", "1", "--eval-games", "20", "--out"]).arg(&run);
    step("the README's first command", &mut command)?;
    fs::remove_dir_all(&run).context("the first command left no run")
}

/// The tests of what has a fast path, without AVX and inline assembly: as on other processors.
fn portable() -> anyhow::Result<()> {
    let mut command = Command::new("cargo");
    command.args(["test", "--target-dir", "target/portable"]).env("RUSTFLAGS", "--cfg portable");
    command.args(
        ["afterstate-games", "afterstate-values", "afterstate-learn"]
            .map(|name| format!("--package={name}")),
    );
    step("tests without AVX and inline assembly", &mut command)
}

fn regenerate() -> anyhow::Result<()> {
    let goldens = ["test", "--package", "afterstate-games", "--test", "it", "goldens"];
    step("golden files", Command::new("cargo").args(goldens).env("REGENERATE", "1"))?;
    results::regenerate()
}

fn cargo(what: &str, arguments: &[&str]) -> anyhow::Result<()> {
    step(what, Command::new("cargo").args(arguments))
}

/// Runs one step and says how long it took.
fn step(what: &str, command: &mut Command) -> anyhow::Result<()> {
    note(what);
    let clock = Instant::now();
    if command.get_current_dir().is_none() {
        command.current_dir(root());
    }
    let status = command.status();
    let status = status.with_context(|| format!("{what}: cannot start {command:?}"))?;
    if !status.success() {
        bail!("{what} failed: {command:?}");
    }
    note(format!("{what} done in {:.0} s", clock.elapsed().as_secs_f64()));
    Ok(())
}

#[allow(clippy::print_stderr, reason = "this is the program's way to talk")]
fn note(text: impl AsRef<str>) {
    eprintln!("xtask: {}", text.as_ref());
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf)
}
