//! Every reader of bytes from outside, with thousands of damaged inputs each: none panics, hangs or
//! takes more memory than it should. `cargo xtask fuzz` sets `FUZZ_INPUTS` for a long run.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod corpus;
mod mutate;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use afterstate_core::Rng;
use afterstate_values::memory::peak;

/// No input takes longer; a busy machine gets a second try.
const MAX_TIME: Duration = Duration::from_secs(1);

/// The most memory of this process, whose targets run at the same time.
const MAX_MEMORY: u64 = 2 << 30;

/// Inputs of a target: in the test command, or as many as a long run asks for.
fn inputs(short: u64) -> u64 {
    std::env::var("FUZZ_INPUTS").ok().map_or(short, |count| count.parse().unwrap())
}

/// Calls a target with its corpus and with mutations of it.
fn fuzz(name: &str, target: fn(&[u8]), corpus: &[Vec<u8>], short: u64) {
    assert!(corpus.len() > 1, "{name} has no corpus");
    let run = |number: u64, bytes: &[u8]| {
        let timed = || {
            let clock = Instant::now();
            let done = catch_unwind(AssertUnwindSafe(|| target(bytes)));
            (done, clock.elapsed())
        };
        let (mut done, mut time) = timed();
        if done.is_ok() && time > MAX_TIME {
            (done, time) = timed();
        }
        if done.is_err() || time > MAX_TIME {
            let path = std::env::temp_dir().join(format!("afterstate-fuzz-{name}-{number}"));
            std::fs::write(&path, bytes).unwrap();
            panic!("{name}, input {number}: a panic or {time:?}; the input is {}", path.display());
        }
    };
    for (number, bytes) in corpus.iter().enumerate() {
        run(number as u64, bytes);
    }
    // The same inputs in every run of the same length; a longer one begins with them.
    for number in 0..inputs(short) {
        let mut rng = Rng::stream(0xf022, number);
        let mut bytes = corpus[rng.below(corpus.len())].clone();
        mutate::mutate(&mut bytes, corpus, &mut rng);
        run(number, &bytes);
    }
    if let Some(peak) = peak() {
        assert!(peak < MAX_MEMORY, "{name}: {peak} bytes of memory");
    }
}

macro_rules! targets {
    ($($name:ident: $short:expr),* $(,)?) => {
        $(#[test]
        fn $name() {
            fuzz(stringify!($name), targets::$name, &corpus::$name(), $short);
        })*
    };
}

targets!(
    rules: 100_000,
    boards: 50_000,
    moves: 20_000,
    pieces: 50_000,
    searches: 100_000,
    recipes: 10_000,
    settings: 10_000,
    replays: 20_000,
    text_pipe: 20_000,
    agents: 10_000,
    checkpoints: 3_000,
    metrics: 10_000,
    packed_runs: 5_000,
);
