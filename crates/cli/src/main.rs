//! `afterstate`: the program. Parses the command line, runs one command, and reports an error as one
//! sentence and an exit code.

mod args;
mod board_json;
mod commands;
mod output;
mod progress;
mod terminal;

use std::io;
use std::process::ExitCode;

use crate::output::{Output, Usage};

fn main() -> ExitCode {
    let cli = args::parse();
    let mut out = Output::new(cli.json);
    let result = commands::run(&cli, &mut out).and_then(|()| Ok(out.flush()?));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has closed the pipe, as in `afterstate ... | head`.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Only writes to standard output fail without a context.
            let error = if error.is::<io::Error>() && error.chain().count() == 1 {
                error.context("cannot write the output")
            } else {
                error
            };
            output::print_error(&error);
            if error.is::<Usage>() { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
