//! Trainings that are repeated, stopped, killed and resumed: all come to the same.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::process::Command;
use std::time::Duration;

use common::{
    Scratch, TC, TD, agent, complained, files, lines, lines_of, metrics, objects, printed, program,
    refused, resume, said, same, signal, start, stopped, train, wait_until,
};

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let scratch = Scratch::new("same");
    let recipe = scratch.recipe(&lines(60, TC));
    let run = |name: &str, seed: &str| {
        let out = scratch.path(name);
        let arguments = ["train", &recipe, "--out", &out, "--threads", "1", "--eval-games", "5"];
        printed(&[&arguments[..], &["--seed", seed]].concat());
        out
    };
    let (one, again, other) = (run("one", "7"), run("again", "7"), run("other", "8"));
    same(&one, &again);
    assert_eq!(metrics(&one).len(), 3);
    assert!(agent(&one) != agent(&other));
    // A window has been shown to TensorBoard, too.
    let events = files(&one, "events.out.tfevents.");
    assert_eq!(events.len(), 1);
    assert!(fs::metadata(&events[0]).unwrap().len() > 200);
}

/// Stops a training by a signal, resumes it, and compares with one that was not stopped.
fn stop_and_resume(name: &str, signal_name: &str, recipe: &str) {
    let scratch = Scratch::new(name);
    let recipe = scratch.recipe(recipe);
    let (whole, broken) = (scratch.path("whole"), scratch.path("broken"));
    train(&recipe, &whole);
    let child = start(&recipe, &broken);
    wait_until(|| lines_of(&broken) > 0);
    signal(&child, signal_name);
    let told = said(&child.wait_with_output().unwrap());
    assert!(told.contains(&format!("afterstate train --resume {broken}\n")), "{told}");
    assert!(lines_of(&broken) < lines_of(&whole), "stopped on its way");
    said(&resume(&broken).wait_with_output().unwrap());
    same(&whole, &broken);
}

#[test]
fn td_goes_on_after_sigterm() {
    stop_and_resume("td", "-TERM", &lines(1_500, TD));
}

#[test]
fn tc_goes_on_after_ctrl_c() {
    stop_and_resume("tc", "-INT", &lines(1_500, TC));
}

#[test]
fn lambda_and_restarts_go_on() {
    let phase = format!("{TD}\nlambda = 0.5\nstarts = 'restart'");
    stop_and_resume("restart", "-TERM", &lines(1_500, &phase));
}

#[test]
fn a_carousel_goes_on() {
    stop_and_resume("carousel", "-TERM", &lines(1_500, &format!("{TC}\nstarts = 'carousel'")));
}

#[test]
fn stages_learned_backward_go_on() {
    let recipe = lines(1_500, &format!("{TC}\norder = 'backward'"));
    let recipe = recipe.replace("log.window", "network.stages = [500, 1500]\nlog.window");
    stop_and_resume("stages", "-TERM", &recipe);
}

#[test]
fn values_of_states_go_on() {
    let recipe = lines(1_500, &format!("{TD}\nvalues = 'states'")).replace("4x4", "2x3");
    let recipe = recipe.replace("'lines'", "['0123', '012345']").replace("1500", "20000");
    stop_and_resume("states", "-TERM", &recipe);
}

#[test]
fn phases_and_schedules_go_on() {
    let phases = format!("{TD}\nfinal_rate = 0.01\nshare = 1\n{TC}\nfinal_rate = 0.1\nshare = 3");
    let recipe = lines(1_500, &phases).replace("budget.episodes = 1500", "budget.moves = 500_000");
    stop_and_resume("phases", "-TERM", &recipe);
}

#[test]
fn a_killed_run_goes_on_from_its_checkpoint() {
    let scratch = Scratch::new("killed");
    let recipe = scratch.recipe(&lines(2_000, &format!("{TC}\nstarts = 'restart'")));
    let (whole, broken) = (scratch.path("whole"), scratch.path("broken"));
    train(&recipe, &whole);
    let mut child = start(&recipe, &broken);
    wait_until(|| !files(&scratch.0.to_string_lossy(), "broken").is_empty());
    wait_until(|| fs::exists(format!("{broken}/recipe.toml")).unwrap());
    let mut random = 12_345u64;
    for _ in 0..8 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        std::thread::sleep(Duration::from_millis(5 + (random >> 33) % 120));
        child.kill().unwrap();
        child.wait().unwrap();
        child = resume(&broken);
    }
    said(&child.wait_with_output().unwrap());
    same(&whole, &broken);
}

#[test]
fn a_run_killed_before_its_first_checkpoint_starts_again() {
    let scratch = Scratch::new("no-checkpoint");
    let recipe = lines(8_000, TD).replace("0.03", "1e6");
    let recipe = scratch.recipe(&recipe);
    let (whole, broken) = (scratch.path("whole"), scratch.path("broken"));
    train(&recipe, &whole);
    let mut child = start(&recipe, &broken);
    wait_until(|| lines_of(&broken) > 0);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!fs::exists(format!("{broken}/checkpoint.safetensors")).unwrap());
    said(&resume(&broken).wait_with_output().unwrap());
    same(&whole, &broken);
}

