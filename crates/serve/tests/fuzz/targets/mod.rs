//! One function for each reader of bytes from outside. Whatever the bytes are, it returns; what it
//! accepts, it accepts again after it was written out. `cargo xtask fuzz` and the targets in `fuzz/`
//! call the same functions.

mod requests;
#[path = "../../start/mod.rs"]
mod start;

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::{fs, io};

use afterstate_agents::Agent;
use afterstate_core::Device;
use afterstate_engine::cs3243;
use afterstate_games::pieces::{parse_pieces, pieces_text};
use afterstate_games::spec::GameSpec;
use afterstate_search::Search;
use afterstate_session::Replay;
use afterstate_train::Hardware;
use afterstate_train::recipe::{Recipe, RecipeError};
use afterstate_train::recipes::BUILT_IN;
use afterstate_train::run::{Folder, Observer, Status};
use afterstate_values::file::read_info;

pub(crate) use requests::{PATHS, requests};

/// The rules whose boards and moves are read.
pub(crate) const RULES: [&str; 8] = [
    "2048:4x4",
    "2048:2x3",
    "tetris:10x20",
    "tetris:4x20,pieces=melax",
    "tetris:6x8,next",
    "1010:10x10,hand=3",
    "1010:4x4,pieces=7",
    "1010:3x3,pieces=3",
];

/// Recipes of every learner whose trainings have small checkpoints.
pub(crate) const RECIPES: [&str; 13] = [
    "game = '2048:2x2'\nbudget.episodes = 40\nnetwork.tuples = '0123'\nlog.window = 10\n\
     [[phase]]\nmethod = 'tc'\nrate = 1.0\n",
    "game = '2048:2x2'\nbudget.episodes = 40\nnetwork.tuples = '0123'\nnetwork.batch = 3\n\
     network.average = 0.3\nlog.window = 10\n[[phase]]\nmethod = 'td'\nrate = 1.0\n",
    "game = '2048:2x2'\nbudget.episodes = 40\nnetwork.tuples = '0123'\nnetwork.stages = [20]\n\
     log.window = 10\n[[phase]]\nmethod = 'tc'\nrate = 1.0\norder = 'backward'\n\
     starts = 'restart'\n",
    "game = '2048:2x2'\nbudget.episodes = 40\nnetwork.tuples = '0123'\nlog.window = 10\n\
     [[phase]]\nmethod = 'td'\nrate = 1.0\nvalues = 'states'\n",
    "game = '2048:2x2'\nbudget.moves = 600\nlog.window = 10\n[neural]\n\
     layers = ['conv 2x1 3', 'dense 4']\nscale = 50\ngames = 4\nsteps = 2\nrate = 0.001\n",
    "game = 'tetris:4x20,pieces=melax'\nbudget.episodes = 10\nlog.window = 5\n[table]\n\
     method = 'tc'\nviews = 'heights,differences,cap=2,window=4,mirror'\nrate = 0.2\n\
     max_moves = 50\n",
    "game = 'tetris:4x20,pieces=melax'\nbudget.episodes = 10\nlog.window = 5\n[table]\n\
     method = 'sarsa'\nviews = 'heights,differences,cap=2,window=4,mirror'\nrate = 0.2\n\
     lambda = 0.9\nmax_moves = 50\n",
    "game = 'tetris:6x8'\nbudget.episodes = 20\n[lambda_pi]\nfeatures = 'dt'\ngames = 4\n\
     max_moves = 100\n",
    "game = 'tetris:6x8'\nbudget.episodes = 25\n[weights]\nfeatures = 'dt'\n\
     games = { count = 2, early = 1, max_score = 20 }\n\
     optimiser = { method = 'cross_entropy', population = 5, elite = 2 }\n",
    "game = 'tetris:6x8'\nbudget.episodes = 25\n[weights]\nfeatures = 'dt'\n\
     games = { count = 2, early = 0, max_score = 20 }\n\
     optimiser = { method = 'cma_es', population = 5 }\n",
    "game = '1010:5x5'\nbudget.moves = 200\nlog.window = 5\n[lspi]\nfeatures = 'tang'\nevery = 20\n",
    "game = 'tetris:6x8'\nbudget.episodes = 4\n[cbmpi]\nfeatures = 'dt'\nvalues = 'bertsekas'\n\
     games = 2\nmax_moves = 20\niteration = { states = 5, steps = 2, classifier = 2 }\n",
    "game = 'tetris:6x8'\nbudget.episodes = 6\nlog.window = 2\n[evaluation]\nagent = 'dt-20'\n",
];

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// The rules that the first byte selects, and the rest as text.
fn rules_and_text(bytes: &[u8]) -> Option<(GameSpec, &str)> {
    let (first, rest) = bytes.split_first()?;
    Some((RULES[usize::from(*first) % RULES.len()].parse().unwrap(), text(rest)?))
}

