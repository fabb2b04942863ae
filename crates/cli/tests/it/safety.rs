//! What must never happen: a game that never ends holds up a training, a file of a run hangs a command, weights
//! that are no numbers are kept.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

use crate::harness::{
    Scratch, TC, TD, agent, assert_contains, failed, files, lines, lines_of, metrics, objects,
    program, refused, resume, resume_to, signal, start, stdout, stop, text, train, wait_until,
};

/// A busy machine is slow, a program that hangs never ends.
const PATIENCE: Duration = Duration::from_secs(100);

/// The output of a program that must end by itself.
pub(crate) fn ends(mut child: Child) -> Output {
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("the program does not end: {:?}", child.wait_with_output());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

pub(crate) fn pipe(path: &Path) {
    let _ = fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// A network with one weight per board of a game that optimal play never ends.
fn endless(phase: &str, budget: &str) -> String {
    format!(
        "game = '1010:3x3,pieces=3'\nbudget.{budget}\nnetwork.tuples = '012345678'\n\
         log.checkpoint_seconds = 0.2\n[[phase]]\nmethod = 'td'\nrate = 0.1\n{phase}"
    )
}

#[test]
fn games_that_never_end_end_with_the_budget() {
    let scratch = Scratch::new("endless-budget");
    for (number, phase) in
        ["", "order = 'backward'", "starts = 'restart'", "values = 'states'"].iter().enumerate()
    {
        let (run, recipe) =
            (scratch.path(&number.to_string()), scratch.recipe(&endless(phase, "seconds = 1")));
        let output = ends(start(&recipe, &run));
        assert_contains(&stdout(&output), "Trained on ");
        assert!(!agent(&run).is_empty());
    }
    // A well in which pieces of Melax are played for ever.
    let run = scratch.path("tetris");
    let recipe = "game = 'tetris:4x20,pieces=melax'\nbudget.seconds = 1\n\
                  network.tuples = ['rectangles 4x3']\n[[phase]]\nmethod = 'tc'\nrate = 1.0";
    stdout(&ends(start(&scratch.recipe(recipe), &run)));
}

/// The most memory of a program until it ends, as the system tells.
#[cfg(target_os = "linux")]
fn peak(mut child: Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kib.unwrap_or(0) << 10);
        std::thread::sleep(Duration::from_millis(2));
    }
    stdout(&child.wait_with_output().unwrap());
    peak
}

/// Games that are kept as a whole are truncated: ten times the moves take no more memory.
#[cfg(target_os = "linux")]
#[test]
fn games_that_never_end_have_bounded_memory() {
    let scratch = Scratch::new("endless-memory");
    for (number, phase) in ["order = 'backward'", "starts = 'restart'"].iter().enumerate() {
        let [few, many] = [300_000u64, 3_000_000].map(|moves| {
            let run = scratch.path(&format!("{moves}-{number}"));
            peak(start(&scratch.recipe(&endless(phase, &format!("moves = {moves}"))), &run))
        });
        assert!(few > 1 << 20 && many < few + (16 << 20), "{phase}: {few}, then {many} bytes");
    }
}

#[test]
fn games_that_never_end_are_stopped_and_saved() {
    let scratch = Scratch::new("endless-stop");
    for how in ["-INT", "-TERM", "file"] {
        let run = scratch.path(how);
        let recipe = scratch.recipe(&endless("", "episodes = 1000000000000"));
        let child = start(&recipe, &run);
        // A checkpoint is written while games go on.
        wait_until(|| fs::exists(format!("{run}/checkpoint.safetensors")).unwrap());
        match how {
            "file" => fs::write(format!("{run}/stop"), "").unwrap(),
            name => signal(&child, name),
        }
        assert_contains(&stdout(&ends(child)), "Stopped and saved.");
        assert_eq!(objects(&["runs", &run, "--json"])[0]["finished"], false);
        assert!(!fs::exists(format!("{run}/stop")).unwrap());
    }
}

#[test]
fn tables_of_endless_games_are_stopped() {
    let scratch = Scratch::new("endless-table");
    let run = scratch.path("run");
    let settings = ["--set", "table.max_moves=1000000000000", "--seconds", "1"];
    let settings =
        [&settings[..], &["--set", "game=tetris:6x2,pieces=melax,overflow=push"]].concat();
    // Melax's well has no end.
    let arguments = ["train", "melax", "--out", &run, "--threads", "1", "--eval-games", "0"];
    let child = program(&[&arguments[..], &settings].concat()).spawn().unwrap();
    stdout(&ends(child));
}

