//! What is made of runs: lists, curves, measured and smaller agents, and sentences for what is
//! wrong with their files.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::fs;

use common::{
    Scratch, TC, TD, agent, complained, files, lines, metrics, objects, printed, program, refused,
    resume, said, same, stopped, train,
};

#[test]
fn runs_are_listed_and_drawn() {
    let scratch = Scratch::new("listed");
    let recipe = scratch.recipe(&lines(65, TD));
    let (one, two) = (scratch.path("runs/one"), scratch.path("runs/two"));
    train(&recipe, &one);
    train(&recipe, &two);
    let listed = objects(&["runs", &one, "--json"]).remove(0);
    assert_eq!((&listed["run"], &listed["finished"]), (&one.as_str().into(), &true.into()));
    assert_eq!((&listed["episodes"], &listed["game"]), (&65.into(), &"2048:4x4".into()));
    assert!(listed["mean"].as_f64().unwrap() > 100.0 && listed["max"].is_number());
    // A run that cannot be read does not hide the others.
    fs::create_dir_all(scratch.path("runs/wrong")).unwrap();
    fs::write(scratch.path("runs/wrong/recipe.toml"), "game = 7").unwrap();
    let output = program(&["runs", "--json"]).current_dir(&scratch.0).output().unwrap();
    assert_eq!(said(&output).lines().count(), 2);
    complained_once(&output.stderr, "runs/wrong/recipe.toml: ");
    assert!(printed(&["plot", &one, &two]).contains("Mean score in training"));
    for (name, magic) in [("curve.svg", &b"<svg"[..]), ("curve.png", &b"\x89PNG\r\n\x1a\n"[..])] {
        let told = printed(&["plot", &one, "--out", &scratch.path(name)]);
        assert_eq!(told.lines().count(), 2, "{told}");
        for file in told.lines() {
            assert!(fs::read(file).unwrap().starts_with(magic), "{file}");
        }
    }
    refused(&["plot", &one, "--out", &scratch.path("curve.pdf")], 1, "expected a file that ends");
    refused(&["plot", &scratch.path("nothing")], 1, "holds no run, expected a folder with recipe");
}

fn complained_once(stderr: &[u8], sentence: &str) {
    let said = common::text(stderr);
    assert!(said.contains(sentence) && said.lines().count() == 1, "{said}");
}

