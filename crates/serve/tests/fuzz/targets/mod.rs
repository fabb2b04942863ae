//! One function for each reader of bytes from outside. Whatever the bytes are, it returns; what it
//! accepts, it accepts again after it was written out. `cargo xtask fuzz` and the targets in `fuzz/`
//! call the same functions.

mod engines;
mod requests;
mod runs;
#[path = "../../start/mod.rs"]
mod start;

use std::rc::Rc;

use afterstate_agents::Agent;
use afterstate_core::Device;
use afterstate_engine::{Engine, cs3243};
use afterstate_games::pieces::{parse_pieces, pieces_text};
use afterstate_games::spec::GameSpec;
use afterstate_search::Search;
use afterstate_session::Replay;
use afterstate_train::recipe::{Recipe, RecipeError, RequestedRecipe};
use afterstate_train::recipes::BUILT_IN;

use engines::{engine_of, engine_of_number, tables_of};
pub(crate) use requests::{PATHS, requests};
pub(crate) use runs::{Unobserved, agents, checkpoints, metrics, packed_runs};

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

/// Whether an input takes a slow route, such as that by way of files: one in `many` does, always the same.
fn is_one_in(many: u64, bytes: &[u8]) -> bool {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 8).is_multiple_of(many)
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// The engine of the rules that the first byte selects, and the rest as text.
fn engine_and_text(bytes: &[u8]) -> Option<(Rc<dyn Engine>, &str)> {
    let (first, rest) = bytes.split_first()?;
    Some((engine_of_number(*first), text(rest)?))
}

pub(crate) fn rules(bytes: &[u8]) {
    let Some(Ok(rules)) = text(bytes).map(str::parse::<GameSpec>) else { return };
    let written = rules.to_string();
    assert_eq!(written.parse::<GameSpec>().unwrap().to_string(), written);
}

pub(crate) fn boards(bytes: &[u8]) {
    let Some((engine, text)) = engine_and_text(bytes) else { return };
    let _ = engine.drawing(text);
    let Ok(session) = engine.session(1, Some(text)) else { return };
    let state = session.view().state;
    assert_eq!(engine.session(1, Some(&state)).unwrap().view().state, state);
}

pub(crate) fn moves(bytes: &[u8]) {
    let Some((engine, text)) = engine_and_text(bytes) else { return };
    let mut session = engine.session(1, None).unwrap();
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
    Some(tables_of(recipe_with_tables_of(&settings, *first)).with(&settings))
}

pub(crate) fn settings(bytes: &[u8]) {
    let Some(Ok(recipe)) = recipe_with(bytes) else { return };
    let written = recipe.text().unwrap();
    assert_eq!(Recipe::parse(&written, &[]).unwrap().text().unwrap(), written);
    // As the server does: files are refused by their names.
    if let Ok(requested) = RequestedRecipe::parse(&written, &[]) {
        let (recipe, engine) = (requested.recipe(), engine_of(&recipe.rules));
        let _ = (engine.check(recipe, Device::Cpu), engine.needs(recipe));
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
        let session =
            |rules: &GameSpec, seed, board: Option<&str>| engine_of(rules).session(seed, board);
        let _ = replay.verify(session);
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
