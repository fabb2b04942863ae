//! Numbers from outside: no number, infinite, too large; and clocks, time zones and languages of a machine
//! that change nothing in what is computed.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::harness::{
    Scratch, TD, agent, lines, objects, printed, program, refused, stdout, train,
};

#[test]
fn what_is_no_number_is_refused_everywhere() {
    let scratch = Scratch::new("no-number");
    let recipe = scratch.recipe(&lines(20, TD));
    let train = |setting: &str| {
        let arguments = ["train", &recipe, "--out", &scratch.path("run"), "--set", setting];
        let output = program(&arguments).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!([Some(1), Some(2)].contains(&output.status.code()), "{setting}: {error}");
        assert!(!error.contains("panicked") && !error.is_empty(), "{setting}: {error}");
    };
    for value in ["nan", "inf", "-inf", "-nan", "1e999", "-1e999"] {
        for key in [
            "phase.0.rate",
            "budget.seconds",
            "log.checkpoint_seconds",
            "network.initial",
            "network.average",
        ] {
            train(&format!("{key}={value}"));
        }
        for game in [format!("2048:3x3,four={value}"), format!("tetris:6x8,pieces=a:##*{value}")] {
            refused(&["perft", &game, "--depth", "1"], 2, "invalid");
        }
        for arguments in [
            &["eval", &format!("linear:dt=1,1,1,1,1,1,1,1,{value}"), "--game", "tetris:6x8"][..],
            &["solve", "2048:2x2", "--no-save", "--gamma", value],
            &["train", &recipe, "--seconds", value],
        ] {
            let output = program(arguments).output().unwrap();
            let error = String::from_utf8(output.stderr).unwrap();
            assert!([Some(1), Some(2)].contains(&output.status.code()), "{arguments:?}: {error}");
            assert!(!error.contains("panicked"), "{arguments:?}: {error}");
        }
    }
    assert!(
        !fs::exists(scratch.path("run")).unwrap(),
        "a training that is refused leaves no folder"
    );
}

#[test]
fn languages_and_time_zones_change_nothing() {
    let commands: [&[&str]; 5] = [
        &["games"],
        &["perft", "tetris:6x8", "--depth", "2"],
        &["eval", "dt-10", "--game", "tetris:10x10", "--games", "3", "--moves", "2000", "--json"],
        &["solve", "2048:2x2", "--no-save", "--json"],
        &[
            "play",
            "1010:4x4,pieces=7",
            "--agent",
            "greedy",
            "--seed",
            "3",
            "--moves",
            "9",
            "--json",
        ],
    ];
    // Seconds and speeds differ from call to call.
    let measured = |text: String| {
        let is_time = |word: &&str| {
            ["seconds", "per_second", "peak_bytes", "joules"].iter().any(|name| word.contains(name))
        };
        text.split([',', '{', '}']).filter(|word| !is_time(word)).collect::<Vec<_>>().join(",")
    };
    let quick = |text: String| {
        let without_time = text.lines().map(|line| line.split(" s").next().unwrap_or_default());
        without_time.collect::<Vec<_>>().join("\n")
    };
    for arguments in commands {
        let shown = |language: &str, zone: &str| {
            let mut command = program(arguments);
            command.env("LC_ALL", language).env("LANG", language).env("TZ", zone);
            let text = stdout(&command.output().unwrap());
            if arguments.contains(&"--json") { measured(text) } else { quick(text) }
        };
        let expected = shown("C", "UTC");
        for (language, zone) in [
            ("de_DE.UTF-8", "Europe/Berlin"),
            ("tr_TR.UTF-8", "Asia/Kathmandu"),
            ("fa_IR", "Pacific/Kiritimati"),
            ("no such language", "no/such/zone"),
        ] {
            assert_eq!(shown(language, zone), expected, "{arguments:?} in {language}, {zone}");
        }
    }
}

/// Gives every file of a folder a time.
fn set_times(folder: &str, time: SystemTime) {
    for entry in fs::read_dir(Path::new(folder)).unwrap() {
        File::options()
            .append(true)
            .open(entry.unwrap().path())
            .unwrap()
            .set_modified(time)
            .unwrap();
    }
}

#[test]
fn clocks_that_jump_change_nothing() {
    let scratch = Scratch::new("clocks");
    let (whole, other) = (scratch.path("whole"), scratch.path("other"));
    train(&scratch.recipe(&lines(40, TD)), &whole);
    train(&scratch.recipe(&lines(20, TD)), &other);
    crate::harness::set_episodes(&other, 20, 40);
    let day = Duration::from_secs(86_400);
    // Files from a time that has not come yet, from before 1970, and from today.
    for time in [
        SystemTime::now() + 40_000 * day,
        SystemTime::UNIX_EPOCH,
        SystemTime::UNIX_EPOCH - 1_000 * day,
        SystemTime::now(),
    ] {
        set_times(&other, time);
        set_times(&whole, SystemTime::now());
        for run in [&whole, &other] {
            assert_eq!(objects(&["runs", run, "--json"]).len(), 1);
        }
        let listed = printed(&["runs", &whole, &other]);
        assert!(listed.contains("whole") && listed.contains("other"), "{listed}");
    }
    set_times(&other, SystemTime::now() + 40_000 * day);
    let resumed = ["train", "--resume", &other, "--threads", "1", "--eval-games", "0"];
    stdout(&program(&resumed).output().unwrap());
    assert!(agent(&whole) == agent(&other), "the resumed run has the bytes of an unbroken one");
}
