//! Games that are too large to solve, by what is told.

use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_learn::solution::{SolveError, estimate_in};

const GIB: u64 = 1 << 30;

/// What is told of some rules where so much memory is available; `None` if they can be solved.
fn refusal(rules: &str, available: u64) -> Option<SolveError> {
    struct Estimated(u64);
    impl Visitor for Estimated {
        type Output = Option<SolveError>;
        fn visit<G: Spec>(self, game: &G) -> Option<SolveError> {
            estimate_in(game, None, 1.0, self.0).err()
        }
    }
    rules.parse::<GameSpec>().unwrap().with(Estimated(available))
}

/// A number of bytes as it is told, such as `16.0 GiB`.
fn bytes(text: &str) -> f64 {
    let (number, unit) = text.split_once(' ').unwrap();
    let exponent = ["bytes", "KiB", "MiB", "GiB", "TiB"].iter().position(|name| *name == unit);
    let number = match number.strip_prefix("2^") {
        Some(power) => power.parse::<f64>().unwrap().exp2(),
        None => number.parse().unwrap(),
    };
    number * 1024f64.powi(exponent.unwrap() as i32)
}

#[test]
fn a_well_that_is_too_large_is_refused_with_what_it_needs() {
    for (available, needed, told) in [(8, "16.0", "8.0"), (20, "30.4", "20.0")] {
        let refused = refusal("tetris:4x8,pieces=melax", available * GIB).unwrap();
        assert_eq!(
            refused.to_string(),
            format!(
                "solving needs {needed} GiB of memory for 4294967296 boards, but only {told} GiB are \
                 available: learn instead, with afterstate train"
            )
        );
    }
    let unknown = refusal("tetris:4x8,pieces=melax", u64::MAX);
    assert_eq!(unknown, None, "where the system does not tell, it is tried");
}

/// Wherever a game is refused for its size, what it needs is more than there is, whatever there is.
#[test]
fn what_is_refused_needs_more_memory_than_there_is() {
    let mut checked = 0;
    for (rules, from) in [
        ("tetris:4x7,pieces=melax", GIB),
        ("tetris:4x8,pieces=melax", 16 * GIB),
        ("tetris:5x6,pieces=melax", 4 * GIB),
        ("tetris:4x8", 16 * GIB),
        ("tetris:5x7", 64 * GIB),
        ("1010:5x6,pieces=7", 4 * GIB),
        ("1010:6x6,pieces=7", 256 * GIB),
    ] {
        for available in [GIB >> 4, GIB, 4 * GIB, 8 * GIB, 16 * GIB, 64 * GIB] {
            let Some(refused) = refusal(rules, available) else {
                assert!(available >= from, "{rules}: {available} bytes are enough");
                continue;
            };
            let SolveError::TooLarge(needed, _, told) = &refused else { panic!("{refused}") };
            let told = told.strip_prefix(", but only ").unwrap();
            let told = told.strip_suffix(" are available").unwrap();
            assert!((bytes(told) / available as f64 - 1.0).abs() < 0.1, "{refused}");
            assert!(bytes(needed) >= bytes(told), "{rules}: {refused}");
            checked += 1;
        }
    }
    assert!(checked >= 20, "{checked}");
}
