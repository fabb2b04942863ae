//! Every reader of bytes from outside, with thousands of damaged inputs each: none panics, hangs or
//! takes more memory than it should. `cargo xtask fuzz` sets `FUZZ_INPUTS` for a long run.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod corpus;
mod mutate;
mod targets;

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use afterstate_core::Rng;
use afterstate_values::memory::peak;

/// No input takes longer; a busy machine gets four more tries.
const MAX_TIME: Duration = Duration::from_secs(1);

/// An agent may think for two seconds in one request.
const MAX_REQUEST_TIME: Duration = Duration::from_secs(3);

/// The most memory of this process, whose targets run at the same time.
const MAX_MEMORY: u64 = 2 << 30;

/// Inputs of a target and the threads that share them: few and one in the test command, whose targets run
/// at the same time; as many as a long run asks for, and all.
fn inputs(short: u64) -> (u64, u64) {
    let threads = || thread::available_parallelism().map_or(1, NonZero::get) as u64;
    let asked = std::env::var("FUZZ_INPUTS").ok();
    asked.map_or((short, 1), |count| (count.parse().unwrap(), threads()))
}

/// Writes a corpus for cargo-fuzz.
fn write(folder: &Path, corpus: &[Vec<u8>]) {
    std::fs::create_dir_all(folder).unwrap();
    for (number, bytes) in corpus.iter().enumerate() {
        std::fs::write(folder.join(number.to_string()), bytes).unwrap();
    }
}

/// Calls a target with its corpus and with mutations of it.
fn fuzz(name: &str, target: fn(&[u8]), corpus: &[Vec<u8>], short: u64) {
    assert!(corpus.len() > 1, "{name} has no corpus");
    if let Some(folder) = std::env::var_os("FUZZ_CORPUS") {
        return write(&Path::new(&folder).join(name), corpus);
    }
    let max_time = if name == "requests" { MAX_REQUEST_TIME } else { MAX_TIME };
    let run = |number: u64, bytes: &[u8]| {
        let timed = || {
            let clock = Instant::now();
            let done = catch_unwind(AssertUnwindSafe(|| target(bytes)));
            (done, clock.elapsed())
        };
        let (mut done, mut time) = timed();
        for _ in 0..4 {
            if done.is_ok() && time > max_time {
                (done, time) = timed();
            }
        }
        if done.is_err() || time > max_time {
            let path = std::env::temp_dir().join(format!("afterstate-fuzz-{name}-{number}"));
            std::fs::write(&path, bytes).unwrap();
            panic!("{name}, input {number}: a panic or {time:?}; the input is {}", path.display());
        }
    };
    for (number, bytes) in corpus.iter().enumerate() {
        run(number as u64, bytes);
    }
    // The same inputs in every run of the same length, whatever the threads; a longer one begins with them.
    let (inputs, threads) = inputs(short);
    let share = |thread: u64| {
        let mut bytes = Vec::new();
        for number in (thread..inputs).step_by(threads as usize) {
            let mut rng = Rng::stream(0xf022, number);
            bytes.clone_from(&corpus[rng.below(corpus.len())]);
            mutate::mutate(&mut bytes, corpus, &mut rng);
            run(number, &bytes);
        }
    };
    thread::scope(|scope| {
        let share = &share;
        let others: Vec<_> = (1..threads).map(|n| scope.spawn(move || share(n))).collect();
        share(0);
        others.into_iter().for_each(|other| other.join().unwrap());
    });
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
    requests: 5_000,
);
