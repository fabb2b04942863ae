//! What a target would make anew for every input: kept by each thread.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use afterstate_engine::Engine;
use afterstate_games::spec::GameSpec;
use afterstate_train::recipe::RecipeTables;

use super::RULES;

/// Engines of a thread; with more, all are dropped.
const MAX_ENGINES: usize = 200;

/// The engine of some rules.
pub(crate) fn engine_of(rules: &GameSpec) -> Rc<dyn Engine> {
    thread_local!(static ENGINES: RefCell<HashMap<String, Rc<dyn Engine>>> = RefCell::default());
    ENGINES.with_borrow_mut(|engines| {
        if engines.len() >= MAX_ENGINES {
            engines.clear();
        }
        let engine = engines.entry(rules.to_string());
        Rc::clone(engine.or_insert_with(|| Rc::from(afterstate_engine::open(rules))))
    })
}

/// The engine of one of [`RULES`].
pub(crate) fn engine_of_number(number: u8) -> Rc<dyn Engine> {
    let open = |rules: &str| Rc::from(afterstate_engine::open(&rules.parse().unwrap()));
    thread_local!(static ENGINES: RefCell<Vec<Rc<dyn Engine>>> = const { RefCell::new(Vec::new()) });
    ENGINES.with_borrow_mut(|engines| {
        if engines.is_empty() {
            engines.extend(RULES.map(open));
        }
        Rc::clone(&engines[usize::from(number) % RULES.len()])
    })
}

/// The tables of a recipe in the program.
pub(crate) fn tables_of(recipe: &'static str) -> RecipeTables {
    thread_local!(static TABLES: RefCell<HashMap<*const u8, RecipeTables>> = RefCell::default());
    TABLES.with_borrow_mut(|tables| {
        let tables = tables.entry(recipe.as_ptr());
        tables.or_insert_with(|| RecipeTables::parse(recipe).unwrap()).clone()
    })
}
