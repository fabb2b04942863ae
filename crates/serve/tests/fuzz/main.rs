//! Every reader of bytes from outside, with thousands of damaged inputs each: none panics, hangs or
//! takes more memory than it should. `cargo xtask fuzz` sets `FUZZ_INPUTS` and `FUZZ_SECONDS` for a long
//! run; `FUZZ_FIRST` and `FUZZ_THREADS` share one out over processes: inputs from a number on.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod corpus;
mod mutate;
mod targets;
mod watchdog;

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use afterstate_core::Rng;
use afterstate_values::memory::peak;

use watchdog::{Alarm, Slot, Watchdog};

/// No input takes longer; a busy machine gets four more tries.
const MAX_TIME: Duration = Duration::from_secs(1);

/// An agent may think for two seconds in a request to a server with the limits of every server.
const MAX_REQUEST_TIME: Duration = Duration::from_secs(3);

/// The most memory of this process, whose targets run at the same time.
const MAX_MEMORY: u64 = 2 << 30;

/// An input that is found so often, ten times a second, hangs.
const MAX_LOOKS: u32 = 300;

/// A number in the environment.
fn asked<T: FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}

/// Writes a corpus for cargo-fuzz.
fn write(folder: &Path, corpus: &[Vec<u8>]) {
    std::fs::create_dir_all(folder).unwrap();
    for (number, bytes) in corpus.iter().enumerate() {
        std::fs::write(folder.join(number.to_string()), bytes).unwrap();
    }
}

/// The inputs of a target by their numbers: those of the corpus, then mutations of them.
struct Fuzzed<'a> {
    name: &'a str,
    target: fn(&[u8]),
    corpus: &'a [Vec<u8>],
    /// Whether an input has failed: the others need not go on.
    has_failed: AtomicBool,
}

impl Fuzzed<'_> {
    /// The same input in every run, whatever the threads; a longer run begins with those of a short one.
    fn input(&self, number: u64, bytes: &mut Vec<u8>) {
        match self.corpus.get(number as usize) {
            Some(real) => bytes.clone_from(real),
            None => {
                let mut rng = Rng::stream(0xf022, number);
                bytes.clone_from(&self.corpus[rng.below(self.corpus.len())]);
                mutate::mutate(bytes, self.corpus, &mut rng);
            }
        }
    }

    /// Keeps an input in a file.
    fn keep(&self, number: u64) -> PathBuf {
        let (name, mut bytes) = (self.name, Vec::new());
        self.input(number, &mut bytes);
        let path = std::env::temp_dir().join(format!("afterstate-fuzz-{name}-{number}"));
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Calls the target with an input.
    fn run(&self, number: u64, bytes: &[u8]) {
        let timed = || {
            let clock = Instant::now();
            let done = catch_unwind(AssertUnwindSafe(|| (self.target)(bytes)));
            (done, clock.elapsed())
        };
        let max_time = if self.name == "requests" { MAX_REQUEST_TIME } else { MAX_TIME };
        let (mut done, mut time) = timed();
        for _ in 0..4 {
            if done.is_ok() && time > max_time {
                (done, time) = timed();
            }
        }
        if done.is_err() || time > max_time {
            self.has_failed.store(true, Ordering::Relaxed);
            let (name, path) = (self.name, self.keep(number));
            panic!("{name}, input {number}: a panic or {time:?}; the input is {}", path.display());
        }
    }

    /// Calls the target with every `threads`th input of so many until an end; returns how many they were.
    fn share(&self, slot: &Slot, inputs: impl Iterator<Item = u64>, end: Option<Instant>) -> u64 {
        let (mut bytes, mut count) = (Vec::new(), 0);
        for number in inputs {
            if self.has_failed.load(Ordering::Relaxed)
                || end.is_some_and(|end| Instant::now() >= end)
            {
                break;
            }
            slot.work(number, || {
                self.input(number, &mut bytes);
                self.run(number, &bytes);
            });
            count += 1;
        }
        count
    }

    /// Ends the process, which cannot end what hangs.
    fn alarm(&self, alarm: Alarm) {
        let (number, what) = match alarm {
            Alarm::Hang(number) => (number, "hangs".to_owned()),
            Alarm::Memory(number, bytes) => (number, format!("{bytes} bytes of memory")),
        };
        let (name, path) = (self.name, self.keep(number));
        tell(&format!("{name}, input {number}: {what}; the input is {}", path.display()));
        std::process::exit(101);
    }
}

#[allow(clippy::print_stderr, reason = "a long run tells how far it went")]
fn tell(text: &str) {
    eprintln!("{text}");
}

/// Calls a target with its corpus and with mutations of it: few and on one thread in the test command,
/// whose targets run at the same time; as many as a long run asks for, and on all threads.
fn fuzz(name: &str, target: fn(&[u8]), corpus: &[Vec<u8>], short: u64) {
    assert!(corpus.len() > 1, "{name} has no corpus");
    if let Some(folder) = std::env::var_os("FUZZ_CORPUS") {
        return write(&Path::new(&folder).join(name), corpus);
    }
    let fuzzed = Fuzzed { name, target, corpus, has_failed: AtomicBool::new(false) };
    let long: Option<u64> = asked("FUZZ_INPUTS");
    let threads = match long {
        Some(_) => asked("FUZZ_THREADS")
            .unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get)),
        None => 1,
    };
    // Mutations that another process tries: it also has the corpus, which is before them.
    let first = asked("FUZZ_FIRST").map_or(0, |first: u64| match first {
        0 => 0,
        _ => first + corpus.len() as u64,
    });
    let inputs = long.unwrap_or(short) + corpus.len() as u64;
    let clock = Instant::now();
    let end = asked("FUZZ_SECONDS").map(|seconds| clock + Duration::from_secs(seconds));
    let watchdog = Watchdog {
        tick: Duration::from_millis(100),
        looks: MAX_LOOKS,
        max_memory: MAX_MEMORY,
        memory: peak,
    };
    let alarm = |alarm| fuzzed.alarm(alarm);
    let count: u64 = watchdog.watch(threads, alarm, |slots| {
        thread::scope(|scope| {
            let fuzzed = &fuzzed;
            let share = |(thread, slot)| {
                let own = (first + thread as u64..inputs).step_by(threads);
                scope.spawn(move || fuzzed.share(slot, own, end))
            };
            let shares: Vec<_> = slots.iter().enumerate().map(share).collect();
            shares.into_iter().map(|share| share.join().unwrap()).sum()
        })
    });
    if long.is_some() {
        let (seconds, mib) = (clock.elapsed().as_secs(), peak().unwrap_or(0) >> 20);
        tell(&format!("{name}: {count} inputs in {seconds} s, {mib} MiB of memory at most"));
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
