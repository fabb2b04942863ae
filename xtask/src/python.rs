//! The Python package: its wheel in a fresh virtual environment, and its tests.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use crate::page::{apt_get, found};

/// What builds the wheel and what the tests import.
const PACKAGES: [&str; 7] =
    ["maturin>=1.9,<2", "numpy>=1.22", "gymnasium>=1.1", "pytest", "mypy", "nbclient", "ipykernel"];

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

/// Builds the package for a short build, installs it in a new environment and runs its tests.
pub(crate) fn test(Python(python): Python) -> anyhow::Result<()> {
    let environment = crate::target().join("python-tests");
    let programs = environment.join("bin");
    let make = ["-m", "venv", "--clear"];
    crate::step("a Python environment", Command::new(python).args(make).arg(&environment))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let mut packages = Command::new(programs.join("python"));
    crate::step("Python's packages", packages.args(pip).args(PACKAGES))?;
    let folder = crate::root().join("python");
    let path = env::var_os("PATH").unwrap_or_default();
    let all = [programs.clone()].into_iter().chain(env::split_paths(&path));
    let mut wheel = Command::new(programs.join("maturin"));
    wheel.args(["develop", "--profile", "dev"]).current_dir(&folder);
    wheel.env("VIRTUAL_ENV", &environment).env("PATH", env::join_paths(all)?);
    crate::step("the Python package", &mut wheel)?;
    let mut tests = Command::new(programs.join("python"));
    tests.args(["-m", "pytest", "-p", "no:cacheprovider"]).current_dir(&folder);
    crate::step("tests of the Python package", tests.env("PYTHONDONTWRITEBYTECODE", "1"))
}
