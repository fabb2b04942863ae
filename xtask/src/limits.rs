//! SECURITY.md has a table of the limits of the server; the constants say whether it is true and whole.

#[cfg(test)]
mod tests {
    use std::fs;

    /// Each constant of `limits.rs`, its value, and what the table says of it.
    const LIMITS: [(&str, &str, &str); 26] = [
        ("MAX_BODY", "1 << 16", "| 64 KiB; a replay 16 MiB |"),
        ("MAX_REPLAY", "16 << 20", "| 64 KiB; a replay 16 MiB |"),
        ("MAX_CONNECTIONS", "4_096", "| connections | 4,096 |"),
        (
            "READ_TIMEOUT",
            "Duration::from_secs(10)",
            "| headers of a request, its body, an idle connection | 10 s each |",
        ),
        (
            "SHUTDOWN_TIMEOUT",
            "Duration::from_secs(10)",
            "| requests, then trainings, after Ctrl-C | 10 s each |",
        ),
        ("MAX_GAMES", "100", "| games | 100 |"),
        (
            "WRITE_TIMEOUT",
            "Duration::from_secs(10)",
            "| a response that the client does not take | 10 s without progress |",
        ),
        ("MAX_UPLOADS", "4", "| replays received or parsed at once | 4 |"),
        ("WORKERS", "8", "| short computations | 8 at once, 128 waiting |"),
        ("MAX_QUEUE", "128", "| 8 at once, 128 waiting; 2 s and 5 plies each |"),
        (
            "MAX_COMPUTE_TIME",
            "Duration::from_millis(2_000)",
            "| 8 at once, 128 waiting; 2 s and 5 plies each |",
        ),
        ("MAX_PLIES", "5", "| 8 at once, 128 waiting; 2 s and 5 plies each |"),
        ("MAX_MOVES", "1_000_000", "| moves by an agent in one request | 1,000,000 |"),
        ("MAX_BOARDS", "6", "| 12 of 6 boards |"),
        ("MAX_STREAMS", "12", "| 12 of 6 boards |"),
        ("MAX_STORED_STREAMS", "48", "| streams that are kept | 48 |"),
        ("MAX_LOADED", "12", "| agents that stay loaded | 12 |"),
        ("MAX_COOKIES", "64", "| browsers that were let in | 64 |"),
        ("MAX_TRAININGS", "2", "| trainings | 2 |"),
        ("MAX_RUNS", "1_000", "| runs in the folder | 1,000 |"),
        ("MAX_TRAINING_DISK", "20 << 30", "| 20 GiB, and 1 GiB stays free |"),
        ("MIN_FREE_DISK", "1 << 30", "| 20 GiB, and 1 GiB stays free |"),
        ("METRICS_DISK", "512 << 20", "| metrics of a training | 512 MiB of its disk |"),
        ("MAX_CHART_RUNS", "7", "| runs in a chart | 7 |"),
        ("MAX_MEASURE_GAMES", "10_000", "| games that measure an agent | 10,000 |"),
        ("MAX_SETTINGS", "64", "| settings of a training | 64 of 2,000 bytes;"),
    ];

    /// Used in two rows.
    const MAX_TEXT: (&str, &str, [&str; 2]) = (
        "MAX_TEXT",
        "2_000",
        [
            "| rules, weights as text | 2,000 bytes |",
            "| settings of a training | 64 of 2,000 bytes;",
        ],
    );

    #[test]
    fn the_table_of_limits_has_the_constants() {
        let read = |name: &str| fs::read_to_string(crate::root().join(name)).unwrap();
        let (security, source) = (read("SECURITY.md"), read("crates/serve/src/limits.rs"));
        let found: Vec<(&str, &str)> = source
            .lines()
            .filter_map(|line| {
                let (name, rest) = line.strip_prefix("pub(crate) const ")?.split_once(':')?;
                Some((name, rest.split_once(" = ")?.1.trim_end_matches(';')))
            })
            .collect();
        let mut expected: Vec<(&str, &str)> =
            LIMITS.iter().map(|(name, value, _)| (*name, *value)).collect();
        expected.push((MAX_TEXT.0, MAX_TEXT.1));
        let sorted = |mut limits: Vec<_>| {
            limits.sort_unstable();
            limits
        };
        assert_eq!(sorted(found), sorted(expected), "a limit is new or another");
        let rows = LIMITS.iter().map(|(_, _, row)| row).chain(&MAX_TEXT.2);
        for row in rows {
            assert!(security.contains(row), "the table has no {row}");
        }
    }
}