#[test]
fn a_torn_line_of_metrics_is_cut() {
    let scratch = Scratch::new("torn");
    let recipe = scratch.recipe(&lines(1_500, TD));
    let (whole, broken) = (scratch.path("whole"), scratch.path("broken"));
    train(&recipe, &whole);
    stopped(&recipe, &broken);
    let mut file = OpenOptions::new().append(true).open(format!("{broken}/metrics.jsonl")).unwrap();
    file.write_all(b"{\"episodes\":12\xff").unwrap();
    // Meanwhile it does not disturb who looks.
    assert_eq!(objects(&["runs", &broken, "--json"])[0]["finished"], false);
    printed(&["plot", &broken]);
    said(&resume(&broken).wait_with_output().unwrap());
    same(&whole, &broken);
}

#[test]
fn a_reader_that_goes_away_costs_nothing() {
    let scratch = Scratch::new("reader");
    let recipe = scratch.recipe(&lines(1_500, TD));
    let (whole, broken) = (scratch.path("whole"), scratch.path("broken"));
    train(&recipe, &whole);
    let arguments = ["train", &recipe, "--out", &broken, "--threads", "1", "--eval-games", "0"];
    let mut child = program(&[&arguments[..], &["--json"]].concat()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert!(lines_of(&broken) < lines_of(&whole), "ended with its reader");
    assert!(fs::exists(format!("{broken}/checkpoint.safetensors")).unwrap());
    said(&resume(&broken).wait_with_output().unwrap());
    same(&whole, &broken);
}

/// A limit on the length of files stands for a full disk: both are an error of a write.
#[test]
fn a_full_disk_leaves_the_old_checkpoint() {
    let scratch = Scratch::new("full");
    let recipe = scratch.recipe(&lines(1_500, TC));
    let (whole, broken) = (scratch.path("whole"), scratch.path("broken"));
    train(&recipe, &whole);
    stopped(&recipe, &broken);
    let checkpoint = || fs::read(format!("{broken}/checkpoint.safetensors")).unwrap();
    let before = checkpoint();
    let limited = |arguments: &str| {
        let script = format!("trap '' XFSZ; ulimit -f 100; exec \"$@\" {arguments}");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_afterstate"), "train"]);
        shell.output().unwrap()
    };
    let sentence = "broken/checkpoint.safetensors: File too large";
    complained(&limited(&format!("--resume {broken} --threads 1")), 1, sentence);
    assert!(checkpoint() == before);
    assert!(files(&broken, ".part").is_empty());
    said(&resume(&broken).wait_with_output().unwrap());
    same(&whole, &broken);
    // A new run can go on when there is room again.
    let new = scratch.path("new");
    let output = limited(&format!("{recipe} --out {new} --threads 1"));
    complained(&output, 1, "new/checkpoint.safetensors: File too large");
    said(&resume(&new).wait_with_output().unwrap());
    same(&whole, &new);
}

#[test]
fn one_program_at_a_time_trains_a_run() {
    let scratch = Scratch::new("lock");
    let recipe = scratch.recipe(&lines(1_000_000_000, TD));
    let run = scratch.path("run");
    let mut child = start(&recipe, &run);
    wait_until(|| lines_of(&run) > 0);
    refused(&["train", "--resume", &run], 1, "run is being trained by another program");
    refused(&["train", &recipe, "--out", &run], 1, "already holds a run, expected a new folder");
    // Whoever only looks may.
    assert_eq!(objects(&["runs", &run, "--json"])[0]["finished"], false);
    child.kill().unwrap();
    child.wait().unwrap();
    let before = metrics(&run);
    refused(&["train", &recipe, "--out", &run], 1, "already holds a run, expected a new folder");
    assert_eq!(metrics(&run), before, "nothing is lost");
    // A lock does not outlive who holds it.
    let child = resume(&run);
    wait_until(|| lines_of(&run) > before.len());
    signal(&child, "-TERM");
    said(&child.wait_with_output().unwrap());
}

#[test]
fn programs_that_start_at_once_get_folders_of_their_own() {
    let scratch = Scratch::new("at-once");
    let recipe = scratch.recipe(&lines(20, TD));
    let arguments = ["train", &recipe, "--eval-games", "0"];
    let spawn = |_| program(&arguments).current_dir(&scratch.0).spawn().unwrap();
    let children: Vec<_> = (0..4).map(spawn).collect();
    for child in children {
        said(&child.wait_with_output().unwrap());
    }
    for number in 1..=4 {
        assert_eq!(lines_of(&scratch.path(&format!("runs/small-{number}"))), 1);
    }
}

#[test]
fn a_finished_run_is_not_trained_again() {
    let scratch = Scratch::new("finished");
    let recipe = scratch.recipe(&lines(40, TD));
    let (run, longer) = (scratch.path("run"), scratch.path("longer"));
    train(&recipe, &run);
    let before = (agent(&run), metrics(&run));
    let again = ["train", "--resume", &run, "--threads", "1", "--eval-games", "0"];
    let told = printed(&again);
    assert!(told.starts_with(&format!("{run} is finished. To train it longer, raise")), "{told}");
    assert_eq!(objects(&["train", "--resume", &run, "--eval-games", "0", "--json"]).len(), 1);
    assert!(before == (agent(&run), metrics(&run)));
    // Killed between the last checkpoint and the agent.
    fs::remove_file(format!("{run}/agent.safetensors")).unwrap();
    printed(&again);
    assert!(before == (agent(&run), metrics(&run)));
    // As the sentence says.
    let text = fs::read_to_string(format!("{run}/recipe.toml")).unwrap();
    fs::write(format!("{run}/recipe.toml"), text.replace("episodes = 40", "episodes = 60"))
        .unwrap();
    said(&resume(&run).wait_with_output().unwrap());
    train(&scratch.recipe(&lines(60, TD)), &longer);
    same(&longer, &run);
}
