//! `completions`: completion scripts from the definition of the command line.

use clap::CommandFactory;
use clap_complete::Shell;
use serde::Serialize;

use crate::args::Cli;
use crate::output::Output;

#[derive(Serialize)]
struct Script {
    shell: String,
    script: String,
}

pub(crate) fn run(shell: Shell, out: &mut Output) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "afterstate", &mut script);
    let script = String::from_utf8(script)?;
    if out.json() {
        return Ok(out.object(&Script { shell: shell.to_string(), script })?);
    }
    Ok(out.prompt(&script)?)
}
