//! `afterstate`: the program. Parses the command line, runs one command, and reports an error as one
//! sentence and an exit code. The binary and the Python package are this.

mod args;
mod cluster;
mod commands;
mod output;
mod progress;
pub mod recording;
mod terminal;

use std::ffi::OsString;
use std::io;
#[cfg(unix)]
use std::sync::{Arc, atomic::AtomicBool};

pub use crate::cluster::Connect;
use crate::output::{Output, Usage};

/// Runs the program with the words of a command line, the first of which is its name. Returns the
/// exit code: 0, 1 for an error, 2 for an invalid command line.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    run_with(words, None)
}

/// The same, in a process that can connect to a cluster.
pub fn run_with(words: impl IntoIterator<Item = OsString>, connect: Option<Connect>) -> u8 {
    survive_file_limits();
    let words: Vec<OsString> = words.into_iter().collect();
    let cli = match args::parse(words.iter().cloned()) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output, errors to standard error; a closed one is not
            // reported anywhere.
            let _ = error.print();
            return error.exit_code() as u8;
        }
    };
    let mut out = Output::new(cli.json);
    let result = match (cli.command.cluster(), connect) {
        (None, _) => commands::run(&cli, &mut out).map(|()| 0),
        (Some(address), Some(connect)) => connect(address)
            .map_err(anyhow::Error::from)
            .and_then(|()| commands::run(&cli, &mut out))
            .map(|()| 0),
        (Some(_), None) => cluster::run_in_python(words.get(1..).unwrap_or_default()),
    };
    let result = result.and_then(|code| out.flush().map(|()| code).map_err(Into::into));
    match result {
        Ok(code) => code,
        // The reader has closed the pipe, as in `afterstate ... | head`.
        Err(error) if is_closed_pipe(&error) => 0,
        Err(error) => {
            // Only writes to standard output fail without a context.
            let error = if error.is::<io::Error>() && error.chain().count() == 1 {
                error.context("cannot write the output")
            } else {
                error
            };
            output::print_error(&error);
            if error.is::<Usage>() { 2 } else { 1 }
        }
    }
}

/// A limit on the size of files (`ulimit -f`) is an error of the write that exceeds it. Without a
/// handler its signal would end the program in the middle of the file.
fn survive_file_limits() {
    #[cfg(unix)]
    {
        let exceeded = Arc::new(AtomicBool::new(false));
        // Where the system refuses a handler, its own behaviour applies.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, exceeded);
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
