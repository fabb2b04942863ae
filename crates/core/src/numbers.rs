//! Formatting of numbers, the same in charts, animations, results and on the terminal.

/// A formatted number with thousands separators: 1234567.5 as 1,234,567.5.
pub fn grouped(number: &str) -> String {
    let end = number.find('.').unwrap_or(number.len());
    let start = number.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
    let mut text = String::new();
    for (i, c) in number.char_indices() {
        if i > start && i < end && (end - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(c);
    }
    text
}

/// A number rounded to an integer, with thousands separators.
pub fn whole(value: f64) -> String {
    let text = format!("{value:.0}");
    grouped(if text == "-0" { "0" } else { &text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        for (number, text) in [
            ("0", "0"),
            ("999", "999"),
            ("1000", "1,000"),
            ("-1000", "-1,000"),
            ("-999", "-999"),
            ("1234567.1234", "1,234,567.1234"),
        ] {
            assert_eq!(grouped(number), text);
        }
        assert_eq!([-0.4, -0.5, 999.5, -1234.6].map(whole), ["0", "0", "1,000", "-1,235"]);
    }
}
