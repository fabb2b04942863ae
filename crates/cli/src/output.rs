//! What the program prints: text for people, or one JSON object per line for programs.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use serde::Serialize;

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

/// A number with its noun: 1 move, 2 moves.
pub(crate) fn count(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", grouped(number))
}

/// A number for people: thousands separators, and fewer decimals the larger it is.
pub(crate) fn number(value: f64) -> String {
    let decimals = if value.abs() >= 10_000.0 {
        0
    } else if value.abs() >= 100.0 {
        1
    } else {
        3
    };
    let text = with_decimals(value, decimals);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A number with an uncertainty of `width`: as many decimals as show two digits of `width`.
pub(crate) fn rounded(value: f64, width: f64) -> String {
    if !width.is_finite() || width <= 0.0 {
        return number(value);
    }
    let decimals = (1.0 - width.log10().floor()).clamp(0.0, 9.0);
    with_decimals(value, decimals as usize)
}

fn with_decimals(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), grouped);
    let point = if fraction.is_empty() { "" } else { "." };
    let negative = value < 0.0 && text.bytes().any(|b| (b'1'..=b'9').contains(&b));
    format!("{}{whole}{point}{fraction}", if negative { "-" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(number(1_098.345), "1,098.3");
        assert_eq!(number(66.964_15), "66.964");
        assert_eq!(number(-1_862.0), "-1,862");
        assert_eq!(number(123_456.7), "123,457");
        assert_eq!(number(-0.000_01), "0");
        assert_eq!(number(f64::INFINITY), "inf");
        assert_eq!(rounded(118.4321, 0.05), "118.432");
        assert_eq!(rounded(12_345.678, 312.0), "12,346");
        assert_eq!(rounded(-3.0, 0.0), "-3");
        assert_eq!(
            (count(1, "move"), count(1_200, "move")),
            ("1 move".to_owned(), "1,200 moves".to_owned())
        );
    }
}