pub(crate) fn rules(bytes: &[u8]) {
    let Some(Ok(rules)) = text(bytes).map(str::parse::<GameSpec>) else { return };
    let written = rules.to_string();
    assert_eq!(written.parse::<GameSpec>().unwrap().to_string(), written);
}

pub(crate) fn boards(bytes: &[u8]) {
    let Some((rules, text)) = rules_and_text(bytes) else { return };
    let engine = afterstate_engine::open(&rules);
    let _ = engine.drawing(text);
    let Ok(session) = engine.session(1, Some(text)) else { return };
    let state = session.view().state;
    assert_eq!(engine.session(1, Some(&state)).unwrap().view().state, state);
}

pub(crate) fn moves(bytes: &[u8]) {
    let Some((rules, text)) = rules_and_text(bytes) else { return };
    let mut session = afterstate_engine::open(&rules).session(1, None).unwrap();
    for mv in text.split('\n').take(50) {
        let before = session.moves();
        let played = session.play(mv).is_ok();
        assert_eq!(session.moves(), before + u64::from(played));
    }
}

pub(crate) fn pieces(bytes: &[u8]) {
    let Some(Ok(pieces)) = text(bytes).map(parse_pieces) else { return };
    assert_eq!(parse_pieces(&pieces_text(&pieces)).unwrap(), pieces);
}

pub(crate) fn searches(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Ok(search) = text.parse::<Search>() {
        assert_eq!(search.to_string().parse::<Search>().unwrap(), search);
    }
    // The name of a file is not opened.
    if let Ok(agent) = text.parse::<Agent>() {
        let _ = agent.to_string();
    }
}

pub(crate) fn recipes(bytes: &[u8]) {
    let Some(Ok(recipe)) = text(bytes).map(|text| Recipe::parse(text, &[])) else { return };
    let written = recipe.text().unwrap();
    assert_eq!(Recipe::parse(&written, &[]).unwrap().text().unwrap(), written);
}

/// A recipe with settings, one in each line; the first byte selects one of those of their learner.
pub(crate) fn recipe_with(bytes: &[u8]) -> Option<Result<Recipe, RecipeError>> {
    let (first, rest) = bytes.split_first()?;
    let settings: Vec<String> = text(rest)?.split('\n').take(20).map(str::to_owned).collect();
    Some(Recipe::parse(recipe_with_tables_of(&settings, *first), &settings))
}

pub(crate) fn settings(bytes: &[u8]) {
    let Some(Ok(recipe)) = recipe_with(bytes) else { return };
    let written = recipe.text().unwrap();
    assert_eq!(Recipe::parse(&written, &[]).unwrap().text().unwrap(), written);
    // As the server does: files are refused by their names.
    if recipe.learner.agents().into_iter().all(Agent::is_in_program) {
        let engine = afterstate_engine::open(&recipe.rules);
        let _ = (engine.check(&recipe, Device::Cpu), engine.needs(&recipe));
    }
}