/// Iterations that take minutes or hours: the games of a neural network, its learning, CBMPI's classifier
/// and rollouts, and the samples of LSPI.
const LONG_ITERATIONS: [(&str, &[&str]); 5] = [
    ("2048-neural", &["neural.games=16384", "neural.steps=1024"]),
    ("2048-neural", &["neural.games=65536", "neural.layers=['dense 1024', 'dense 512']"]),
    ("tetris-cbmpi", &["cbmpi.iteration.classifier=100000", "cbmpi.iteration.states=500"]),
    ("tetris-cbmpi", &["cbmpi.iteration.rollouts=1000", "cbmpi.iteration.steps=100000"]),
    ("1010-lspi", &["lspi.samples=5000000"]),
];

fn start_long(scratch: &Scratch, number: usize, budget: &str) -> Child {
    let (recipe, settings) = LONG_ITERATIONS[number];
    let out = scratch.path(&number.to_string());
    let mut arguments = vec!["train", recipe, "--out", &out, "--threads", "1", "--eval-games", "0"];
    for setting in settings.iter().copied().chain([budget]) {
        arguments.extend(["--set", setting]);
    }
    program(&arguments).spawn().unwrap()
}

/// Ten billion scores of candidates are 160 GB.
#[test]
fn trainings_that_need_more_memory_than_there_is_are_refused() {
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = memory.lines().find(|line| line.starts_with("MemTotal:"));
    let total = total.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    if total.is_none_or(|kib| kib > 512 << 20) {
        return;
    }
    let out = Scratch::new("too-large").path("run");
    let settings = ["weights.optimiser.population=100000", "weights.games.count=100000"];
    let arguments =
        ["train", "tetris-ce", "--out", &out, "--set", settings[0], "--set", settings[1]];
    refused(&arguments, 1, "the training needs 1");
    assert!(!Path::new(&out).exists());
}

#[test]
fn iterations_that_take_hours_end_with_the_budget_and_are_stopped() {
    let scratch = Scratch::new("long-budget");
    let all = || 0..LONG_ITERATIONS.len();
    let budget = "budget={seconds=0.5}";
    let ended: Vec<Child> = all().map(|number| start_long(&scratch, number, budget)).collect();
    for child in ended {
        assert_contains(&stdout(&ends(child)), "Trained on 0 games");
    }
    let scratch = Scratch::new("long-stopped");
    let budget = "budget={moves=1000000000}";
    let stopped: Vec<Child> = all().map(|number| start_long(&scratch, number, budget)).collect();
    for (number, child) in stopped.into_iter().enumerate() {
        let run = scratch.path(&number.to_string());
        wait_until(|| Path::new(&run).join("lock").exists());
        std::thread::sleep(Duration::from_millis(500));
        signal(&child, "-INT");
        assert_contains(&stdout(&ends(child)), "Stopped and saved.");
    }
}

#[test]
fn pipes_and_devices_among_the_files_of_a_run_hang_nothing() {
    let scratch = Scratch::new("special-run");
    let (runs, whole) = (scratch.path("runs"), scratch.path("runs/whole"));
    fs::create_dir(&runs).unwrap();
    stop(&scratch, &whole, "-TERM", |length| lines(1_500 * length, TD));
    let names =
        ["recipe.toml", "metrics.jsonl", "checkpoint.safetensors", "agent.safetensors", "lock"];
    for (number, name) in names.iter().enumerate() {
        for device in [false, true] {
            let run = scratch.path(&format!("runs/{number}-{device}"));
            fs::create_dir(&run).unwrap();
            for file in fs::read_dir(&whole).unwrap().map(|entry| entry.unwrap().path()) {
                fs::copy(&file, Path::new(&run).join(file.file_name().unwrap())).unwrap();
            }
            let path = Path::new(&run).join(name);
            if device {
                let _ = fs::remove_file(&path);
                symlink("/dev/zero", &path).unwrap();
            } else {
                pipe(&path);
            }
            ends(program(&["runs", &run]).spawn().unwrap());
            ends(program(&["plot", &run]).spawn().unwrap());
            ends(program(&["top", &run, "--json"]).spawn().unwrap());
            ends(program(&["top", &run]).spawn().unwrap());
            if ["recipe.toml", "metrics.jsonl", "checkpoint.safetensors", "lock"].contains(name) {
                let output = ends(resume(&run));
                failed(&output, 1, "it is a pipe or a device, not a file");
            }
        }
    }
    let listed = ends(program(&["runs"]).current_dir(&scratch.0).spawn().unwrap());
    assert_contains(&text(&listed.stdout), "whole");
}

