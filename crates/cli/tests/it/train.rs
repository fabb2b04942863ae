//! Trainings that are repeated, stopped, killed and resumed: all give the same agent.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::process::Command;
use std::time::Duration;

use crate::harness::{
    Scratch, TC, TD, agent, failed, files, lines, lines_of, metrics, objects, printed, program,
    refused, resume, resume_to, same, set_episodes, signal, start, stdout, stop, stop_and_resume,
    train, wait_until,
};

/// More games than a test waits for.
const ENDLESS: u64 = 1_000_000_000;

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

#[test]
fn networks_resume() {
    for (name, signal, phase) in [
        ("td", "-TERM", TD.to_owned()),
        ("tc", "-INT", TC.to_owned()),
        ("restart", "-TERM", format!("{TD}\nlambda = 0.5\nstarts = 'restart'")),
        ("carousel", "-TERM", format!("{TC}\nstarts = 'carousel'")),
    ] {
        stop_and_resume(name, signal, |length| lines(1_500 * length, &phase));
    }
}

#[test]
fn stages_learned_backward_resume() {
    let phase = format!("{TC}\norder = 'backward'");
    stop_and_resume("stages", "-TERM", |length| {
        let recipe = lines(1_500 * length, &phase);
        recipe.replace("log.window", "network.stages = [500, 1500]\nlog.window")
    });
}

#[test]
fn values_of_states_resume() {
    let phase = format!("{TD}\nvalues = 'states'");
    stop_and_resume("states", "-TERM", |length| {
        let recipe = lines(20_000 * length, &phase).replace("4x4", "2x3");
        recipe.replace("'lines'", "['0123', '012345']")
    });
}

#[test]
fn phases_and_schedules_resume() {
    let phases = format!("{TD}\nfinal_rate = 0.01\nshare = 1\n{TC}\nfinal_rate = 0.1\nshare = 3");
    stop_and_resume("phases", "-TERM", |length| {
        lines(500_000 * length, &phases).replace("budget.episodes", "budget.moves")
    });
}

#[test]
fn a_killed_run_resumes_from_its_checkpoint() {
    let scratch = Scratch::new("killed");
    let phase = format!("{TC}\nstarts = 'restart'");
    let (whole, broken) = (scratch.path("whole"), scratch.path("broken"));
    let mut child = start(&scratch.recipe(&lines(ENDLESS, &phase)), &broken);
    let mut random = 12_345u64;
    for _ in 0..8 {
        let before = lines_of(&broken);
        wait_until(|| lines_of(&broken) > before);
        // At an arbitrary moment, perhaps during a write.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        std::thread::sleep(Duration::from_millis((random >> 33) % 40));
        child.kill().unwrap();
        child.wait().unwrap();
        child = resume(&broken);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let played = objects(&["runs", &broken, "--json"])[0]["episodes"].as_u64().unwrap();
    set_episodes(&broken, ENDLESS, played + 200);
    stdout(&resume(&broken).wait_with_output().unwrap());
    train(&scratch.recipe(&lines(played + 200, &phase)), &whole);
    same(&whole, &broken);
}

#[test]
fn a_run_killed_before_its_first_checkpoint_starts_again() {
    let scratch = Scratch::new("no-checkpoint");
    let recipe = |games: u64| scratch.recipe(&lines(games, TD).replace("0.03", "1e6"));
    let (whole, broken) = (scratch.path("whole"), scratch.path("broken"));
    let mut child = start(&recipe(ENDLESS), &broken);
    wait_until(|| lines_of(&broken) > 0);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!fs::exists(format!("{broken}/checkpoint.safetensors")).unwrap());
    set_episodes(&broken, ENDLESS, 400);
    stdout(&resume(&broken).wait_with_output().unwrap());
    train(&recipe(400), &whole);
    same(&whole, &broken);
}

#[test]
fn a_torn_line_of_metrics_is_cut() {
    let scratch = Scratch::new("torn");
    let (whole, broken) = (scratch.path("whole"), scratch.path("broken"));
    let recipe = stop(&scratch, &broken, "-TERM", |length| lines(1_500 * length, TD));
    train(&recipe, &whole);
    let mut file = OpenOptions::new().append(true).open(format!("{broken}/metrics.jsonl")).unwrap();
    file.write_all(b"{\"episodes\":12\xff").unwrap();
    // Other commands ignore it.
    assert_eq!(objects(&["runs", &broken, "--json"])[0]["finished"], false);
    printed(&["plot", &broken]);
    resume_to(&whole, &broken);
}

#[test]
fn a_reader_that_goes_away_costs_nothing() {
    let scratch = Scratch::new("reader");
    // A window per game: the pipe is full long before the end, so the reader goes away first.
    let recipe = lines(1_500, TD).replace("log.window = 20", "log.window = 1");
    let recipe = scratch.recipe(&recipe);
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
    resume_to(&whole, &broken);
}

/// A limit on the length of files stands for a full disk: both are an error of a write.
#[test]
fn a_full_disk_leaves_the_old_checkpoint() {
    let scratch = Scratch::new("full");
    let (whole, broken) = (scratch.path("whole"), scratch.path("broken"));
    let recipe = stop(&scratch, &broken, "-TERM", |length| lines(1_500 * length, TC));
    train(&recipe, &whole);
    let checkpoint = || fs::read(format!("{broken}/checkpoint.safetensors")).unwrap();
    let before = checkpoint();
    let limited = |arguments: &str| {
        let script = format!("ulimit -f 100; exec \"$@\" {arguments}");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_afterstate"), "train"]);
        shell.output().unwrap()
    };
    let sentence = "broken/checkpoint.safetensors: File too large";
    failed(&limited(&format!("--resume {broken} --threads 1")), 1, sentence);
    assert!(checkpoint() == before);
    assert!(files(&broken, ".part").is_empty());
    resume_to(&whole, &broken);
    // A new run can be resumed when there is room again.
    let new = scratch.path("new");
    let output = limited(&format!("{recipe} --out {new} --threads 1"));
    failed(&output, 1, "new/checkpoint.safetensors: File too large");
    resume_to(&whole, &new);
}

