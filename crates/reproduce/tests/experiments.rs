//! Every experiment end to end with a tiny network, and the published numbers beside their source.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use afterstate_core::Device;
use afterstate_reproduce::{
    Error, Quantity, Report, Row, Scale, TableCache, TrainingCache, experiments, find, markdown,
    write,
};
use afterstate_train::run::Observer;
use afterstate_train::run::Status;

#[derive(Default)]
struct Counted {
    rounds: u64,
    notes: Vec<String>,
}

impl Observer for Counted {
    fn begin(&mut self, note: &str) -> std::io::Result<()> {
        self.notes.push(note.to_owned());
        Ok(())
    }

    fn round(&mut self, _: &Status) -> std::io::Result<()> {
        self.rounds += 1;
        Ok(())
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("reproduce-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn run(name: &str, work: &Path, stopped: bool) -> (Result<Report, Error>, Counted) {
    run_with(name, work, stopped, &mut TableCache::default())
}

fn run_with(
    name: &str,
    work: &Path,
    stopped: bool,
    tables: &mut TableCache,
) -> (Result<Report, Error>, Counted) {
    run_on(Device::Cpu, name, work, stopped, tables)
}

fn run_on(
    device: Device,
    name: &str,
    work: &Path,
    stopped: bool,
    tables: &mut TableCache,
) -> (Result<Report, Error>, Counted) {
    run_at_once(1, device, name, work, stopped, tables)
}

fn run_at_once(
    threads: usize,
    device: Device,
    name: &str,
    work: &Path,
    stopped: bool,
    tables: &mut TableCache,
) -> (Result<Report, Error>, Counted) {
    let mut observer = Counted::default();
    let mut cache = TrainingCache {
        scale: Scale::Tiny,
        folder: work.to_owned(),
        seed: 3,
        threads,
        device,
        stop: &AtomicBool::new(stopped),
        observer: &mut observer,
        tables,
    };
    let report = find(name).unwrap().run(&mut cache);
    (report, observer)
}

#[test]
fn only_controllers_are_measured_on_a_gpu() {
    let run = |name| {
        let (device, tables) = (Device::Cuda(usize::MAX), &mut TableCache::default());
        run_on(device, name, &folder("gpu"), false, tables).0.unwrap_err()
    };
    let error = run("tang-figure5").to_string();
    assert_eq!(error, "tang-figure5 is measured on the processor only: use --device cpu");
    // No machine has that GPU: the device is asked for it, and says so.
    assert!(matches!(run("tetris-bcts-10x20"), Error::Evaluate(_)));
}

#[test]
fn names_are_found_and_differ() {
    for experiment in experiments() {
        assert_eq!(find(experiment.name).unwrap().title, experiment.title, "names differ");
        assert!(!experiment.published.is_empty() && !experiment.differences.is_empty());
        let sources = ["Chen 2022", "Carr 2005", "Tang 2019", "Marchal et al.", "Szita & Lőrincz"];
        let own = ["This program's own agent", "Solved by this program"];
        let mut sources = sources.iter().chain(&own);
        let known = sources.any(|source| experiment.source.starts_with(source));
        let tetris = experiment.name.starts_with("tetris-") && !experiment.source.is_empty();
        assert!(known || tetris, "{}", experiment.name);
    }
    assert!(find("chen").is_none());
}

/// The table as it stands in the report.
#[test]
fn table_1_is_the_published_one() {
    let printed = "
        256	100%	99.7%
        512	99.6%	99.1%
        1024	98.7%	95.1%
        2048	90.5%	81.9%
        4096	76.5%	51.1%
        8192	34.5%	2.3%
        Mean	85468.3	50415.1
        Maximum	191196	143792";
    let published = find("chen-table1").unwrap().published;
    let mut figures = 0;
    for line in printed.trim().lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let quantity = match words[0] {
            "Mean" => Quantity::Mean,
            "Maximum" => Quantity::Maxima,
            tile => Quantity::Reach(tile.parse().unwrap()),
        };
        for (case, word) in [("rate 0.1", words[1]), ("rate 0.025", words[2])] {
            let one = published.iter().find(|one| one.case == case && one.quantity == quantity);
            let value: f64 = word.trim_end_matches('%').parse().unwrap();
            assert_eq!(one.unwrap().value, Some(value), "{case} {quantity}");
            figures += 1;
        }
    }
    assert_eq!(figures, published.len());
}

#[test]
fn the_other_published_figures() {
    for (name, quantity, values) in [
        ("chen-table2", Quantity::Reach(2048), &[81.9, 87.3][..]),
        ("chen-figure10", Quantity::Reach(2048), &[90.5]),
        ("chen-figure12", Quantity::Reach(2048), &[96.5]),
        ("chen-figure12", Quantity::Maxima, &[279_864.0]),
        ("chen-figure2", Quantity::BestReach(2048), &[96.7]),
        ("chen-networks", Quantity::Memory, &[2_048.0, 8_192.0]),
        ("chen-states", Quantity::Reach(2048), &[90.5, 90.5]),
        ("marchal-figure1", Quantity::Lines, &[100_000.0]),
        ("marchal-figure5a", Quantity::LinesByWeights, &[149_000.0]),
        ("marchal-figure5a", Quantity::Named("median of the lines"), &[100_500.0]),
        ("marchal-figure5b", Quantity::LinesByWeights, &[1_120_000.0]),
        ("marchal-figure5b", Quantity::Named("most lines"), &[5_744_006.0]),
        ("tetris-lambda-pi", Quantity::Lines, &[3_200.0, 2_500.0]),
        ("szita-noise", Quantity::Lines, &[348_895.0]),
        ("marchal-figure4", Quantity::TimeSaved, &[86.0, 98.0]),
        ("marchal-figure4", Quantity::Growth, &[150.0, 20.0]),
    ] {
        let published = find(name).unwrap().published.iter();
        let found = published.filter(|one| one.quantity == quantity).filter_map(|one| one.value);
        assert_eq!(found.collect::<Vec<_>>(), values, "{name} {quantity}");
    }
}

#[test]
fn carr_s_published_figures() {
    let melax = [1_485.0, 1_166.0, 1_032.0, 902.0, 837.0, 644.0, 395.0, 303.0, 289.0];
    for (name, values) in [
        ("carr-states", &[200.0, 43.0, 39.0, 25.0, 343.0, 175.0, 4_096.0, 491_520.0][..]),
        ("carr-melax-rules", &[1_485.0, 289.0]),
        ("carr-table2-2", &[35.0, 12.0, 10.0]),
        ("carr-table2-1", &melax),
        ("carr-figure4-3", &[50.0, 90.0]),
        ("carr-figure4-9", &[1_400.0]),
        ("carr-figure5-1", &[100_000.0, 19.0]),
        ("carr-figure5-2", &[300.0, 700.0]),
        ("carr-figure5-4", &[12_000_000.0, 76.0, 12_000_000.0]),
        ("carr-figure5-6", &[10_000.0, 900.0, 10_000.0]),
        ("carr-figure6-5", &[4.0]),
        ("carr-figure6-6", &[30.0]),
    ] {
        let found = find(name).unwrap().published.iter().filter_map(|one| one.value);
        assert_eq!(found.collect::<Vec<_>>(), values, "{name}");
    }
}

#[test]
fn tang_s_published_figures() {
    let rules = [
        [4_221.3, 1_471.0, 10_315.0, 32_052.2, 12_587.0, 87_422.0],
        [321.5, 136.0, 642.0, 2_919.9, 1_200.0, 5_795.0],
        [648.42, 434.0, 5_714.0, 5_269.4, 3_396.0, 46_214.0],
    ];
    let figures = |name: &str| -> Vec<f64> {
        find(name).unwrap().published.iter().filter_map(|one| one.value).collect()
    };
    for (printed, found) in rules.iter().zip(figures("tang-figure5").chunks(9)) {
        assert_eq!(printed[..], found[..6]);
        // Scores per round are quotients of what is printed.
        for (column, ratio) in found[6..].iter().enumerate() {
            assert!((printed[3 + column] / printed[column] - ratio).abs() < 0.001, "{ratio}");
        }
    }
    for (name, values) in [
        ("tang-section5", &[20.0, 18.0, 16.0, 16.0][..]),
        ("tang-table2", &[1_450.7, 307.2, 115.5, 276.05, 307.2, 302.2]),
        ("tang-table3", &[204.473, 517.0, 75.0, 517.736, 1_047.0]),
    ] {
        assert_eq!(figures(name), values, "{name}");
    }
}

#[test]
fn every_experiment_runs_and_writes_its_files() {
    let (work, results) = (folder("all-runs"), folder("all-results"));
    let mut tables = TableCache::default();
    for experiment in experiments() {
        let (report, _) = run_with(experiment.name, &work, false, &mut tables);
        let report = report.unwrap();
        assert_eq!(report.rows.len(), experiment.published.len());
        // Only a checkout has one agent of 1010!, and only the full form solves 3x3.
        let full = |row: &Row| row.case == "1010-without-3x3" || row.case == "3x3";
        // In so few games no seed jumps.
        let jump = |row: &Row| row.what.starts_with("games to");
        let found =
            |row: &Row| row.measured.is_some() || row.played.is_some() || jump(row) || full(row);
        // In so few pieces no game of a good controller ends on 20 rows.
        let endless = report.notes.iter().any(|note| note.contains("no game ended"));
        assert!(endless || report.rows.iter().all(found), "{:?}", report.rows);
        let files = write(&report, &results).unwrap();
        assert_eq!(files.len(), 2 + report.charts.len());
        let page = fs::read_to_string(&files[0]).unwrap();
        assert_eq!(page, markdown(experiment, &report));
        assert!(page.contains("\n| case | what | "));
        assert!(page.contains("This is the tiny form") && page.contains(&report.command));
        let json = fs::read_to_string(&files[1]).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
        for chart in &files[2..] {
            assert!(page.contains(&*chart.file_name().unwrap().to_string_lossy()));
            assert!(fs::read_to_string(chart).unwrap().starts_with("<svg "));
        }
    }
    // The experiments of Chen share trainings: ten in all, each with two seeds. 26 more learn
    // weights of Tetris: three annealings, which figures share, one training by each of three other
    // optimisers, seventeen of lambda-policy iteration and three ways of noise. One folder more has
    // what the seeds of Carr's trainings learned and played, and each experiment on value functions has a
    // folder, eight in all. Fourteen more files are games: of eleven controllers, of Marchal's by two
    // searches, and of the hand of three.
    let names = fs::read_dir(work.join("tiny")).unwrap().map(|entry| entry.unwrap().path());
    // The locks of the experiments lie beside them.
    let names = names.filter(|path| path.extension().is_none_or(|end| end != "lock"));
    let (totals, trainings): (Vec<_>, Vec<_>) =
        names.partition(|path| path.extension().is_some_and(|end| end == "json"));
    assert_eq!((trainings.len(), totals.len()), (55, 14));
    for folder in [work, results] {
        fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn finished_trainings_are_reused_and_stopped_ones_are_resumed() {
    let work = folder("reuse");
    let (stopped, _) = run("chen-table2", &work, true);
    assert!(matches!(stopped, Err(Error::Stopped)), "{stopped:?}");
    let (first, watched) = run("chen-table2", &work, false);
    let first = first.unwrap();
    assert!(watched.rounds > 0);
    let (again, watched) = run("chen-table2", &work, false);
    assert_eq!(watched.rounds, 0, "{:?}", watched.notes);
    assert_eq!(first.rows, again.unwrap().rows);
    fs::remove_dir_all(work).unwrap();
}

#[test]
fn what_is_learned_does_not_depend_on_how_many_train_at_once() {
    for name in ["chen-networks", "chen-states"] {
        let rows = [1, 5].map(|threads| {
            let (work, tables) = (folder(&format!("{name}-{threads}")), &mut TableCache::default());
            let report = run_at_once(threads, Device::Cpu, name, &work, false, tables).0.unwrap();
            fs::remove_dir_all(work).unwrap();
            assert!(report.trainings.iter().all(|training| training.threads == 1));
            let learned = report.rows.into_iter().filter(|row| row.what != "training speed");
            learned.collect::<Vec<Row>>()
        });
        assert_eq!(rows[0], rows[1], "{name}");
    }
}

#[test]
fn played_games_are_reused_and_stopped_ones_are_resumed() {
    let work = folder("totals");
    let (stopped, _) = run("tetris-dellacherie-10x10", &work, true);
    assert!(matches!(stopped, Err(Error::Stopped)), "{stopped:?}");
    let first = run("tetris-dellacherie-10x10", &work, false).0.unwrap();
    let mut files = fs::read_dir(work.join("tiny")).unwrap().map(|entry| entry.unwrap().path());
    let totals = files.find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
    let text = fs::read_to_string(&totals).unwrap();
    assert_eq!(text.matches("\"lines\"").count(), 20, "{text}");
    assert_eq!(run("tetris-dellacherie-10x10", &work, false).0.unwrap().rows, first.rows);
    // The games of a damaged file are played again.
    fs::write(&totals, &text[..text.len() / 2]).unwrap();
    assert_eq!(run("tetris-dellacherie-10x10", &work, false).0.unwrap().rows, first.rows);
    fs::remove_dir_all(work).unwrap();
}

#[test]
fn learned_weights_are_reused_and_stopped_games_are_resumed() {
    let work = folder("learned");
    let (stopped, _) = run("tetris-lambda-pi", &work, true);
    assert!(matches!(stopped, Err(Error::Stopped)), "{stopped:?}");
    let first = run("tetris-lambda-pi", &work, false).0.unwrap();
    let (again, watched) = run("tetris-lambda-pi", &work, false);
    assert_eq!(watched.rounds, 0, "{:?}", watched.notes);
    assert_eq!(first.rows, again.unwrap().rows);
    // Games are played again if their file is damaged; the weights stay.
    let run_folder = work.join("tiny/lambda-pi-seed3");
    let strength = run_folder.join("strength-2-cut10000000.json");
    let text = fs::read_to_string(&strength).unwrap();
    fs::write(&strength, &text[..text.len() / 2]).unwrap();
    assert_eq!(first.rows, run("tetris-lambda-pi", &work, false).0.unwrap().rows);
    let games = |text: &str| text.split("\"seconds\"").next().unwrap().to_owned();
    assert_eq!(games(&text), games(&fs::read_to_string(&strength).unwrap()));
    fs::remove_dir_all(work).unwrap();
}

#[test]
fn published_controllers_are_those_of_their_sources() {
    for (name, lines) in [
        ("tetris-dellacherie-10x10", 2_355.0),
        ("tetris-dellacherie-10x20", 5_200_000.0),
        ("tetris-bcts-10x10", 3_818.0),
        ("tetris-bcts-10x20", 31_000_000.0),
        ("tetris-dt-10-10x10", 5_059.0),
        ("tetris-dt-10-10x20", 29_000_000.0),
        ("tetris-dt-20-10x10", 4_428.0),
        ("tetris-dt-20-10x20", 51_000_000.0),
        ("tetris-rv-ce-10x10", 5_379.0),
    ] {
        assert_eq!(find(name).unwrap().published[0].value, Some(lines), "{name}");
    }
}

#[test]
fn a_longer_training_continues_the_shorter() {
    let work = folder("longer");
    run("chen-table2", &work, false).0.unwrap();
    let metrics = |games: &str| {
        let name = format!("4x6-afterstates-rate0.025-{games}k-seed3");
        fs::read_to_string(work.join("tiny").join(name).join("metrics.jsonl")).unwrap()
    };
    for (short, long) in
        [("300", "560"), ("560", "820")].map(|pair| (metrics(pair.0), metrics(pair.1)))
    {
        assert!(long.starts_with(&short) && long.lines().count() > short.lines().count());
    }
    // A checkpoint is kept only for a longer training to come.
    let kept = |games: &str| {
        let name = format!("4x6-afterstates-rate0.025-{games}k-seed3");
        work.join("tiny").join(name).join("checkpoint.safetensors").exists()
    };
    assert!(kept("300") && kept("560") && !kept("820"));
    fs::remove_dir_all(work).unwrap();
}

#[test]
fn another_recipe_in_the_folder_is_refused() {
    let work = folder("other");
    run("chen-figure10", &work, false).0.unwrap();
    let run_folder = work.join("tiny/4x6-afterstates-rate0.1-300k-seed3");
    let recipe = run_folder.join("recipe.toml");
    let text = fs::read_to_string(&recipe).unwrap().replace("episodes = 200", "episodes = 201");
    fs::write(&recipe, text).unwrap();
    let error = run("chen-figure10", &work, false).0.unwrap_err();
    assert!(error.to_string().contains("another recipe"), "{error}");
    fs::remove_dir_all(work).unwrap();
}
