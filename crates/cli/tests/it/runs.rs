//! Runs: lists, curves, evaluated and quantized agents, and errors of their files.

use std::fs;

use serde_json::Value;

use crate::harness::{
    Scratch, TC, TD, agent, failed, files, lines, lines_of, metrics, objects, printed, program,
    refused, resume, resume_to, start, stdout, stop, text, train, wait_until,
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
    // An unreadable run does not hide the others.
    fs::create_dir_all(scratch.path("runs/wrong")).unwrap();
    fs::write(scratch.path("runs/wrong/recipe.toml"), "game = 7").unwrap();
    let output = program(&["runs", "--json"]).current_dir(&scratch.0).output().unwrap();
    assert_eq!(stdout(&output).lines().count(), 2);
    assert_one_error(&output.stderr, "runs/wrong/recipe.toml: ");
    assert!(printed(&["plot", &one, &two]).contains("Mean score in training"));
    for (name, magic) in [("curve.svg", &b"<svg"[..]), ("curve.png", &b"\x89PNG\r\n\x1a\n"[..])] {
        let result = printed(&["plot", &one, "--out", &scratch.path(name)]);
        assert_eq!(result.lines().count(), 2, "{result}");
        for file in result.lines() {
            assert!(fs::read(file).unwrap().starts_with(magic), "{file}");
        }
    }
    let sentence = "the name must end in .svg or .png";
    refused(&["plot", &one, "--out", &scratch.path("curve.pdf")], 1, sentence);
    refused(&["plot", &scratch.path("nothing")], 1, "has no run: recipe.toml is missing");
}

#[test]
fn curves_have_a_unit_and_intervals() {
    let scratch = Scratch::new("units");
    let (tiles, contours) = (scratch.path("tiles"), scratch.path("contours"));
    train(&scratch.recipe(&lines(65, TD)), &tiles);
    let budget = ["--episodes", "40", "--threads", "1", "--eval-games", "0"];
    printed(&[&["train", "contour4", "--out", &contours][..], &budget].concat());
    let file = scratch.path("curve.svg");
    printed(&["plot", &tiles, "--out", &file]);
    let read = |name: &str| fs::read_to_string(scratch.path(name)).unwrap();
    for (name, label) in
        [("curve.svg", "mean score, points"), ("curve-reach.svg", "games that reach the tile, %")]
    {
        let svg = read(name);
        assert!(svg.contains(label) && svg.contains("Bands are 95% intervals"), "{svg}");
    }
    let sentence = "draw runs of one game in a chart";
    refused(&["plot", &tiles, &contours], 1, sentence);
}

fn assert_one_error(stderr: &[u8], sentence: &str) {
    let shown = text(stderr);
    assert!(shown.contains(sentence) && shown.lines().count() == 1, "{shown}");
}