#[test]
fn one_program_at_a_time_trains_a_run() {
    let scratch = Scratch::new("lock");
    let recipe = scratch.recipe(&lines(ENDLESS, TD));
    let run = scratch.path("run");
    let mut child = start(&recipe, &run);
    wait_until(|| lines_of(&run) > 0);
    refused(&["train", "--resume", &run], 1, "run is locked by another process");
    let sentence = "already has a run: choose another folder, or resume it with --resume";
    refused(&["train", &recipe, "--out", &run], 1, sentence);
    // Reading needs no lock.
    assert_eq!(objects(&["runs", &run, "--json"])[0]["finished"], false);
    child.kill().unwrap();
    child.wait().unwrap();
    let before = metrics(&run);
    let sentence = "already has a run: choose another folder, or resume it with --resume";
    refused(&["train", &recipe, "--out", &run], 1, sentence);
    assert_eq!(metrics(&run), before);
    // The lock ends with its process.
    let child = resume(&run);
    wait_until(|| lines_of(&run) > before.len());
    signal(&child, "-TERM");
    stdout(&child.wait_with_output().unwrap());
}

#[test]
fn simultaneous_runs_get_different_folders() {
    let scratch = Scratch::new("at-once");
    let recipe = scratch.recipe(&lines(20, TD));
    let arguments = ["train", &recipe, "--eval-games", "0"];
    let spawn = |_| program(&arguments).current_dir(&scratch.0).spawn().unwrap();
    let children: Vec<_> = (0..4).map(spawn).collect();
    for child in children {
        stdout(&child.wait_with_output().unwrap());
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
    let result = printed(&again);
    assert!(
        result.starts_with(&format!("{run} is finished. To train it longer, raise")),
        "{result}"
    );
    assert_eq!(objects(&["train", "--resume", &run, "--eval-games", "0", "--json"]).len(), 1);
    assert!(before == (agent(&run), metrics(&run)));
    // Killed between the last checkpoint and the agent.
    fs::remove_file(format!("{run}/agent.safetensors")).unwrap();
    printed(&again);
    assert!(before == (agent(&run), metrics(&run)));
    // As the sentence says.
    set_episodes(&run, 40, 60);
    stdout(&resume(&run).wait_with_output().unwrap());
    train(&scratch.recipe(&lines(60, TD)), &longer);
    same(&longer, &run);
}

#[test]
fn the_evaluation_is_shown_after_stop_and_resume() {
    let scratch = Scratch::new("evaluated");
    let run = scratch.path("run");
    stop(&scratch, &run, "-INT", |length| lines(1_500 * length, TD));
    let resume = ["train", "--resume", &run, "--threads", "1", "--eval-games", "20"];
    let shown = printed(&resume);
    assert!(shown.contains("20 games, seed") && shown.contains("mean score"), "{shown}");
    // Resumed again, it has nothing to do, and still shows what was measured.
    let again = printed(&resume);
    assert!(again.contains(" is finished. ") && again.contains("strength  mean "), "{again}");
    assert_eq!(objects(&["runs", &run, "--json"])[0]["strength"]["games"], 20);
}

/// A network of 64 MiB whose checkpoint has three times as much.
#[test]
fn a_large_checkpoint_is_kept_on_request() {
    let scratch = Scratch::new("large");
    let recipe = scratch.recipe(&lines(20, TC).replace("'lines'", "'012456'"));
    let (run, kept) = (scratch.path("run"), scratch.path("kept"));
    let length = |run: &str| fs::metadata(format!("{run}/checkpoint.safetensors")).unwrap().len();
    let train = |run: &str, flags: &[&str]| {
        let arguments = ["train", &recipe, "--out", run, "--threads", "1", "--eval-games", "0"];
        printed(&[&arguments[..], flags].concat())
    };
    let shown = train(&run, &[]);
    assert!(shown.contains(" of checkpoint removed; --keep-checkpoint keeps it"), "{shown}");
    assert!(length(&run) < 1 << 20);
    assert!(!train(&kept, &["--keep-checkpoint"]).contains("removed"));
    assert!(length(&kept) > 192 << 20);
    assert!(agent(&run) == agent(&kept));
    // Most weights are zero and take no disk.
    let disk = |run: &str| objects(&["runs", run, "--json"])[0]["disk_bytes"].as_u64().unwrap();
    assert!(disk(&run) < disk(&kept) && disk(&kept) < 128 << 20, "{} {}", disk(&run), disk(&kept));
    let again = printed(&["train", "--resume", &run, "--eval-games", "0"]);
    assert!(again.contains("train anew, with --keep-checkpoint"), "{again}");
    for run in [&run, &kept] {
        set_episodes(run, 20, 40);
    }
    let output = resume(&run).wait_with_output().unwrap();
    failed(&output, 1, "checkpoint.safetensors: the checkpoint was not kept when the training was");
    stdout(&resume(&kept).wait_with_output().unwrap());
    assert_eq!(metrics(&kept).len(), 2);
}
