//! The program under test, temporary folders, small recipes, and runs that are stopped.
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A temporary folder, which is removed after the test.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Scratch {
        // Two tests may choose the same name, and run at the same time.
        static FOLDERS: AtomicU64 = AtomicU64::new(0);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("afterstate-{name}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
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

/// A recipe for 2048:4x4 with two lines as tuples: 1.5 MiB with temporal coherence.
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

/// Runs the program with this standard input.
pub(crate) fn run_with_input(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = program(arguments).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The standard output of a program that must succeed.
pub(crate) fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// The arguments of a command line without quotes.
pub(crate) fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

pub(crate) fn printed(arguments: &[&str]) -> String {
    stdout(&program(arguments).output().unwrap())
}

pub(crate) fn objects(arguments: &[&str]) -> Vec<Value> {
    printed(arguments).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Asserts that a program failed with this code and a sentence.
pub(crate) fn failed(output: &Output, code: i32, sentence: &str) {
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{error}");
    assert_contains(&error, sentence);
    assert!(!error.contains("panicked"), "{error}");
    assert!(code == 2 || error.lines().count() == 1, "more than one sentence: {error}");
}

/// Asserts that a text contains a sentence.
pub(crate) fn assert_contains(text: &str, sentence: &str) {
    assert!(text.contains(sentence), "{text:?} is not {sentence:?}");
}

pub(crate) fn refused(arguments: &[&str], code: i32, sentence: &str) {
    failed(&program(arguments).output().unwrap(), code, sentence);
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

/// Resumes a run.
pub(crate) fn resume(run: &str) -> Child {
    program(&["train", "--resume", run, "--threads", "1", "--eval-games", "0"]).spawn().unwrap()
}

/// Resumes a run to its end and asserts that it is the same as another.
pub(crate) fn resume_to(whole: &str, broken: &str) {
    stdout(&resume(broken).wait_with_output().unwrap());
    same(whole, broken);
}

/// The deadline of a wait, for a busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(300);

/// Waits until a condition holds.
pub(crate) fn wait_until(mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < DEADLINE, "the condition never held");
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

/// Stops a run by a signal before its end; returns the path of its recipe. A run that ends before
/// the signal arrives is repeated with a recipe of twice the length.
pub(crate) fn stop(
    scratch: &Scratch,
    run: &str,
    signal_name: &str,
    recipe: impl Fn(u64) -> String,
) -> String {
    for length in (0..12).map(|doublings| 1 << doublings) {
        let path = scratch.recipe(&recipe(length));
        let child = start(&path, run);
        wait_until(|| lines_of(run) > 0);
        signal(&child, signal_name);
        let output = child.wait_with_output().unwrap();
        // A signal after the end of the training exits with 130, as a second Ctrl-C does.
        if output.status.code() != Some(130) {
            let stopped =
                format!("Stopped and saved. Resume with: afterstate train --resume {run}\n");
            if stdout(&output).ends_with(&stopped) {
                return path;
            }
        }
        fs::remove_dir_all(run).unwrap();
    }
    panic!("every run ended before it was stopped");
}

/// A run that is stopped and resumed gives the bytes of an unbroken one.
pub(crate) fn stop_and_resume(name: &str, signal_name: &str, recipe: impl Fn(u64) -> String) {
    let scratch = Scratch::new(name);
    let (whole, broken) = (scratch.path("whole"), scratch.path("broken"));
    let recipe = stop(&scratch, &broken, signal_name, recipe);
    assert_eq!(objects(&["runs", &broken, "--json"])[0]["finished"], false);
    train(&recipe, &whole);
    resume_to(&whole, &broken);
}

/// Changes the budget of a run.
pub(crate) fn set_episodes(run: &str, from: u64, to: u64) {
    let path = Path::new(run).join("recipe.toml");
    let text = fs::read_to_string(&path).unwrap();
    let (from, to) = (format!("episodes = {from}"), format!("episodes = {to}"));
    assert!(text.contains(&from), "{text}");
    fs::write(path, text.replace(&from, &to)).unwrap();
}

pub(crate) fn agent(run: &str) -> Vec<u8> {
    fs::read(Path::new(run).join("agent.safetensors")).unwrap()
}

/// The metrics without times.
pub(crate) fn metrics(run: &str) -> Vec<Value> {
    let metrics = fs::read_to_string(Path::new(run).join("metrics.jsonl")).unwrap();
    let read = |line: &str| {
        let mut window: Value = serde_json::from_str(line).unwrap();
        window.as_object_mut().unwrap().remove("seconds").unwrap();
        window
    };
    metrics.lines().map(read).collect()
}

/// The files of a run whose names contain `part`.
pub(crate) fn files(run: &str, part: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(run).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.to_str().unwrap().contains(part)).collect()
}

/// Asserts that two runs have the same agent and metrics.
pub(crate) fn same(one: &str, other: &str) {
    assert!(agent(one) == agent(other), "the agents of {one} and {other} differ");
    assert_eq!(metrics(one), metrics(other), "{one} and {other}");
    assert!(files(other, ".part").is_empty(), "{:?}", files(other, ".part"));
}