#[test]
fn agents_are_evaluated_and_quantized() {
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
    let result = printed(&["quantize", &run, &small]);
    assert!(result.contains("0.5 MiB of weights quantized to 0.3 MiB"), "{result}");
    assert!(result.contains("The error of a value is at most "), "{result}");
    // The old name of the command.
    let old = scratch.path("old.safetensors");
    printed(&["shrink", &run, &old]);
    assert!(fs::read(&old).unwrap() == fs::read(&small).unwrap());
    assert!(!printed(&["--help"]).contains("shrink"));
    let played = eval(&small, "2")["mean"].as_f64().unwrap();
    let full = report["mean"].as_f64().unwrap();
    assert!((played / full - 1.0).abs() < 0.5, "{played} instead of {full}");
    refused(&["quantize", &small, &scratch.path("x")], 1, "has 16-bit weights already");

    let bytes = agent(&run);
    let wrong = scratch.path("wrong.safetensors");
    let mut hostile = bytes.clone();
    hostile[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    for bytes in [&bytes[..bytes.len() / 2], &bytes[..100], b"", b"PK\x03\x04 and so on", &hostile]
    {
        fs::write(&wrong, bytes).unwrap();
        refused(&["eval", &wrong], 1, "wrong.safetensors: ");
        refused(&["quantize", &wrong, &scratch.path("x")], 1, "wrong.safetensors: ");
    }
    refused(&["eval", &run, "--game", "2048:3x3"], 1, "agent.safetensors: ");
}

/// The agent in a sixteenth of its size is as strong as before, within a tenth.
#[test]
fn agents_fit_into_a_given_size() {
    let scratch = Scratch::new("coded");
    let (run, small) = (scratch.path("run"), scratch.path("small.safetensors"));
    train(&scratch.recipe(&lines(4_000, TC)), &run);
    let code = ["quantize", &run, &small, "--max-size", "32KiB", "--games", "200"];
    let report = objects(&[&code[..], &["--json"]].concat()).remove(0);
    let bytes = fs::read(&small).unwrap();
    assert!(bytes.len() <= 32 << 10 && bytes.len() > 28 << 10, "{report}");
    assert_eq!(report["bytes_after"], bytes.len());
    assert!(report["kept"].as_u64() < report["weights"].as_u64(), "{report}");
    let said = printed(&[&code[..], &["--threads", "3"]].concat());
    assert!(said.contains("0.5 MiB of weights coded in 0.0 MiB, in "), "{said}");
    assert!(said.contains(" weights that are not zero are kept, with "), "{said}");
    assert!(fs::read(&small).unwrap() == bytes, "on any number of threads");

    let compared = objects(&["compare", &run, &small, "--games", "600", "--seed", "9", "--json"]);
    let mean = |agent: usize| compared[0]["agents"][agent]["mean"].as_f64().unwrap();
    assert!(mean(0) > 4_000.0, "{}", compared[0]);
    assert!((mean(1) / mean(0) - 1.0).abs() < 0.1, "{}", compared[0]);
    assert!(printed(&["agents", &small]).contains("coded weights"));

    let expected = "\"16MB\" is not a size: expected one such as 16MiB";
    refused(&["quantize", &run, &small, "--max-size", "16MB"], 2, expected);
    refused(&["quantize", &run, &small, "--games", "10"], 2, "--max-size");
    let tiny = ["quantize", &run, &small, "--max-size", "1KiB", "--games", "1"];
    refused(&tiny, 1, "1024 bytes are too few for this agent: even without weights it takes ");
    assert!(fs::read(&small).unwrap() == bytes);
    let mut damaged = bytes.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    fs::write(&small, damaged).unwrap();
    let sentence = "is damaged: the coded weights in tensor tuple.1 cannot be decoded";
    refused(&["eval", &small], 1, sentence);
}

#[test]
fn wrong_checkpoints_are_refused_and_kept() {
    let scratch = Scratch::new("wrong");
    let (whole, run) = (scratch.path("whole"), scratch.path("run"));
    train(&stop(&scratch, &run, "-TERM", |length| lines(1_500 * length, TD)), &whole);
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
        (&good[..good.len() / 2], "the file is damaged: "),
        (&good[..50], "the file is damaged: "),
        (&[], "the file is damaged: "),
        (&[0xff; 1000], "the file is damaged: "),
        (&hostile, "the file is damaged: "),
        (&agent(&run), "the file is not a checkpoint"),
        (&read(&other), "the checkpoint belongs to 2048:4x4 with tuples [[10, 11, 14, 15], [9, "),
        (&read(&game), "the checkpoint belongs to 2048:4x4,four=0.2 with tuples"),
    ] {
        fs::write(&file, bytes).unwrap();
        let sentence = format!("checkpoint.safetensors: {sentence}");
        failed(&resume(&run).wait_with_output().unwrap(), 1, &sentence);
        assert!(before == (agent(&run), metrics(&run)), "the run has changed");
        assert!(fs::read(&file).unwrap() == bytes, "the checkpoint has changed");
        printed(&["runs", &run]);
    }
    fs::write(&file, good).unwrap();
    resume_to(&whole, &run);
}

