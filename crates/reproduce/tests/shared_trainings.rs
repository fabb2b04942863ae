//! Trainings that experiments share: two processes at the same time, and measurements without weights.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use afterstate_core::Device;
use afterstate_reproduce::{Cost, Error, Report, Scale, TableCache, TrainingCache, find};
use afterstate_train::Folder;
use afterstate_train::run::{Observer, Status};

#[derive(Default)]
struct Seen {
    rounds: u64,
    /// Receives every note.
    notes: Option<Sender<String>>,
}

impl Observer for Seen {
    fn note(&mut self, note: &str) -> io::Result<()> {
        if let Some(notes) = &self.notes {
            notes.send(note.to_owned()).map_err(io::Error::other)?;
        }
        Ok(())
    }

    fn round(&mut self, _: &Status) -> io::Result<()> {
        self.rounds += 1;
        Ok(())
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("shared-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn run(name: &str, work: &Path, stop: &AtomicBool, seen: &mut Seen) -> Result<Report, Error> {
    run_on(2, name, work, stop, seen)
}

fn run_on(
    threads: usize,
    name: &str,
    work: &Path,
    stop: &AtomicBool,
    seen: &mut Seen,
) -> Result<Report, Error> {
    let mut cache = TrainingCache {
        scale: Scale::Tiny,
        folder: work.to_owned(),
        seed: 3,
        threads,
        device: Device::Cpu,
        stop,
        observer: seen,
        tables: &mut TableCache::default(),
    };
    find(name).unwrap().run(&mut cache)
}

#[test]
fn experiments_at_the_same_time_train_what_they_share_once() {
    let work = folder("once");
    let trainings = || -> Vec<Cost> {
        let names = ["chen-figure2", "chen-figure12"];
        let report = |name| {
            let report = run(name, &work, &AtomicBool::new(false), &mut Seen::default());
            report.unwrap().trainings
        };
        let [one, other] = std::thread::scope(|scope| {
            names.map(|name| scope.spawn(move || report(name))).map(|thread| thread.join().unwrap())
        });
        // Two trainings would not take the same time to the nanosecond.
        assert_eq!(one, other);
        one
    };
    let first = trainings();
    assert_eq!(first.len(), 2);
    // Both read what is there.
    assert_eq!(trainings(), first);
    fs::remove_dir_all(work).unwrap();
}

#[test]
fn a_run_that_another_process_trains_is_waited_for_until_a_stop() {
    let work = folder("waits");
    let (mut seen, stop) = (Seen::default(), AtomicBool::new(false));
    run("chen-figure12", &work, &stop, &mut seen).unwrap();
    let path = work.join("tiny/mixed-afterstates-rate0.1-300k-seed3");
    let finished = fs::read(path.join("finished.json")).unwrap();
    fs::remove_file(path.join("finished.json")).unwrap();
    // Locks are of open files, so that this one is another process to the experiment.
    let other = Folder::resume(&path).unwrap();
    let waiting = |meanwhile: &dyn Fn()| {
        let (notes, received) = channel();
        let mut seen = Seen { rounds: 0, notes: Some(notes) };
        std::thread::scope(|scope| {
            let (work, stop) = (&work, &stop);
            let waiting = scope.spawn(move || run("chen-figure2", work, stop, &mut seen));
            // A minute is for machines with other work; a run that fails sends nothing.
            let note = received.recv_timeout(Duration::from_secs(60)).unwrap();
            assert!(note.contains("waiting for another process"), "{note}");
            assert!(!waiting.is_finished());
            meanwhile();
            waiting.join().unwrap()
        })
    };
    let stopped = waiting(&|| stop.store(true, Ordering::Relaxed));
    assert!(matches!(stopped, Err(Error::Stopped)), "{stopped:?}");
    stop.store(false, Ordering::Relaxed);
    // It ends as soon as the other one has finished, which still holds its lock.
    let report = waiting(&|| fs::write(path.join("finished.json"), &finished).unwrap());
    assert_eq!(report.unwrap().trainings.len(), 2);
    drop(other);
    fs::remove_dir_all(work).unwrap();
}

#[test]
fn measurements_make_a_report_without_weights() {
    let (work, copy, stop) = (folder("weights"), folder("measured"), AtomicBool::new(false));
    let first = run("chen-figure12", &work, &stop, &mut Seen::default()).unwrap();
    let runs = fs::read_dir(work.join("tiny")).unwrap().map(|entry| entry.unwrap().path());
    for path in runs.filter(|path| path.is_dir()) {
        let to = copy.join("tiny").join(path.file_name().unwrap());
        fs::create_dir_all(&to).unwrap();
        for name in ["recipe.toml", "metrics.jsonl", "finished.json"] {
            fs::copy(path.join(name), to.join(name)).unwrap();
        }
    }
    let mut seen = Seen::default();
    let again = run("chen-figure12", &copy, &stop, &mut seen).unwrap();
    assert_eq!((again, seen.rounds), (first, 0));
    for folder in [work, copy] {
        fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn annealing_learns_the_same_on_any_number_of_threads() {
    let rows = [1, 3].map(|threads| {
        let (work, stop) = (folder(&format!("annealing-{threads}")), AtomicBool::new(false));
        let report =
            run_on(threads, "marchal-figure3", &work, &stop, &mut Seen::default()).unwrap();
        assert!(report.trainings.iter().all(|training| training.threads == threads));
        fs::remove_dir_all(work).unwrap();
        report.rows
    });
    assert_eq!(rows[0], rows[1]);
}
