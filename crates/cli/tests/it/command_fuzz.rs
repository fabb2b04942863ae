//! Random command lines, most of them wrong: no panic, no signal, no file that was not asked for.
//! `cargo xtask commands` sets `COMMAND_LINES` for a long run.

use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use afterstate_core::Rng;

use crate::harness::{Scratch, text};

/// Real command lines of every command, each of a moment.
const LINES: [&str; 34] = [
    "play 2048:2x2 --plain --seed 1",
    "play tetris:6x2,melax --agent random --plain",
    "record 2048:3x3 --moves 3 --out game.gif --replay-out game.json",
    "record tetris:10x20 --agent dt-20 --moves 2 --out game.svg --cell 8",
    "record --replay game.json --out again.gif --frames 3 --delay 10",
    "train 2048-3x3 --episodes 20 --threads 1 --eval-games 0 --out run",
    "train tetris-ce --set game=tetris:6x8 --episodes 5 --threads 1 --eval-games 1",
    "train contour4 --moves 100 --threads 1 --eval-games 0 --out table",
    "train 1010-lspi --set budget.episodes=1 --threads 1 --eval-games 0",
    "train 2048-neural --set neural.layers='dense 4' --moves 200 --threads 1 --eval-games 0",
    "train --resume run --threads 1 --eval-games 2 --keep-checkpoint",
    "runs",
    "runs run --json",
    "runs run --delete",
    "plot run --out plot.svg --against moves",
    "plot run --of best",
    "top --json",
    "recipes",
    "agents --json",
    "agents run --recipe",
    "quantize run small.safetensors",
    "eval random --game 2048:2x2 --games 5 --seed 3 --threads 1",
    "eval linear:dt=-1,2,-3,4,-5,6,-7,8 --game tetris:6x8 --games 1 --moves 20 --threads 1",
    "eval --replay game.json",
    "compare greedy random --game 1010:5x5 --games 3 --threads 1",
    "analyze 2048:2x2 2,4|.,8 --agent greedy --search expectimax:2",
    "games --json",
    "solve 2048:2x2 --no-save",
    "solve 1010:3x3,pieces=7 --gamma 0.5 --reward r2 --out best.safetensors",
    "perft 2048:2x2 --depth 2",
    "random-play tetris:4x6 --games 3",
    "completions bash",
    "reproduce",
    "bench --fingerprint --serve --seconds 0 nothing",
];

/// Words that have a meaning somewhere, or that exceed what there is room for.
const WORDS: [&str; 56] = [
    "",
    " ",
    "-",
    "--",
    "-1",
    "0",
    "1",
    "7",
    "1.5",
    "1e999",
    "NaN",
    "-0",
    "4294967296",
    "9223372036854775808",
    "18446744073709551616",
    "\u{e9}\u{1f600}",
    "\n",
    "a\tb",
    "..",
    "../x",
    ".",
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/proc/self/status",
    "missing",
    "run",
    "game.json",
    "x.svg",
    "2048",
    "2048:99x99",
    "tetris:0x0",
    "tetris:4x4,pieces=",
    "1010:10x10,hand=99",
    "chess",
    "expectimax:1",
    "expectimax:99",
    "minimax:2",
    "greedy,beam=0",
    "linear:",
    "linear:dt=1",
    "builtin",
    "dt-20",
    "phase.0.rate=9",
    "network.tuples=01",
    "budget.seconds=-1",
    "game=2048:2x2",
    "log.window=0",
    "--json",
    "--seed",
    "--threads",
    "--games",
    "--out",
    "--set",
    "--device",
    "cuda:9",
];

/// Another command line: one of three as it is but for its numbers, one with another value, one with words
/// that are replaced, dropped, doubled, added, cut or taken from another line.
fn mutate(line: &mut Vec<String>, rng: &mut Rng) {
    let is_value = |at: &usize| *at > 0 && !line[*at].starts_with("--");
    let values: Vec<usize> = (0..line.len()).filter(is_value).collect();
    match (rng.below(3), values.get(rng.below(values.len().max(1)))) {
        (0, Some(&at)) => {
            let digit = char::from(b'0' + rng.below(10) as u8);
            let word = &mut line[at];
            if let Some(place) = word.find(|letter: char| letter.is_ascii_digit()) {
                word.replace_range(place..=place, digit.encode_utf8(&mut [0; 4]));
            }
        }
        (1, Some(&at)) => line[at] = WORDS[rng.below(WORDS.len())].to_owned(),
        _ => mutate_wildly(line, rng),
    }
}

