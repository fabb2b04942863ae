//! `--cluster ADDRESS`: Ray is reached through Python. The program in the Python package connects; the
//! one that cargo builds runs that program with the same words.

use std::env;
use std::ffi::OsString;
use std::io;
use std::process::Command;

use afterstate_core::cluster::ClusterError;
use anyhow::{Context, bail};

/// Connects this process to the cluster at an address.
pub type Connect<'a> = &'a dyn Fn(&str) -> Result<(), ClusterError>;

/// What Python is asked for: the version of its package, or what is missing.
const ASK: &str = "
try:
    import afterstate._native as native, ray
    print(native.identity().split()[1])
except ImportError as error:
    print('no', error.name or error)
";

/// Runs the program of the Python package with the words of this one; returns its exit code.
pub(crate) fn run_in_python(words: &[OsString]) -> anyhow::Result<u8> {
    let need = "--cluster needs Python with the package afterstate and Ray, which docs/cluster.md \
                installs";
    let python = env::var_os("AFTERSTATE_PYTHON").unwrap_or_else(|| "python3".into());
    let shown = python.to_string_lossy().into_owned();
    let output = Command::new(&python).args(["-c", ASK]).output();
    let output = output.with_context(|| format!("{need}; {shown} cannot be started"))?;
    let found = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    match found.split_once(' ') {
        Some(("no", missing)) => bail!("{need}; {shown} has no {missing}"),
        None if found == env!("CARGO_PKG_VERSION") => {}
        _ if found.is_empty() => bail!("{need}; {shown} failed"),
        _ => bail!(
            "{shown} has the package afterstate {found}, this program is {}: install the same \
             version",
            env!("CARGO_PKG_VERSION")
        ),
    }
    let mut program = Command::new(python);
    program.args(["-m", "afterstate"]).args(words);
    start(program).context("the program of the Python package cannot be started")
}

/// Becomes the program, which then has the terminal and its signals.
#[cfg(unix)]
fn start(mut program: Command) -> io::Result<u8> {
    Err(std::os::unix::process::CommandExt::exec(&mut program))
}

#[cfg(not(unix))]
fn start(mut program: Command) -> io::Result<u8> {
    let status = program.status()?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