/// One of the recipes of the learner whose table is set first; one of all if none is.
fn recipe_with_tables_of(settings: &[String], number: u8) -> &'static str {
    let of_learner = |setting: &String| -> Vec<&'static str> {
        let table = setting.trim().split(['.', '=', ' ']).next().unwrap_or_default();
        let is_of_all = ["budget", "log"].contains(&table);
        let header = format!("[{table}]");
        let recipes = BUILT_IN.iter().map(|(_, text)| *text);
        recipes.filter(|text| !is_of_all && text.contains(&header)).collect()
    };
    let own = settings.iter().map(of_learner).find(|recipes| !recipes.is_empty());
    let recipes = own.unwrap_or_else(|| BUILT_IN.iter().map(|(_, text)| *text).collect());
    recipes[usize::from(number) % recipes.len()]
}

pub(crate) fn replays(bytes: &[u8]) {
    let Ok(replay) = Replay::from_bytes(bytes) else { return };
    assert_eq!(Replay::from_bytes(replay.to_json().as_bytes()).unwrap(), replay);
    if replay.moves.len() < 1_000 {
        let _ = afterstate_engine::verify(&replay);
    }
}

pub(crate) fn text_pipe(bytes: &[u8]) {
    let mut rows = 0;
    let read = cs3243::read(bytes, |game| rows += game.len());
    assert!(rows <= bytes.len() && (read.is_ok() || rows < bytes.len()));
    if let Some(Ok(weights)) = text(bytes).map(cs3243::parse_weights) {
        assert_eq!(weights.len(), cs3243::COLUMNS);
    }
}

/// A folder with a run of each recipe, in memory where the system has such a place; removed with its
/// thread.
pub(crate) struct Scratch(Vec<Folder>);

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
    pub(crate) fn with<T>(recipe: usize, work: impl FnOnce(&Folder) -> T) -> T {
        thread_local!(static RUNS: RefCell<Option<Scratch>> = const { RefCell::new(None) });
        RUNS.with_borrow_mut(|runs| {
            work(&runs.get_or_insert_with(Scratch::new).0[recipe % RECIPES.len()])
        })
    }

    /// The same with the run that the first byte selects, and the other bytes.
    fn with_selected(bytes: &[u8], work: impl FnOnce(&Folder, &[u8])) {
        if let Some((first, rest)) = bytes.split_first() {
            Scratch::with(usize::from(*first), |run| work(run, rest));
        }
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
    Scratch::with(0, |run| {
        let path = run.path().join("agent");
        let _ = fs::remove_file(&path);
        fs::write(&path, bytes).unwrap();
        let Ok(info) = read_info(&path) else { return };
        let Ok(rules) = info.game.parse::<GameSpec>() else { return };
        let _ = info.describe();
        let engine = afterstate_engine::open(&rules);
        let Ok(agent) = engine.load(&Agent::File(path)) else { return };
        let mut session = engine.session(1, None).unwrap();
        let _ = session.play_by(&agent, &Search::GREEDY, 3);
    });
}

/// The first byte selects the recipe, the rest is the checkpoint.
pub(crate) fn checkpoints(bytes: &[u8]) {
    Scratch::with_selected(bytes, |run, bytes| {
        let _ = fs::remove_file(run.checkpoint());
        fs::write(run.checkpoint(), bytes).unwrap();
        let _ = (run.position(), run.finished(), run.has_weights());
        // Resumed and stopped at once: what is accepted is written again.
        let engine = afterstate_engine::open(&run.recipe().rules);
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
    Scratch::with_selected(bytes, |run, bytes| {
        let _ = fs::remove_file(run.checkpoint());
        fs::write(run.path().join("metrics.jsonl"), bytes).unwrap();
        let windows = run.metrics().unwrap();
        assert!(windows.len() <= bytes.len());
        let _ = run.overview().unwrap();
    });
}

pub(crate) fn packed_runs(bytes: &[u8]) {
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