fn mutate_wildly(line: &mut Vec<String>, rng: &mut Rng) {
    for _ in 0..=rng.below(3) {
        // The command itself changes seldom: without one there is little to find.
        let first = usize::from(rng.below(12) > 0).min(line.len());
        let at = first + rng.below(line.len() + 1 - first);
        let word = WORDS[rng.below(WORDS.len())].to_owned();
        match rng.below(8) {
            0 | 1 if at < line.len() => line[at] = word,
            2 if at < line.len() => drop(line.remove(at)),
            3 if at < line.len() => line.insert(at, line[at].clone()),
            4 if at < line.len() => {
                let half = line[at].chars().count() / 2;
                line[at] = line[at].chars().take(half).collect();
            }
            5 if at < line.len() => line[at] += &word,
            6 => {
                let other = LINES[rng.below(LINES.len())].split(' ');
                line.extend(other.skip(1).take(1 + rng.below(3)).map(str::to_owned));
            }
            _ => line.insert(at, word),
        }
    }
    // A word of the system ends at a zero byte.
    line.iter_mut().for_each(|word| word.retain(|letter| letter != '\0'));
}

/// All files and folders below a folder.
fn names(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        found.push(entry.path().display().to_string());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            names(&entry.path(), found);
        }
    }
    found.sort();
}

/// Runs a command line in a folder and ends it after a while: its exit code, or what is wrong with it.
fn judge(
    program: &str,
    line: &[String],
    folder: &Path,
    limit: Duration,
) -> Result<Option<i32>, String> {
    let mut before = Vec::new();
    names(folder, &mut before);
    let mut command = Command::new(program);
    command.args(line).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null());
    // What a test that hangs takes with it, and a group of its own: trainings may start threads only.
    let errors = folder.parent().unwrap().join("errors");
    command.stderr(fs::File::create(&errors).unwrap()).process_group(0);
    let mut child = command.spawn().unwrap();
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if begin.elapsed() > limit {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        thread::sleep(Duration::from_millis(2));
    };
    let errors = text(&fs::read(&errors).unwrap());
    if errors.contains("panicked") || errors.contains("RUST_BACKTRACE") {
        return Err(format!("a panic: {errors}"));
    }
    let mut after = Vec::new();
    names(folder, &mut after);
    let parts: Vec<&String> = after.iter().filter(|name| name.ends_with(".part")).collect();
    if !parts.is_empty() {
        return Err(format!("stray files: {parts:?}"));
    }
    let Some(status) = status else { return Ok(None) };
    match status.code() {
        Some(1) if errors.trim().is_empty() => Err("it failed without a word".to_owned()),
        Some(2) if after != before => Err(format!("refused, but there is {after:?}")),
        code @ Some(0..=2) => Ok(code),
        code => Err(format!("exit code {code:?}, signal {:?}: {errors}", status.signal())),
    }
}

/// Lines in the test command, or as many as a long run asks for.
fn lines() -> u64 {
    std::env::var("COMMAND_LINES").ok().map_or(80, |count| count.parse().unwrap())
}

#[test]
fn random_command_lines_end_with_a_sentence() {
    let scratch = Scratch::new("command-lines");
    // `../x` stays within the folder of the test.
    let folder = scratch.0.join("outer/inner");
    let program = env!("CARGO_BIN_EXE_afterstate");
    let (mut refused, mut codes) = (Vec::new(), [0; 3]);
    for number in 0..lines() {
        let mut rng = Rng::stream(0xc0de, number);
        let mut line: Vec<String> =
            LINES[rng.below(LINES.len())].split(' ').map(str::to_owned).collect();
        mutate(&mut line, &mut rng);
        // What one line leaves is there for the next ones, for a while.
        if number.is_multiple_of(64) {
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder).unwrap();
        }
        match judge(program, &line, &folder, Duration::from_secs(2)) {
            Ok(code) => code.into_iter().for_each(|code| codes[code as usize] += 1),
            Err(what) => refused.push(format!("{line:?}: {what}")),
        }
    }
    assert!(refused.is_empty(), "{} of {}:\n{}", refused.len(), lines(), refused.join("\n"));
    // Lines of every kind: some do what they say, some fail at it, some are no command lines.
    assert!(codes.iter().all(|&count: &u64| count >= lines() / 20), "{codes:?} of {}", lines());
    let mut left = Vec::new();
    names(scratch.0.join("outer").as_path(), &mut left);
    let inner = folder.display().to_string();
    let errors = scratch.0.join("outer/errors").display().to_string();
    left.retain(|name| !name.starts_with(&inner) && *name != errors);
    // What a line was asked to write beside its folder.
    left.retain(|name| !name.contains("/outer/x"));
    assert!(left.is_empty(), "{left:?}");
}
