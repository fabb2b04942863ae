//! The Python package: its wheel in a fresh virtual environment, its tests, and other packages.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::page::{apt_get, found};

/// What builds the wheel and what the tests import.
const PACKAGES: [&str; 7] =
    ["maturin>=1.9,<2", "numpy>=1.22", "gymnasium>=1.1", "pytest", "mypy", "nbclient", "ipykernel"];

/// What `--frameworks` tests it with, too.
const FRAMEWORKS: [&str; 3] = ["stable-baselines3>=2.4", "sb3-contrib>=2.4", "jax[cpu]"];

/// What `--cluster` tests it with, too.
const CLUSTER: [&str; 1] = ["ray[default,tune]>=2.40"];
/// The settings of the profile `test`, for the wheel that is tested: what `cargo test` has compiled is used
/// again. Maturin cannot be told that profile itself, in which cargo builds tests.
const AS_TESTS: [(&str, &str); 4] = [
    ("CARGO_PROFILE_DEV_OPT_LEVEL", "1"),
    ("CARGO_PROFILE_DEV_DEBUG", "false"),
    ("CARGO_PROFILE_DEV_CODEGEN_UNITS", "4"),
    ("CARGO_PROFILE_DEV_INCREMENTAL", "false"),
];

/// A Python that can make virtual environments.
pub(crate) struct Python(PathBuf);

impl Python {
    /// Looks for it; it is installed only where that was asked for.
    pub(crate) fn find(install: bool) -> anyhow::Result<Python> {
        if let Some(python) = usable() {
            return Ok(Python(python));
        }
        let hint = "the Python package is tested with Python 3.9 or later, which this machine lacks: \
                    `apt-get install python3-venv` installs it on Debian and Ubuntu, and with \
                    --install this command does";
        if install {
            apt_get(&["python3-venv"]).context(hint)?;
        }
        usable().map(Python).context(hint)
    }
}

fn usable() -> Option<PathBuf> {
    let python = found("python3")?;
    let modules = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))";
    let output = Command::new(&python).args(["-c", modules]).output().ok()?;
    output.status.success().then_some(python)
}

/// Tests the package; with `--frameworks` also under PyTorch, Stable-Baselines3 and JAX, which are
/// gigabytes; with `--cluster` also on a Ray cluster of this machine; with `--peers` measures and checks it
/// beside other packages, which takes minutes.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let install = arguments.first().is_some_and(|first| first == "--install");
    let rest = &arguments[usize::from(install)..];
    match rest.split_first() {
        None => test(Python::find(install)?),
        Some((first, [])) if first == "--frameworks" => {
            let packages = FRAMEWORKS.map(OsStr::new);
            let python = installed(Python::find(install)?, "python-frameworks", "dev", &packages)?;
            run_tests(&mut pytest(&python))
        }
        Some((first, [])) if first == "--cluster" => {
            let packages = CLUSTER.map(OsStr::new);
            let python = installed(Python::find(install)?, "python-cluster", "release", &packages)?;
            let program = cargo_program()?;
            // A line for each test, for they take half an hour.
            run_tests(pytest(&python).arg("-vv").env("AFTERSTATE_PROGRAM", program))
        }
        Some((first, options)) if first == "--peers" => peers(Python::find(install)?, options),
        Some((other, _)) => {
            bail!(
                "unknown option {other:?}: expected --install, --frameworks, --cluster or --peers"
            )
        }
    }
}

/// Builds the package for a short build, installs it in a new environment and runs its tests.
pub(crate) fn test(python: Python) -> anyhow::Result<()> {
    run_tests(&mut pytest(&installed(python, "python-tests", "dev", &[])?))
}

/// The program that cargo builds, beside that of the package.
fn cargo_program() -> anyhow::Result<PathBuf> {
    let mut build = Command::new("cargo");
    build.args(["build", "--package", "afterstate"]).envs(AS_TESTS).current_dir(crate::root());
    crate::step("the program", &mut build)?;
    Ok(crate::target().join("debug").join(format!("afterstate{}", env::consts::EXE_SUFFIX)))
}

/// The tests, on the installed package, not on its source.
fn pytest(program: &Path) -> Command {
    let mut tests = Command::new(program.with_file_name("pytest"));
    tests.args(["-p", "no:cacheprovider", "--config-file"]).arg(folder().join("pyproject.toml"));
    tests.arg(folder().join("tests"));
    // The source, which has no compiled part, is not to be found there.
    tests.current_dir(program.parent().unwrap_or(program));
    tests.env("PYTHONDONTWRITEBYTECODE", "1");
    tests
}

fn run_tests(tests: &mut Command) -> anyhow::Result<()> {
    crate::step("tests of the Python package", tests)
}

/// Installs other packages beside this one, compares speeds and rules, and writes `results/python.md`.
fn peers(python: Python, options: &[String]) -> anyhow::Result<()> {
    let scripts = folder().join("peers");
    let list = scripts.join("requirements.txt");
    let packages = [OsStr::new("--requirement"), list.as_os_str()];
    let program = installed(python, "python-peers", "release", &packages)?;
    let mut measure = Command::new(program);
    measure.arg(scripts.join("measure.py")).args(options).env("PYTHONDONTWRITEBYTECODE", "1");
    crate::step("speeds and rules beside other packages", &mut measure)
}

/// Installs the package and what it needs in a new environment, and returns its Python.
fn installed(
    Python(python): Python,
    name: &str,
    profile: &str,
    more: &[&OsStr],
) -> anyhow::Result<PathBuf> {
    let environment = crate::target().join(name);
    let programs = environment.join("bin");
    let make = ["-m", "venv", "--clear"];
    crate::step("a Python environment", Command::new(python).args(make).arg(&environment))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let mut packages = Command::new(programs.join("python"));
    crate::step("Python's packages", packages.args(pip).args(PACKAGES).args(more))?;
    let path = env::var_os("PATH").unwrap_or_default();
    let all = [programs.clone()].into_iter().chain(env::split_paths(&path));
    let wheels = environment.join("wheels");
    let mut build = Command::new(programs.join("maturin"));
    build.args(["build", "--strip", "--profile", profile, "--out"]).arg(&wheels);
    build.envs(AS_TESTS);
    build.current_dir(folder()).env("VIRTUAL_ENV", &environment).env("PATH", env::join_paths(all)?);
    crate::step("the wheel of the Python package", &mut build)?;
    let mut wheel = Command::new(programs.join("python"));
    wheel.args(pip).args(["--no-index", "--no-deps", "--find-links"]).arg(&wheels);
    crate::step("the Python package", wheel.arg("afterstate"))?;
    Ok(programs.join("python"))
}

/// The package's source.
fn folder() -> PathBuf {
    crate::root().join("python")
}
