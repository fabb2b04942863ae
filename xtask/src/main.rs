//! The project's chores, so that one command does each on a fresh machine.

mod architecture;
mod compare;
mod fuzz;
mod kills;
mod limits;
mod long_runs;
#[path = "../../crates/agents/src/machine.rs"]
#[allow(unreachable_pub, reason = "the file is a public module of another crate")]
mod machine;
mod page;
mod peer;
mod python;
mod release;
mod results;
mod undefined;
mod unsafety;

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
cargo xtask python       the Python package only, in a new virtual environment; test, page and python
                         take --install, which installs a missing browser, Node.js and Python
cargo xtask python --frameworks   the same with Stable-Baselines3, PyTorch and JAX (some gigabytes)
cargo xtask python --cluster      the same on a Ray cluster of several nodes, some of which it kills
cargo xtask python --peers [--puffer FILE]   speeds and rules of the Python package beside others
                         from PyPI, as results/python.md
cargo xtask package      the crates as crates.io gets them: a dry run of their publication
cargo xtask portable     tests without AVX and inline assembly, as on other processors
cargo xtask fuzz [INPUTS] [TARGET] [--seconds N]   damaged inputs for every reader of bytes from
                         outside, ten million for each unless another number is given, or as many as
                         there is time for
cargo xtask guided [SECONDS] [TARGET]   inputs that cargo-fuzz finds by coverage for the same readers,
                         for a minute each unless another number is given
cargo xtask kills [TIMES] [NAME] [--device cuda] [--seconds N] [--program FILE]   kills trainings of
                         every learner, solve, record and reproduce at random moments, a hundred times
                         each unless another number is given, or a training for so many seconds; with a
                         device, what trains there. A program that is given needs no cargo:
                         target/release/xtask does the same on another machine
cargo xtask rules [POSITIONS]   every move of random positions by the rules and by their reference
                         implementations, a hundred million positions unless another number is given
cargo xtask requests [REQUESTS]   requests of every kind to the server, a million unless another number
                         is given, in flat memory
cargo xtask commands [LINES]   random command lines, most of them wrong, ten thousand unless another
                         number is given
cargo xtask undefined [miri|address|thread] [--toolchain FOLDER]   Miri and the address and thread
                         sanitizers, as far as a nightly toolchain, or that of a folder, has what they
                         need; says what is missing
cargo xtask compare OLD NEW [FILTER]   speeds of two programs in one interleaved run
cargo xtask peer --source FOLDER [--games N] [--rounds N] [--default-pages]   speeds beside TDL2048+,
                         built from its source folder, as a table; it gets huge pages unless told;
                         with --processor-time on a machine with other work
cargo xtask regenerate [speed]   golden files and results/, or speeds only, to be read as a diff";

fn main() -> ExitCode {
    let task = env::args().nth(1).unwrap_or_default();
    let done = match task.as_str() {
        "test" => install().and_then(test),
        "check" => check(),
        "audit" => audit(),
        "page" => install().and_then(page),
        "python" => python::run(&env::args().skip(2).collect::<Vec<_>>()),
        "package" => release::package(),
        "portable" => portable(),
        "fuzz" => fuzz::run(&env::args().skip(2).collect::<Vec<_>>()),
        "guided" => fuzz::guided(&env::args().skip(2).collect::<Vec<_>>()),
        "rules" => long_runs::rules(&env::args().skip(2).collect::<Vec<_>>()),
        "requests" => long_runs::requests(&env::args().skip(2).collect::<Vec<_>>()),
        "commands" => long_runs::commands(&env::args().skip(2).collect::<Vec<_>>()),
        "undefined" => undefined::run(&env::args().skip(2).collect::<Vec<_>>()),
        "kills" => kills::run(&env::args().skip(2).collect::<Vec<_>>()),
        "compare" => compare::run(&env::args().skip(2).collect::<Vec<_>>()),
        "peer" => peer::run(&env::args().skip(2).collect::<Vec<_>>()),
        "regenerate" => regenerate(&env::args().skip(2).collect::<Vec<_>>()),
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

/// Whether the rest of the command line is `--install`.
fn install() -> anyhow::Result<bool> {
    match env::args().nth(2).as_deref() {
        None => Ok(false),
        Some("--install") => Ok(true),
        Some(other) => bail!("unknown option {other:?}: the only one is --install"),
    }
}

fn check() -> anyhow::Result<()> {
    cargo("formatting", &["fmt", "--all", "--check"])?;
    cargo("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    release::features()?;
    // rustdoc's own lints: links that lead nowhere, examples that are no code.
    let doc = ["doc", "--workspace", "--no-deps", "--document-private-items", "--quiet"];
    step("documentation", Command::new("cargo").args(doc).env("RUSTDOCFLAGS", "-D warnings"))?;
    if !has_deny() {
        return skip_audit("cargo-deny is not installed");
    }
    licences()?;
    match cargo("the advisory database", &["deny", "fetch", "db"]) {
        Ok(()) => advisories(),
        Err(_) => skip_audit("the advisory database cannot be fetched"),
    }
}

/// Licences, sources and duplicates of dependencies, and advisories.
fn audit() -> anyhow::Result<()> {
    if !has_deny() {
        cargo("installing cargo-deny", &["install", "--locked", "--quiet", "cargo-deny"])?;
    }
    licences()?;
    cargo("the advisory database", &["deny", "fetch", "db"])?;
    advisories()
}

fn licences() -> anyhow::Result<()> {
    cargo("licences", &["deny", "check", "licenses", "bans", "sources"])
}

fn advisories() -> anyhow::Result<()> {
    cargo("advisories", &["deny", "check", "--disable-fetch", "advisories"])
}

fn has_deny() -> bool {
    let found = Command::new("cargo").args(["deny", "--version"]).output();
    found.is_ok_and(|output| output.status.success())
}

fn skip_audit(why: &str) -> anyhow::Result<()> {
    note(format!("NOT checked, because {why}: run cargo xtask audit before a release"));
    Ok(())
}

fn test(install: bool) -> anyhow::Result<()> {
    // Asked first: who lacks a browser should not wait for the other tests to hear it.
    let tools = page::Tools::find(install)?;
    let python = python::Python::find(install)?;
    check()?;
    cargo("tests", &["test", "--workspace"])?;
    page::test(tools)?;
    python::test(python)?;
    first_command()
}

fn page(install: bool) -> anyhow::Result<()> {
    let tools = page::Tools::find(install)?;
    cargo("the program", &["build", "--package", "afterstate", "--profile", "test"])?;
    page::test(tools)
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

fn regenerate(arguments: &[String]) -> anyhow::Result<()> {
    match arguments {
        [] => {}
        [only] if only == "speed" => return results::regenerate_speeds(),
        _ => bail!("regenerate takes nothing or `speed`: {}", arguments.join(" ")),
    }
    let tests = ["test", "--package", "afterstate-games", "--test", "it", "--"];
    let mut goldens = Command::new("cargo");
    goldens.args(tests).args(["goldens", "conformance"]).env("REGENERATE", "1");
    step("golden files", &mut goldens)?;
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

/// Where cargo builds.
fn target() -> PathBuf {
    root().join(env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from))
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf)
}
