//! The program in a whole terminal: boards in colour, keys at once.

pub(crate) mod board;
pub(crate) mod colors;
pub(crate) mod dealer;
pub(crate) mod hand;
pub(crate) mod panel;
pub(crate) mod screen;
pub(crate) mod table;
pub(crate) mod top;

use std::io::{self, IsTerminal};

/// Whether there is a terminal that can be drawn on and typed into.
pub(crate) fn is_there() -> bool {
    let smart = std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
    smart && io::stdin().is_terminal() && io::stdout().is_terminal()
}
