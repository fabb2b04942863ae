//! Formatting of numbers, the same in charts, animations, results and on the terminal.

/// A formatted number with thousands separators: 1234567.5 as 1,234,567.5.
pub fn grouped(number: &str) -> String {
    let end = number.find('.').unwrap_or(number.len());
    let start = number.find(|c: char| c.is_ascii_digit()).unwrap_or(end);
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

/// A number with its noun: 1 move, 2 moves.
pub fn count(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", grouped(&number.to_string()))
}

/// A number for people: thousands separators, and fewer decimals the larger it is.
pub fn number(value: f64) -> String {
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
pub fn rounded(value: f64, width: f64) -> String {
    if !width.is_finite() || width <= 0.0 {
        return number(value);
    }
    let decimals = (1.0 - width.log10().floor()).clamp(0.0, 9.0);
    with_decimals(value, decimals as usize)
}

/// A duration in seconds for people: 5 s, 2 min 3 s, 4 h 5 min.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{} h {minutes} min", grouped(&hours.to_string())),
    }
}

fn with_decimals(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let text = format!("{:.decimals$}", value.abs());
    let negative = value < 0.0 && text.bytes().any(|b| (b'1'..=b'9').contains(&b));
    format!("{}{}", if negative { "-" } else { "" }, grouped(&text))
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

    #[test]
    fn large_numbers_and_no_numbers_are_shown() {
        let large = [1e10, -1e10, 9_007_199_254_740_993.0].map(whole);
        assert_eq!(large, ["10,000,000,000", "-10,000,000,000", "9,007,199,254,740,992"]);
        assert_eq!([f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(whole), ["NaN", "inf", "-inf"]);
        assert_eq!(number(f64::NEG_INFINITY), "-inf");
        assert_eq!(count(u64::MAX, "piece"), "18,446,744,073,709,551,615 pieces");
        assert_eq!([-1.0, f64::NAN].map(duration), ["0 s", "0 s"]);
        assert_eq!(duration(f64::INFINITY), "5,124,095,576,030,431 h 0 min");
    }

    #[test]
    fn numbers_are_readable() {
        assert_eq!(number(1_098.345), "1,098.3");
        assert_eq!(number(66.964_15), "66.964");
        assert_eq!(number(-1_862.0), "-1,862");
        assert_eq!(number(123_456.7), "123,457");
        assert_eq!(number(-0.000_01), "0");
        assert_eq!(number(f64::INFINITY), "inf");
        assert_eq!(rounded(118.4321, 0.05), "118.432");
        assert_eq!(rounded(12_345.678, 312.0), "12,346");
        assert_eq!(rounded(-3.0, 0.0), "-3");
        assert_eq!([count(1, "move"), count(1_200, "move")], ["1 move", "1,200 moves"]);
        assert_eq!([5.9, 123.0, 14_700.0].map(duration), ["5 s", "2 min 3 s", "4 h 5 min"]);
    }
}
