//! The full-screen terminal: boards in colour, keys without Enter.

pub(crate) mod board;
pub(crate) mod colors;
pub(crate) mod game_screen;
pub(crate) mod keys;
pub(crate) mod panel;
pub(crate) mod pointer;
#[cfg(feature = "serve")]
pub(crate) mod qr;
pub(crate) mod screen;
pub(crate) mod session_thread;
pub(crate) mod top;

use std::io::{self, IsTerminal};

/// Whether standard input and output are a terminal that supports full-screen drawing.
pub(crate) fn is_available() -> bool {
    let smart = std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
    smart && io::stdin().is_terminal() && io::stdout().is_terminal()
}
