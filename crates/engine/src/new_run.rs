//! A new run: a recipe that can be trained on this machine, in a folder of its own.

use std::path::Path;

use afterstate_core::Device;
use afterstate_train::recipe::Recipe;
use afterstate_train::run::{Folder, RUNS, RunError};

use crate::open;

/// Creates the run of a recipe in a folder, or in the next one of its name below `runs`.
pub fn new_run(
    recipe: Recipe,
    name: &str,
    device: Device,
    folder: Option<&Path>,
) -> Result<Folder, RunError> {
    open(&recipe.rules).check(&recipe, device)?;
    match folder {
        Some(path) => Folder::create(path, recipe),
        None => Folder::create_next(Path::new(RUNS), name, recipe),
    }
}
