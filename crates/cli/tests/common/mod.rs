//! What the tests of the program share: the program itself, a folder of their own, small recipes.

#![allow(dead_code, reason = "every test file uses its own part")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A folder that is gone after the test.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("afterstate-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    /// A path in the folder, as an argument.
    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// A recipe in the folder.
    pub(crate) fn recipe(&self, text: &str) -> String {
        let path = self.path("small.toml");
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A recipe for the board of 4x4 with two lines as tuples, 1.5 MiB with coherence.
pub(crate) fn lines(games: u64, phases: &str) -> String {
    format!(
        "game = '2048:4x4'\nbudget.episodes = {games}\nnetwork.tuples = 'lines'\n\
         log.window = 20\nlog.checkpoint_seconds = 0.03\n{phases}"
    )
}

pub(crate) const TD: &str = "[[phase]]\nmethod = 'td'\nrate = 0.1";
pub(crate) const TC: &str = "[[phase]]\nmethod = 'tc'\nrate = 1.0";

pub(crate) fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterstate"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What a program says that reads something from its input.
pub(crate) fn run_with_input(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = program(arguments).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Standard output of a program that must succeed.
pub(crate) fn said(output: &Output) -> String {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

pub(crate) fn printed(arguments: &[&str]) -> String {
    said(&program(arguments).output().unwrap())
}

pub(crate) fn objects(arguments: &[&str]) -> Vec<Value> {
    printed(arguments).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A program that must fail with a code and one sentence.
pub(crate) fn complained(output: &Output, code: i32, sentence: &str) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(sentence), "said {said:?}, expected {sentence:?}");
    assert!(!said.contains("panicked"), "{said}");
    assert!(code == 2 || said.lines().count() == 1, "one sentence, met {said}");
}

pub(crate) fn refused(arguments: &[&str], code: i32, sentence: &str) {
    complained(&program(arguments).output().unwrap(), code, sentence);
}

/// Trains a recipe on one thread, to its end and without an evaluation.
pub(crate) fn train(recipe: &str, out: &str) {
    printed(&["train", recipe, "--out", out, "--threads", "1", "--eval-games", "0"]);
}

/// Starts to train.
pub(crate) fn start(recipe: &str, out: &str) -> Child {
    let arguments = ["train", recipe, "--out", out, "--threads", "1", "--eval-games", "0"];
    program(&arguments).spawn().unwrap()
}

/// Goes on to train.
pub(crate) fn resume(run: &str) -> Child {
    program(&["train", "--resume", run, "--threads", "1", "--eval-games", "0"]).spawn().unwrap()
}

/// Waits for something to be true of a run that goes on.
pub(crate) fn wait_until(mut is_true: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_true() {
        assert!(begin.elapsed() < Duration::from_secs(60), "waited for nothing");
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub(crate) fn lines_of(run: &str) -> usize {
    let metrics = fs::read(Path::new(run).join("metrics.jsonl")).unwrap_or_default();
    metrics.iter().filter(|&&byte| byte == b'\n').count()
}

pub(crate) fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// A run that was stopped on its way.
pub(crate) fn stopped(recipe: &str, run: &str) {
    let child = start(recipe, run);
    wait_until(|| lines_of(run) > 0);
    signal(&child, "-TERM");
    let told = said(&child.wait_with_output().unwrap());
    let expected = format!("Stopped and saved. Go on with: afterstate train --resume {run}\n");
    assert!(told.ends_with(&expected), "{told}");
}

pub(crate) fn agent(run: &str) -> Vec<u8> {
    fs::read(Path::new(run).join("agent.safetensors")).unwrap()
}

/// The metrics without what a clock said.
pub(crate) fn metrics(run: &str) -> Vec<Value> {
    let metrics = fs::read_to_string(Path::new(run).join("metrics.jsonl")).unwrap();
    let read = |line: &str| {
        let mut window: Value = serde_json::from_str(line).unwrap();
        window.as_object_mut().unwrap().remove("seconds").unwrap();
        window
    };
    metrics.lines().map(read).collect()
}

/// The names of the files of a run that end like this.
pub(crate) fn files(run: &str, part: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(run).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.to_str().unwrap().contains(part)).collect()
}

/// Two runs that came to the same.
pub(crate) fn same(one: &str, other: &str) {
    assert!(agent(one) == agent(other), "the agents of {one} and {other} differ");
    assert_eq!(metrics(one), metrics(other), "{one} and {other}");
    assert!(files(other, ".part").is_empty(), "{:?}", files(other, ".part"));
}
