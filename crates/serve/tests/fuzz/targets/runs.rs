//! The files of runs: read from memory, and a part of the inputs from files, as the program does.

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::{fs, io};

use afterstate_agents::Agent;
use afterstate_engine::Engine;
use afterstate_games::spec::GameSpec;
use afterstate_search::Search;
use afterstate_train::Hardware;
use afterstate_train::recipe::Recipe;
use afterstate_train::run::in_memory::{self, InMemory};
use afterstate_train::run::{Folder, Observer, Status};
use afterstate_values::file::{Source, read_info};

use super::engines::engine_of;
use super::{RECIPES, is_one_in, text};

/// One input in so many is read from files.
const FILES: u64 = 64;

/// A folder with a run of each recipe, in memory where the system has such a place; removed with its
/// thread.
struct Scratch(Vec<Folder>);

impl Scratch {
    fn new() -> Scratch {
        static FOLDERS: AtomicU64 = AtomicU64::new(0);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let shared = PathBuf::from("/dev/shm");
        let place = if shared.is_dir() { shared } else { std::env::temp_dir() };
        let path = place.join(format!("afterstate-fuzz-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        let run = |(number, text): (usize, &&str)| {
            Folder::create(&path.join(number.to_string()), Recipe::parse(text, &[]).unwrap())
        };
        Scratch(RECIPES.iter().enumerate().map(run).collect::<Result<_, _>>().unwrap())
    }

    /// Calls a function with a run of this thread.
    fn with<T>(recipe: usize, work: impl FnOnce(&Folder) -> T) -> T {
        thread_local!(static RUNS: RefCell<Option<Scratch>> = const { RefCell::new(None) });
        RUNS.with_borrow_mut(|runs| {
            work(&runs.get_or_insert_with(Scratch::new).0[recipe % RECIPES.len()])
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.0[0].path().parent().unwrap());
    }
}

/// A training that nobody observes.
pub(crate) struct Unobserved;

impl Observer for Unobserved {
    fn round(&mut self, _: &Status) -> io::Result<()> {
        Ok(())
    }
}

pub(crate) fn agents(bytes: &[u8]) {
    if is_one_in(FILES, bytes) {
        return agent_in_file(bytes);
    }
    let bytes: Arc<[u8]> = bytes.into();
    let Ok(info) = read_info(Source::Shared("agent", &bytes)) else { return };
    let Ok(rules) = info.game.parse::<GameSpec>() else { return };
    let _ = info.describe();
    let engine = engine_of(&rules);
    if let Ok(agent) = engine.load_bytes("agent", &bytes) {
        let mut session = engine.session(1, None).unwrap();
        let _ = session.play_by(&agent, &Search::GREEDY, 3);
    }
}

/// The same by way of a file.
fn agent_in_file(bytes: &[u8]) {
    Scratch::with(0, |run| {
        let path = run.path().join("agent");
        let _ = fs::remove_file(&path);
        fs::write(&path, bytes).unwrap();
        let Ok(info) = read_info(&path) else { return };
        let Ok(rules) = info.game.parse::<GameSpec>() else { return };
        let engine = engine_of(&rules);
        let Ok(agent) = engine.load(&Agent::File(path)) else { return };
        let mut session = engine.session(1, None).unwrap();
        let _ = session.play_by(&agent, &Search::GREEDY, 3);
    });
}

/// The trainings of all recipes. They borrow recipes and engines that live as long as the process: a
/// thread makes them once.
fn trainings() -> Vec<(&'static Recipe, InMemory<'static>)> {
    let training = |text: &str| {
        let recipe: &'static Recipe = Box::leak(Box::new(Recipe::parse(text, &[]).unwrap()));
        let engine: &'static dyn Engine = Box::leak(afterstate_engine::open(&recipe.rules));
        (recipe, engine.in_memory(recipe).unwrap())
    };
    RECIPES.map(training).into()
}

/// The first byte selects the recipe, the rest is the checkpoint.
pub(crate) fn checkpoints(bytes: &[u8]) {
    type Trainings = Vec<(&'static Recipe, InMemory<'static>)>;
    thread_local!(static TRAININGS: RefCell<Trainings> = const { RefCell::new(Vec::new()) });
    let Some((first, rest)) = bytes.split_first() else { return };
    let number = usize::from(*first) % RECIPES.len();
    if is_one_in(FILES, bytes) {
        return checkpoint_in_file(number, rest);
    }
    TRAININGS.with_borrow_mut(|all| {
        if all.is_empty() {
            *all = trainings();
        }
        // Resumed and stopped at once: what is accepted is written again, and then to the same bytes.
        let (_, training) = &mut all[number];
        if let Ok(saved) = training.resume(rest) {
            assert!(training.resume(&saved).unwrap() == saved, "another checkpoint");
        }
    });
}

/// The same by way of files, with the agent and the events.
fn checkpoint_in_file(number: usize, bytes: &[u8]) {
    Scratch::with(number, |run| {
        let _ = fs::remove_file(run.checkpoint());
        fs::write(run.checkpoint(), bytes).unwrap();
        let _ = (run.position(), run.finished(), run.has_weights());
        let engine = engine_of(&run.recipe().rules);
        let stop = AtomicBool::new(true);
        if engine.train(run, Hardware::threads(1), &stop, &mut Unobserved).is_ok() {
            assert!(run.position().unwrap().is_some());
        }
        let events = fs::read_dir(run.path()).unwrap().flatten().map(|entry| entry.path());
        for path in events.filter(|path| path.to_string_lossy().contains("tfevents")) {
            fs::remove_file(path).unwrap();
        }
    });
}

/// The first byte selects the recipe, the rest are the metrics.
pub(crate) fn metrics(bytes: &[u8]) {
    thread_local!(static SELECTED: Cell<Option<&'static [Recipe]>> = const { Cell::new(None) });
    let Some((first, rest)) = bytes.split_first() else { return };
    let number = usize::from(*first) % RECIPES.len();
    if is_one_in(FILES, bytes) {
        return Scratch::with(number, |run| {
            let _ = fs::remove_file(run.checkpoint());
            fs::write(run.path().join("metrics.jsonl"), rest).unwrap();
            assert_eq!(run.metrics().unwrap().len(), run.overview().unwrap().windows);
        });
    }
    let recipes = SELECTED.get().unwrap_or_else(|| {
        let recipes = RECIPES.map(|text| Recipe::parse(text, &[]).unwrap());
        let recipes: &'static [Recipe] = Box::leak(recipes.into());
        SELECTED.set(Some(recipes));
        recipes
    });
    let windows = in_memory::metrics(rest);
    assert!(windows.len() <= bytes.len());
    assert_eq!(in_memory::overview(&recipes[number], &windows).windows, windows.len());
}

pub(crate) fn packed_runs(bytes: &[u8]) {
    if is_one_in(FILES, bytes) {
        return packed_run_in_file(bytes);
    }
    let Ok(files) = in_memory::unpack(&[bytes]) else { return };
    for (name, file) in files {
        match &*name {
            "recipe.toml" => drop(text(&file).map(|text| Recipe::parse(text, &[]))),
            "metrics.jsonl" => drop(in_memory::metrics(&file)),
            _ => {}
        }
    }
}

/// The same by way of files.
fn packed_run_in_file(bytes: &[u8]) {
    Scratch::with(0, |run| {
        let (pieces, to) = (run.path().with_file_name("pieces"), run.path().with_file_name("to"));
        let _ = fs::remove_dir_all(&to);
        fs::create_dir_all(&pieces).unwrap();
        fs::write(pieces.join("piece-0000"), bytes).unwrap();
        if let Ok(run) = Folder::unpack(&pieces, &to) {
            let _ = (run.metrics(), run.position());
        }
    });
}
