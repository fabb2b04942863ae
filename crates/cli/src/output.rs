//! What the program prints: text for people, or one JSON object a line for programs.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use serde::Serialize;

/// Standard output, where a closed pipe is an error like any other instead of a panic.
pub(crate) struct Output {
    out: BufWriter<StdoutLock<'static>>,
    json: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Output {
        Output { out: BufWriter::new(io::stdout().lock()), json }
    }

    /// Whether a program is reading.
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// Whether a person is watching in a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        !self.json && io::stdout().is_terminal()
    }

    /// A line of text.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.out, "{}", text.as_ref())
    }

    /// Text without a line break, shown at once.
    pub(crate) fn prompt(&mut self, text: &str) -> io::Result<()> {
        write!(self.out, "{text}")?;
        self.flush()
    }

    /// One object on one line.
    pub(crate) fn object(&mut self, object: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, object)?;
        self.line("")
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The command line asks for something that makes no sense: exit code 2, as for unknown flags.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// The one sentence on standard error that says what went wrong.
pub(crate) fn complain(error: &anyhow::Error) {
    // There is nobody left to tell if standard error is closed, too.
    let _ = writeln!(io::stderr(), "error: {error:#}");
}

/// A whole number with its thousands apart: 1,234,567.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number for a table: thousands apart, decimals only where they say something.
pub(crate) fn number(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let decimals = if value.abs() >= 10_000.0 {
        0
    } else if value.abs() >= 100.0 {
        1
    } else {
        3
    };
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), grouped);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    let negative = value < 0.0 && text.bytes().any(|b| (b'1'..=b'9').contains(&b));
    format!("{}{whole}{point}{fraction}", if negative { "-" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(number(1_098.345), "1,098.3");
        assert_eq!(number(66.964_15), "66.964");
        assert_eq!(number(-1_862.0), "-1,862");
        assert_eq!(number(123_456.7), "123,457");
        assert_eq!(number(-0.000_01), "0");
        assert_eq!(number(f64::INFINITY), "inf");
    }
}