#[test]
fn metrics_that_were_cut_in_a_line_go_on_with_the_next() {
    let scratch = Scratch::new("cut");
    let (whole, broken) = (scratch.path("whole"), scratch.path("broken"));
    let recipe = stop(&scratch, &broken, "-TERM", |length| lines(1_500 * length, TD));
    train(&recipe, &whole);
    // A power cut loses the end of the file that the checkpoint was written after.
    let path = format!("{broken}/metrics.jsonl");
    let length = fs::metadata(&path).unwrap().len();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length - 20).unwrap();
    let before = lines_of(&broken);
    stdout(&ends(resume(&broken)));
    assert!(agent(&whole) == agent(&broken));
    // Every line is one window, and only the one that was cut is missing.
    let (all, left) = (metrics(&whole), metrics(&broken));
    assert_eq!(left.len() + 1, all.len());
    assert!(left[..before] == all[..before] && left[before..] == all[before + 1..]);
}

#[test]
fn weights_that_diverge_end_the_training_and_are_not_kept() {
    let scratch = Scratch::new("diverged");
    let run = scratch.path("run");
    // A rate at which every error grows.
    let recipe = lines(1_000_000_000, TD).replace("rate = 0.1", "rate = 10");
    let recipe = scratch.recipe(&recipe.replace("0.03", "1e6"));
    let output = ends(start(&recipe, &run));
    failed(&output, 1, "the training has diverged: entry ");
    assert_contains(&text(&output.stderr), "Lower the learning rate; there is no checkpoint");
    assert!(files(&run, "agent.safetensors").is_empty());
}

/// The checkpoint from before the weights diverged stays, and the run goes on from it.
#[test]
fn the_last_checkpoint_before_weights_diverge_is_kept() {
    let scratch = Scratch::new("diverged-later");
    let (whole, broken) = (scratch.path("whole"), scratch.path("broken"));
    let recipe = stop(&scratch, &broken, "-TERM", |length| lines(1_500 * length, TD));
    train(&recipe, &whole);
    let (path, checkpoint) =
        (format!("{broken}/recipe.toml"), format!("{broken}/checkpoint.safetensors"));
    let (good, kept) = (fs::read_to_string(&path).unwrap(), fs::read(&checkpoint).unwrap());
    let mut diverging = good.clone();
    for (from, to) in [
        ("rate = 0.1", "rate = 10.0"),
        ("checkpoint_seconds = 0.03", "checkpoint_seconds = 1e6"),
        ("episodes = ", "episodes = 1_000_000"),
    ] {
        assert!(diverging.contains(from), "{from}: {diverging}");
        diverging = diverging.replace(from, to);
    }
    fs::write(&path, diverging).unwrap();
    let output = ends(resume(&broken));
    failed(&output, 1, "the training has diverged: entry ");
    assert_contains(
        &text(&output.stderr),
        "the last checkpoint, in which all numbers are finite, is kept",
    );
    assert!(fs::read(&checkpoint).unwrap() == kept, "another checkpoint");
    fs::write(&path, good).unwrap();
    resume_to(&whole, &broken);
}

#[test]
fn a_checkpoint_that_is_not_finite_is_not_resumed_from() {
    let scratch = Scratch::new("not-finite");
    let (whole, broken) = (scratch.path("whole"), scratch.path("broken"));
    let recipe = stop(&scratch, &broken, "-TERM", |length| lines(1_500 * length, TC));
    train(&recipe, &whole);
    let path = format!("{broken}/checkpoint.safetensors");
    let good = fs::read(&path).unwrap();
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut bytes = good.clone();
        let end = bytes.len() - 4;
        bytes[end..].copy_from_slice(&value.to_le_bytes());
        fs::write(&path, bytes).unwrap();
        failed(&ends(resume(&broken)), 1, "delete the checkpoint to start anew");
    }
    fs::write(&path, good).unwrap();
    resume_to(&whole, &broken);
}

#[test]
fn input_without_end_is_refused() {
    let output = ends(program(&["learner", "/dev/zero"]).spawn().unwrap());
    failed(&output, 1, "line 1 is longer than 16384 bytes");
    let recipe = ["train", "2048-3x3", "--episodes", "1"];
    for games in ["1000000000", "18446744073709551615"] {
        let arguments = [&recipe[..], &["--eval-games", games]].concat();
        refused(&arguments, 2, "is not in 0..=10000000");
    }
}
