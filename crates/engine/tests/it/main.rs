//! The engine from outside: sessions, evaluations, solutions, recipes and runs of every game.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod batch;
mod batch_agents;
mod cluster;
#[path = "../../../games/tests/counting_allocator/mod.rs"]
mod counting_allocator;
mod cs3243;
mod evaluate;
mod fingerprint;
mod random_play;
mod runs;
mod session;
mod solve;
mod tables;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::{fs, io};

use afterstate_agents::evaluate::EvaluateError;
use afterstate_agents::{Evaluation, EvaluationSettings, LoadedAgent};
use afterstate_engine::Engine;
use afterstate_search::Search;
use afterstate_train::Hardware;
use afterstate_train::recipe::Recipe;
use afterstate_train::recipes::BUILT_IN;
use afterstate_train::run::{Folder, Observer, Outcome, RunError, Status};

/// The engine of some rules.
fn open(rules: &str) -> Box<dyn Engine> {
    afterstate_engine::open(&rules.parse().unwrap())
}

/// An agent loaded for some rules.
fn load(agent: &str, rules: &str) -> LoadedAgent {
    open(rules).load(&agent.parse().unwrap()).unwrap()
}

/// Evaluates an agent without search.
fn evaluate(
    rules: &str,
    agent: &str,
    settings: &EvaluationSettings,
) -> Result<Evaluation, EvaluateError> {
    open(rules).evaluate(&agent.parse().unwrap(), &Search::GREEDY, settings)
}

/// A built-in recipe with some settings changed.
fn recipe(name: &str, settings: &[&str]) -> Recipe {
    let (_, text) = BUILT_IN.iter().find(|(known, _)| *known == name).unwrap();
    let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
    Recipe::parse(text, &settings).unwrap()
}

/// A run in a temporary folder, which is removed with it.
struct Run(Folder);

impl Run {
    fn new(name: &str, recipe: Recipe) -> Run {
        let path = temporary(name);
        let _ = fs::remove_dir_all(&path);
        Run(Folder::create(&path, recipe).unwrap())
    }

    /// Trains on one thread; returns the outcome and the notes of the plan.
    fn train(&self, stop: Stop) -> Result<(Outcome, Vec<String>), RunError> {
        let flag = AtomicBool::new(matches!(stop, Stop::AtOnce));
        let rounds = if let Stop::AfterRounds(rounds) = stop { rounds } else { u64::MAX };
        let mut observer = Recorder { flag: &flag, rounds, notes: Vec::new() };
        let engine = afterstate_engine::open(&self.0.recipe().rules);
        let outcome = engine.train(&self.0, Hardware::threads(1), &flag, &mut observer)?;
        Ok((outcome, observer.notes))
    }

    fn agent(&self) -> PathBuf {
        self.0.agent()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.0.path());
    }
}

/// A path that no other call returns: tests of one process run at the same time.
fn temporary(name: &str) -> PathBuf {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("afterstate-engine-{name}-{}-{call}", std::process::id()))
}

/// When a training is stopped.
#[derive(Clone, Copy)]
enum Stop {
    Never,
    AtOnce,
    AfterRounds(u64),
}

struct Recorder<'a> {
    flag: &'a AtomicBool,
    rounds: u64,
    notes: Vec<String>,
}

impl Observer for Recorder<'_> {
    fn begin(&mut self, note: &str) -> io::Result<()> {
        self.notes.push(note.to_owned());
        Ok(())
    }

    fn round(&mut self, _: &Status) -> io::Result<()> {
        self.rounds -= 1;
        self.flag.fetch_or(self.rounds == 0, Ordering::Relaxed);
        Ok(())
    }
}

/// The metrics of a run without the times.
fn metrics(folder: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(folder.join("metrics.jsonl")).unwrap_or_default();
    let window = |line: &str| {
        let mut window: serde_json::Value = serde_json::from_str(line).unwrap();
        window.as_object_mut().unwrap().remove("seconds");
        window
    };
    text.lines().map(window).collect()
}
