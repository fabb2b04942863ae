//! What the program prints: text for people, or one JSON object per line for programs.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use serde::Serialize;

pub(crate) use afterstate_core::numbers::{count, number, rounded};

/// Standard output, where a closed pipe is an error and not a panic.
pub(crate) struct Output {
    out: BufWriter<StdoutLock<'static>>,
    json: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Output {
        Output { out: BufWriter::new(io::stdout().lock()), json }
    }

    /// Whether to print JSON.
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// Whether text goes to a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        !self.json && io::stdout().is_terminal()
    }

    /// Whether a drawing of this size can be redrawn in place: in a large enough terminal that
    /// supports cursor movement.
    pub(crate) fn fits(&self, width: usize, height: usize) -> bool {
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let size = terminal_size::terminal_size();
        let fits =
            size.is_some_and(|(terminal_size::Width(columns), terminal_size::Height(rows))| {
                width <= usize::from(columns) && height < usize::from(rows)
            });
        self.is_terminal() && !dumb && fits
    }

    /// A line of text.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.out, "{}", text.as_ref())
    }

    /// Bytes without an added line break.
    pub(crate) fn raw(&mut self, text: &[u8]) -> io::Result<()> {
        self.out.write_all(text)
    }

    /// Text without a line break, flushed.
    pub(crate) fn prompt(&mut self, text: &str) -> io::Result<()> {
        write!(self.out, "{text}")?;
        self.flush()
    }

    /// One JSON object on one line.
    pub(crate) fn object(&mut self, object: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, object)?;
        self.line("")
    }

    /// One JSON object, or a line of text for people.
    pub(crate) fn object_or_line(
        &mut self,
        object: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> io::Result<()> {
        if self.json { self.object(object) } else { self.line(text()) }
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// An invalid command line: exit code 2, as for unknown flags.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub(crate) String);

/// Prints an error as one sentence to standard error.
pub(crate) fn print_error(error: &anyhow::Error) {
    // Some errors repeat their cause.
    let mut sentence = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if sentence.is_empty() {
            sentence = cause;
        } else if !sentence.contains(&cause) {
            sentence += &format!(": {cause}");
        }
    }
    // A closed standard error is not reported anywhere.
    let _ = writeln!(io::stderr(), "error: {sentence}");
}

/// Prints a note to standard error, apart from the output that programs read.
pub(crate) fn print_note(note: &str) {
    let _ = writeln!(io::stderr(), "note: {note}");
}

/// A whole number with thousands separators: 1,234,567.
pub(crate) fn grouped(number: u64) -> String {
    afterstate_core::numbers::grouped(&number.to_string())
}
