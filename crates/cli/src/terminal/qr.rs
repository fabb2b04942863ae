//! A QR code in a terminal: two modules per character, one above the other.

use qrcodegen::{QrCode, QrCodeEcc};

/// Light modules around a code, which scanners need.
const QUIET: i32 = 2;

/// Black on white, whatever the colours of the terminal are.
const BEGIN: &str = "\x1b[30;107m";
const END: &str = "\x1b[0m";

/// The QR code of a text, as lines for a terminal; `None` for a text that is too long.
pub(crate) fn drawn(text: &str) -> Option<String> {
    let code = QrCode::encode_text(text, QrCodeEcc::Low).ok()?;
    let size = code.size();
    let dark = |x: i32, y: i32| y < size + QUIET && code.get_module(x, y);
    let line = |y: i32| {
        let cell = |x: i32| match (dark(x, y), dark(x, y + 1)) {
            (false, false) => ' ',
            (true, false) => '▀',
            (false, true) => '▄',
            (true, true) => '█',
        };
        format!("{BEGIN}{}{END}", (-QUIET..size + QUIET).map(cell).collect::<String>())
    };
    Some((-QUIET..size + QUIET).step_by(2).map(line).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_is_drawn_once() {
        let text = "http://192.168.178.123:8048/?token=0123456789abcdef0123456789abcdef";
        let code = QrCode::encode_text(text, QrCodeEcc::Low).unwrap();
        let shown = drawn(text).unwrap().replace(BEGIN, "").replace(END, "");
        let lines: Vec<Vec<char>> = shown.lines().map(|line| line.chars().collect()).collect();
        let size = code.size();
        // It fits a terminal of 80 columns and 24 rows.
        assert!(size + 2 * QUIET <= 80 && lines.len() <= 20, "{size}");
        for y in -QUIET..size + QUIET {
            for x in -QUIET..size + QUIET {
                let at = |value: i32| (value + QUIET) as usize;
                let cell = lines[at(y) / 2][at(x)];
                let half = if at(y) % 2 == 0 { '▀' } else { '▄' };
                assert_eq!(cell == '█' || cell == half, code.get_module(x, y), "{x} {y}");
            }
        }
        assert_eq!(drawn(&"x".repeat(3_000)), None);
    }
}
