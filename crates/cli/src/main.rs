//! The program `afterstate`, as a binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(afterstate::run(std::env::args_os()))
}