#[test]
fn wrong_recipes_of_runs_are_refused() {
    let scratch = Scratch::new("recipes");
    let run = scratch.path("run");
    refused(&["train", "--resume", &run], 1, "run has no run: recipe.toml is missing");
    fs::create_dir(&run).unwrap();
    refused(&["train", "--resume", &run], 1, "run has no run: recipe.toml is missing");
    let good = lines(20, TD);
    for (text, sentence) in [
        (String::new(), "game is missing"),
        ("\0\u{1b}[2J".to_owned(), "recipe.toml: "),
        (format!("x = {}", "[".repeat(100_000)), "recipe.toml: "),
        (format!("{}x = 1", "a.".repeat(100_000)), "recipe.toml: "),
        (format!("{good}\n#{}", "x".repeat(2 << 20)), "the recipe is larger than 1 MiB"),
        (good.replace("0.1", "nan"), "phase.rate is NaN, but must be 0 to 10"),
        (good.replace("2048:4x4", "2048:400x4"), "recipe.toml: "),
        (good.replace("= 20\n", "= -20\n"), "recipe.toml: "),
        (good.replace("'lines'", "['0123456789abcdef']"), "at most 4294967296"),
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
    refused(&["train", "nonsense"], 2, "unknown recipe \"nonsense\": use a TOML file or one of");
    set("rate", 1, "invalid setting \"rate\": write for example phase.0.rate=0.05");
    let sentence = "invalid setting \"phase.9.rate=1\": write for example phase.0.rate=0.05";
    set("phase.9.rate=1", 1, sentence);
    set("phase.0.colour=1", 1, "unknown field `colour`");
    set("network.tuples=hello", 1, "unknown tuples \"hello\": write cells as digits");
    set("game=chess", 1, "unknown game \"chess\"");
    set("log.checkpoint_seconds=-1", 1, "log.checkpoint_seconds is -1, but must be 0 to 1e9");
    set("budget.seconds=inf", 1, "budget.seconds");
    set("seed=99999999999999999999", 1, "small.toml: ");
    // Sixteen tuples of seven cells: 16 GiB of weights and 32 GiB of coherence.
    let tuples: Vec<String> = (7..=9)
        .flat_map(|a| (a + 1..=15).map(move |b| format!("\"01234{a:x}{b:x}\"")))
        .take(16)
        .collect();
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = memory.lines().find(|line| line.starts_with("MemTotal:"));
    let total = total.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    if total.is_some_and(|kib| kib < 48 << 20) {
        let setting = format!("network.tuples=[{}]", tuples.join(","));
        set(&setting, 1, "the training needs 48.0 GiB of memory but ");
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
        let result = printed(&[&arguments[..], &budget].concat());
        assert!(result.contains("mean score") && result.contains("watch it play"), "{result}");
        assert!(files(&run, ".part").is_empty());
        let longer = result.lines().find_map(|line| line.trim().strip_prefix("train longer"));
        assert_eq!(longer.unwrap().trim(), format!("afterstate train {name} --seconds 600"));
    }
}

#[test]
fn old_names_of_settings_give_the_same_run() {
    let scratch = Scratch::new("old-names");
    let run = |recipe: &str, settings: &[&str]| {
        let out = scratch.path(&format!("runs/{recipe}-{}", settings[0]));
        let settings: Vec<&str> = settings.iter().flat_map(|set| ["--set", set]).collect();
        let budget = ["--episodes", "40", "--threads", "1", "--eval-games", "0"];
        printed(&[&["train", recipe, "--out", &out], &settings[..], &budget].concat());
        (fs::read_to_string(format!("{out}/recipe.toml")).unwrap(), agent(&out))
    };
    let (recipe, table) = run("contour4", &["table.max_moves=200", "table.terminal_value=-1"]);
    assert!(recipe.contains("max_moves = 200") && recipe.contains("terminal_value"), "{recipe}");
    assert!((recipe, table) == run("contour4", &["table.cut=200", "table.end=-1"]));
    let (recipe, weights) = run("tetris-cmaes", &["weights.optimiser.population=4"]);
    assert!(recipe.contains("[weights.optimiser]"), "{recipe}");
    assert!((recipe, weights) == run("tetris-cmaes", &["weights.search.population=4"]));

    // Agents are listed by their kind.
    let output = program(&["agents", "--json"]).current_dir(&scratch.0).output().unwrap();
    let listed: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let about = |run: &str| {
        let found = listed.iter().find(|one| one["agent"] == format!("runs/{run}"));
        found.unwrap()["about"].as_str().unwrap().to_owned()
    };
    let table = about("contour4-table.max_moves=200");
    assert!(table.starts_with("table of afterstates by heights"), "{table}");
    let weights = about("tetris-cmaes-weights.optimiser.population=4");
    assert!(weights.contains("dt") && !weights.contains("tuple"), "{weights}");
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

#[test]
fn runs_are_deleted_with_nothing_else() {
    let scratch = Scratch::new("deleted");
    let recipe = scratch.recipe(&lines(40, TD));
    let run = scratch.path("run");
    train(&recipe, &run);
    refused(&["runs", "--delete", &run], 2, "--delete needs --yes where nobody can be asked");
    refused(&["runs", "--delete", "--yes"], 2, "<RUNS>");
    refused(&["runs", "--delete", "--yes", &scratch.path("")], 1, "recipe.toml is missing");
    refused(&["runs", "--delete", "--yes", &scratch.path("none")], 1, "recipe.toml is missing");
    assert!(printed(&["runs", &run]).lines().next().unwrap().ends_with(" disk"));
    let deleted = objects(&["runs", "--delete", "--yes", &run, "--json"]).remove(0);
    assert_eq!((&deleted["deleted"], &deleted["folder"]), (&run.as_str().into(), &true.into()));
    assert!(deleted["bytes"].as_u64() > Some(100_000), "{deleted}");
    assert!(!fs::exists(&run).unwrap() && fs::exists(&recipe).unwrap());

    // What belongs to no run stays, such as in a home folder.
    train(&recipe, &run);
    fs::create_dir(format!("{run}/agent.safetensors.part")).unwrap();
    for other in ["thesis.txt", "agent.safetensors.bak", "my-recipe.toml"] {
        fs::write(format!("{run}/{other}"), "mine").unwrap();
    }
    let shown = printed(&["runs", "--delete", "--yes", &run]);
    assert!(shown.contains("Its folder stays: it has other files."), "{shown}");
    assert_eq!(fs::read_dir(&run).unwrap().count(), 4);
    refused(&["runs", "--delete", "--yes", &run], 1, "recipe.toml is missing");
}

#[test]
fn a_run_that_is_being_trained_is_not_deleted() {
    let scratch = Scratch::new("delete-training");
    let run = scratch.path("run");
    let mut child = start(&scratch.recipe(&lines(1_000_000_000, TD)), &run);
    wait_until(|| lines_of(&run) > 0);
    refused(&["runs", "--delete", "--yes", &run], 1, "run is being trained: stop it before");
    assert!(fs::exists(format!("{run}/recipe.toml")).unwrap());
    child.kill().unwrap();
    child.wait().unwrap();
    printed(&["runs", "--delete", "--yes", &run]);
    assert!(!fs::exists(&run).unwrap());
}

#[test]
fn a_stopped_run_goes_on_elsewhere_from_pieces() {
    let scratch = Scratch::new("pieces");
    let [whole, here, there, pieces] =
        ["whole", "here", "there", "pieces"].map(|name| scratch.path(name));
    let recipe = stop(&scratch, &here, "-INT", |length| lines(200 * length, TC));
    train(&recipe, &whole);
    let packed = printed(&["runs", &here, "--pack", &pieces, "--piece-size", "2MiB"]);
    assert!(packed.contains(&format!("--unpack {pieces}")), "{packed}");
    assert!(files(&pieces, "piece-").iter().all(|path| path.metadata().unwrap().len() <= 2 << 20));
    let unpacked = printed(&["runs", &there, "--unpack", &pieces]);
    assert!(unpacked.contains(&format!("afterstate train --resume {there}")), "{unpacked}");
    resume_to(&whole, &there);
    refused(&["runs", &there, "--unpack", &pieces], 1, "already has a run");
    refused(&["runs", &here, "--pack", &pieces], 1, "has pieces of a run: choose another");
    let small = ["runs", &here, "--pack", &scratch.path("small"), "--piece-size", "1MiB"];
    refused(&small, 2, "--piece-size 1.0 MiB is too small: expected 2MiB or more");
    refused(&["runs", &here, &there, "--pack", &pieces], 2, "--pack and --unpack take one run");
}
