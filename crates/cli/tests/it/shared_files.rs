//! Files that other programs write, replace or truncate while this one uses them: nothing is lost, nobody
//! is stopped by a signal, and of two that want the same thing one is told.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Output, Stdio};

use afterstate_values::file::OTHER_WRITER;

use crate::harness::{
    Scratch, TD, assert_contains, failed, objects, printed, program, refused, signal, start,
    stdout, text, train,
};

/// An agent of 7 MiB, more than what is read at once.
fn large_agent(scratch: &Scratch) -> String {
    let recipe = format!(
        "game = '2048:3x3'\nbudget.episodes = 20\nnetwork.tuples = ['012345', '345678']\n{TD}"
    );
    let run = scratch.path("large");
    train(&scratch.recipe(&recipe), &run);
    let path = format!("{run}/agent.safetensors");
    assert!(fs::metadata(&path).unwrap().len() > 4 << 20);
    path
}

/// Truncates a file in place and writes something else, as a careless copy does.
fn overwrite(path: &str) {
    fs::write(path, "other").unwrap();
}

/// Sends a line and reads lines until one contains a word.
fn ask(child: &mut Child, answers: &mut impl BufRead, line: &str, word: &str) {
    child.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    let mut answer = String::new();
    while !answer.contains(word) {
        answer.clear();
        let length = answers.read_line(&mut answer).unwrap();
        assert!(length > 0, "no answer to {line:?}: {:?}", child.wait());
    }
}

#[test]
fn an_agent_file_that_is_overwritten_is_played_on() {
    let scratch = Scratch::new("overwritten");
    let agent = large_agent(&scratch);
    let whole = fs::read(&agent).unwrap();
    let board = "2 4 . | . . 8 | . 16 .\n";
    for (arguments, line, word) in [
        (&["analyze", &agent, "--serve-stdin", "--json"][..], board, "\"moves\""),
        // Values of moves have a decimal point, boards have none.
        (&["play", "2048:3x3", "--agent", &agent, "--hints", "--plain"], "hints\n", "."),
    ] {
        fs::write(&agent, &whole).unwrap();
        let mut child = program(arguments).stdin(Stdio::piped()).spawn().unwrap();
        let mut answers = BufReader::new(child.stdout.take().unwrap());
        ask(&mut child, &mut answers, line, word);
        overwrite(&agent);
        for _ in 0..5 {
            ask(&mut child, &mut answers, line, word);
        }
        drop((child.stdin.take(), answers));
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.signal(), None, "{arguments:?}: {output:?}");
    }
}

/// What a program maps can be truncated under its feet.
#[cfg(target_os = "linux")]
#[test]
fn agent_files_are_not_mapped() {
    let scratch = Scratch::new("unmapped");
    let (agent, out) = (large_agent(&scratch), scratch.path("game.gif"));
    for arguments in [
        &["record", "2048:3x3", "--agent", &agent, "--search", "expectimax:3", "--out", &out][..],
        &["eval", &agent, "--games", "2000"],
        &["play", "2048:3x3", "--agent", &agent, "--search", "expectimax:3", "--plain"],
        &["quantize", &agent, &scratch.path("small.safetensors")],
    ] {
        let mut child = program(arguments).spawn().unwrap();
        let mut looks = 0;
        // The output of these is less than a pipe holds.
        while child.try_wait().unwrap().is_none() {
            let maps = fs::read_to_string(format!("/proc/{}/maps", child.id())).unwrap_or_default();
            assert!(!maps.contains(&agent), "{arguments:?} maps its agent");
            looks += usize::from(maps.contains("afterstate"));
        }
        stdout(&child.wait_with_output().unwrap());
        assert!(looks > 3, "{arguments:?} was seen {looks} times");
    }
}

#[test]
fn one_of_two_processes_trains_a_run_and_the_other_is_told() {
    let scratch = Scratch::new("one-run");
    let run = scratch.path("run");
    let recipe =
        format!("game = '2048:3x3'\nbudget.episodes = 3000\nnetwork.tuples = ['0134']\n{TD}");
    let recipe = scratch.recipe(&recipe);
    let outputs: Vec<_> = (0..6)
        .map(|_| start(&recipe, &run))
        .collect::<Vec<Child>>()
        .into_iter()
        .map(|child| child.wait_with_output().unwrap())
        .collect();
    let (won, told): (Vec<_>, Vec<_>) = outputs.iter().partition(|output| output.status.success());
    assert_eq!(won.len(), 1, "{outputs:?}");
    for output in told {
        let error = text(&output.stderr);
        let locked = error.contains("is locked by another process");
        assert!(locked || error.contains("already has a run"), "{error}");
        assert_eq!(output.status.code(), Some(1), "{error}");
    }
    assert_eq!(objects(&["runs", &run, "--json"])[0]["finished"], true);
}

#[test]
fn one_of_two_processes_writes_a_file_and_the_other_is_told() {
    let scratch = Scratch::new("one-file");
    let out = scratch.path("best.safetensors");
    for old in [None, Some("old")] {
        let _ = fs::remove_file(&out);
        old.into_iter().for_each(|old| fs::write(&out, old).unwrap());
        // The first one is held up when it has begun, and the second one overtakes it.
        let mut first = program(&["solve", "tetris:4x4", "--out", &out]).spawn().unwrap();
        let mut line = String::new();
        let mut lines = BufReader::new(first.stdout.take().unwrap());
        lines.read_line(&mut line).unwrap();
        signal(&first, "-STOP");
        printed(&["solve", "2048:2x2", "--out", &out]);
        let won = fs::read(&out).unwrap();
        signal(&first, "-CONT");
        std::io::copy(&mut lines, &mut std::io::sink()).unwrap();
        failed(&first.wait_with_output().unwrap(), 1, OTHER_WRITER);
        assert!(fs::read(&out).unwrap() == won);
        assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 1);
    }
    // What cannot be written is told before the work for it begins.
    let folder = scratch.path("");
    for arguments in
        [&["solve", "2048:3x3", "--out", &folder][..], &["record", "2048", "--replay-out", &folder]]
    {
        refused(arguments, 1, "it is a folder, not a file");
    }
}

#[test]
fn one_of_two_processes_measures_an_experiment_and_the_other_is_told() {
    let scratch = Scratch::new("one-experiment");
    let (runs, out) = (scratch.path("runs"), scratch.path("results"));
    let name = "marchal-figure6";
    let arguments = ["reproduce", name, "--runs", &runs, "--out", &out];
    let shown = |file: &str| format!("{out}/quick/{name}.{file}");
    assert_contains(&printed(&arguments), "wrote");
    fs::remove_dir_all(&out).unwrap();
    // This process is the other one.
    let lock = format!("{runs}/quick/{name}.lock");
    let held = OpenOptions::new().append(true).open(lock).unwrap();
    held.lock().unwrap();
    let sentence = "is being measured by another process: wait for it, or use another folder";
    refused(&arguments, 1, sentence);
    assert!(!fs::exists(shown("json")).unwrap());
    drop(held);
    // Who was told can ask again, and the files of a report are written by one process at a time.
    let all: Vec<Child> = (0..6).map(|_| program(&arguments).spawn().unwrap()).collect();
    let outputs: Vec<Output> =
        all.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    let (won, told): (Vec<_>, Vec<_>) = outputs.iter().partition(|output| output.status.success());
    assert!(!won.is_empty(), "{outputs:?}");
    told.iter().for_each(|output| failed(output, 1, sentence));
    assert!(["md", "json"].iter().all(|file| fs::exists(shown(file)).unwrap()));
}
