//! `afterstate`: the program. Parses the command line, runs one command, and reports an error as one
//! sentence and an exit code. The binary and the Python package are this.

mod args;
mod commands;
mod output;
mod progress;
pub mod recording;
mod terminal;

use std::ffi::OsString;
use std::io;
#[cfg(unix)]
use std::sync::{Arc, atomic::AtomicBool};

use crate::output::{Output, Usage};

/// Runs the program with the words of a command line, the first of which is its name. Returns the
/// exit code: 0, 1 for an error, 2 for an invalid command line.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    survive_file_limits();
    let cli = match args::parse(words) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output, errors to standard error; a closed one is not
            // reported anywhere.
            let _ = error.print();
            return error.exit_code() as u8;
        }
    };
    let mut out = Output::new(cli.json);
    let result = commands::run(&cli, &mut out).and_then(|()| Ok(out.flush()?));
    match result {
        Ok(()) => 0,
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