#[test]
fn agents_are_measured_and_made_smaller() {
    let scratch = Scratch::new("measured");
    let run = scratch.path("run");
    train(&scratch.recipe(&lines(200, TC)), &run);
    let eval = |agent: &str, threads: &str| {
        let arguments = ["eval", agent, "--games", "60", "--threads", threads, "--json"];
        let mut report = objects(&arguments).remove(0);
        for timed in ["seconds", "moves_per_second"] {
            report.as_object_mut().unwrap().remove(timed).unwrap();
        }
        report
    };
    let report = eval(&run, "1");
    assert_eq!(report, eval(&run, "3"));
    let rate = &report["reach"]["64"];
    let (low, high) = (rate["ci95"][0].as_f64().unwrap(), rate["ci95"][1].as_f64().unwrap());
    let rate = rate["rate"].as_f64().unwrap();
    assert!(0.5 < rate && low <= rate && rate <= high && low < high, "{report}");

    let small = scratch.path("small.safetensors");
    let told = printed(&["shrink", &run, &small]);
    assert!(told.contains("0.5 MiB of weights became 0.3 MiB"), "{told}");
    assert!(told.contains("A value changes by at most "), "{told}");
    let played = eval(&small, "2")["mean"].as_f64().unwrap();
    let full = report["mean"].as_f64().unwrap();
    assert!((played / full - 1.0).abs() < 0.5, "{played} instead of {full}");
    refused(&["shrink", &small, &scratch.path("x")], 1, "has 16-bit weights already");

    let bytes = agent(&run);
    let wrong = scratch.path("wrong.safetensors");
    let mut hostile = bytes.clone();
    hostile[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    for bytes in [&bytes[..bytes.len() / 2], &bytes[..100], b"", b"PK\x03\x04 and so on", &hostile]
    {
        fs::write(&wrong, bytes).unwrap();
        refused(&["eval", &wrong], 1, "wrong.safetensors: ");
        refused(&["shrink", &wrong, &scratch.path("x")], 1, "wrong.safetensors: ");
    }
    refused(&["eval", &run, "--game", "2048:3x3"], 1, "agent.safetensors: ");
}

#[test]
fn wrong_checkpoints_are_refused_and_nothing_is_lost() {
    let scratch = Scratch::new("wrong");
    let recipe = scratch.recipe(&lines(1_500, TD));
    let (whole, run) = (scratch.path("whole"), scratch.path("run"));
    train(&recipe, &whole);
    stopped(&recipe, &run);
    // As many weights, but others.
    let (other, game) = (scratch.path("other"), scratch.path("game"));
    train(&scratch.recipe(&lines(20, TD).replace("'lines'", "['0145', '1256']")), &other);
    train(&scratch.recipe(&lines(20, TD).replace("4x4", "4x4,four=0.2")), &game);
    let file = format!("{run}/checkpoint.safetensors");
    let read = |run: &str| fs::read(format!("{run}/checkpoint.safetensors")).unwrap();
    let good = read(&run);
    let before = (agent(&run), metrics(&run));
    let mut hostile = good.clone();
    hostile[..8].copy_from_slice(&(u64::MAX / 2).to_le_bytes());
    for (bytes, sentence) in [
        (&good[..good.len() / 2], "met a damaged file: "),
        (&good[..50], "met a damaged file: "),
        (&[], "met a damaged file: "),
        (&[0xff; 1000], "met a damaged file: "),
        (&hostile, "met a damaged file: "),
        (&agent(&run), "met no progress, expected a checkpoint"),
        (&read(&other), "met a checkpoint of 2048:4x4 with tuples [[10, 11, 14, 15], [9, "),
        (&read(&game), "met a checkpoint of 2048:4x4,four=0.2 with tuples"),
    ] {
        fs::write(&file, bytes).unwrap();
        let sentence = format!("checkpoint.safetensors: {sentence}");
        complained(&resume(&run).wait_with_output().unwrap(), 1, &sentence);
        assert!(before == (agent(&run), metrics(&run)), "nothing is lost");
        assert!(fs::read(&file).unwrap() == bytes, "nothing is written over");
        printed(&["runs", &run]);
    }
    fs::write(&file, good).unwrap();
    said(&resume(&run).wait_with_output().unwrap());
    same(&whole, &run);
}

#[test]
fn wrong_recipes_of_runs_are_refused() {
    let scratch = Scratch::new("recipes");
    let run = scratch.path("run");
    refused(
        &["train", "--resume", &run],
        1,
        "run holds no run, expected a folder with recipe.toml",
    );
    fs::create_dir(&run).unwrap();
    refused(
        &["train", "--resume", &run],
        1,
        "run holds no run, expected a folder with recipe.toml",
    );
    let good = lines(20, TD);
    for (text, sentence) in [
        (String::new(), "missing field"),
        ("\0\u{1b}[2J".to_owned(), "recipe.toml: "),
        (format!("x = {}", "[".repeat(100_000)), "recipe.toml: "),
        (format!("{}x = 1", "a.".repeat(100_000)), "recipe.toml: "),
        (format!("{good}\n#{}", "x".repeat(2 << 20)), "met more than 1 MiB, expected a recipe"),
        (good.replace("0.1", "nan"), "phase.rate: met NaN, expected 0 to 10"),
        (good.replace("2048:4x4", "2048:400x4"), "recipe.toml: "),
        (good.replace("= 20\n", "= -20\n"), "recipe.toml: "),
        (good.replace("'lines'", "['0123456789abcdef']"), "expected at most 4294967296"),
        (good.replace("'lines'", "['00']"), "each once"),
    ] {
        fs::write(format!("{run}/recipe.toml"), text).unwrap();
        refused(&["train", "--resume", &run], 1, sentence);
    }
    fs::write(format!("{run}/recipe.toml"), b"game = '\xff'").unwrap();
    refused(&["train", "--resume", &run], 1, "recipe.toml: ");
}

#[test]
fn what_cannot_be_trained_leaves_no_folder() {
    let scratch = Scratch::new("unmade");
    let recipe = scratch.recipe(&lines(20, TC));
    let run = scratch.path("run");
    let set = |setting: &str, code: i32, sentence: &str| {
        refused(&["train", &recipe, "--out", &run, "--set", setting], code, sentence);
        assert!(!fs::exists(&run).unwrap(), "{setting}");
    };
    refused(
        &["train", "nonsense"],
        2,
        "unknown recipe \"nonsense\": expected a TOML file or one of",
    );
    set("rate", 1, "expected a setting such as phase.0.rate=0.05");
    set("phase.9.rate=1", 1, "expected a setting such as phase.0.rate=0.05");
    set("phase.0.colour=1", 1, "unknown field `colour`");
    set("network.tuples=hello", 1, "tuples: met \"hello\", expected digits of cells");
    set("game=chess", 1, "unknown game \"chess\"");
    set("log.checkpoint_seconds=-1", 1, "log.checkpoint_seconds: met -1, expected 0 to 1e9");
    set("budget.seconds=inf", 1, "budget.seconds");
    set("seed=99999999999999999999", 1, "small.toml: ");
    // Sixteen tuples of seven cells: 16 GiB of weights and 32 GiB of coherence.
    let tuples: Vec<String> = (7..=9)
        .flat_map(|a| (a + 1..=15).map(move |b| format!("\"01234{a:x}{b:x}\"")))
        .take(16)
        .collect();
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let free = memory.lines().find(|line| line.starts_with("MemAvailable:"));
    let free = free.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    if free.is_some_and(|kib| kib < 48 << 20) {
        let setting = format!("network.tuples=[{}]", tuples.join(","));
        set(&setting, 1, "the weights need 48.0 GiB but ");
    }
}

#[test]
fn every_game_is_trained_by_its_recipe() {
    let scratch = Scratch::new("built-in");
    for (name, setting) in [
        // The network of the recipe takes seconds to be written.
        ("2048", "network.tuples=[\"01245\",\"45689\"]"),
        ("2048-3x3", "log.window=100"),
        ("tetris", "log.window=100"),
        ("1010", "log.window=100"),
    ] {
        let run = scratch.path(name);
        let budget = ["--seconds", "0.5", "--eval-games", "20", "--threads", "2"];
        let arguments = ["train", name, "--out", &run, "--set", setting];
        let told = printed(&[&arguments[..], &budget].concat());
        assert!(told.contains("mean score") && told.contains("watch it play"), "{told}");
        assert!(files(&run, ".part").is_empty());
        let longer = told.lines().find_map(|line| line.trim().strip_prefix("train longer"));
        assert_eq!(longer.unwrap().trim(), format!("afterstate train {name} --seconds 600"));
    }
}

#[test]
fn threads_learn_together() {
    let scratch = Scratch::new("threads");
    let (recipe, run) = (scratch.recipe(&lines(3_000, TC)), scratch.path("run"));
    printed(&["train", &recipe, "--out", &run, "--threads", "3", "--eval-games", "0"]);
    let windows = metrics(&run);
    assert_eq!(windows.len(), 150);
    assert_eq!(windows[149]["episodes"], 3_000);
    let mean = |number: usize| windows[number]["mean"].as_f64().unwrap();
    assert!(mean(149) > 1.5 * mean(0), "{} after {}", mean(149), mean(0));
}
