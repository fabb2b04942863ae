//! The built-in recipes, and recipes by name.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::run::MAX_RECIPE_BYTES;

/// Names of recipes, each with the text of its file.
macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../recipes/", $name, ".toml")))),*]
    };
}

/// Every recipe: its name and its text.
pub const BUILT_IN: &[(&str, &str)] = &built_in!(
    "2048",
    "2048-td",
    "2048-states",
    "2048-optimistic",
    "2048-cuda",
    "2048-record",
    "2048-record-stages",
    "2048-small",
    "2048-3x3",
    "2048-neural",
    "2048-neural-cuda",
    "melax",
    "contour4",
    "contour4-sarsa",
    "contour5",
    "contour5-sarsa",
    "contour-ntuple",
    "tetris",
    "tetris-lambda-pi",
    "tetris-annealing",
    "tetris-genetic",
    "tetris-ce",
    "tetris-cmaes",
    "tetris-record",
    "tetris-record-10x10",
    "tetris-cbmpi",
    "tetris-evaluation",
    "tetris-neural",
    "1010",
    "1010-record",
    "1010-record-without-3x3",
    "1010-lspi",
    "1010-neural",
    "1010-neural-cuda",
);

/// A name of a recipe that is neither in the program nor a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeNameError {
    /// There is none.
    #[error(
        "unknown recipe {0:?}: use a TOML file or one of {names}",
        names = BUILT_IN.iter().map(|recipe| recipe.0).collect::<Vec<_>>().join(", ")
    )]
    Unknown(String),
    /// The file cannot be read.
    #[error("cannot read {0}: {1}")]
    Read(String, #[source] io::Error),
}

/// The text of a recipe in the program or in a TOML file, and the name of its runs.
pub fn find(name: &str) -> Result<(String, String), RecipeNameError> {
    if let Some((name, text)) = BUILT_IN.iter().find(|recipe| recipe.0 == name) {
        return Ok(((*name).to_owned(), (*text).to_owned()));
    }
    let path = Path::new(name);
    if !path.is_file() {
        return Err(RecipeNameError::Unknown(name.chars().take(80).collect()));
    }
    let text = read(path).map_err(|error| RecipeNameError::Read(name.to_owned(), error))?;
    let stem = path.file_stem().map_or(name.into(), |stem| stem.to_string_lossy());
    Ok((stem.into_owned(), text))
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let bytes = File::open(path)?.take(MAX_RECIPE_BYTES + 1).read_to_string(&mut text)?;
    if bytes as u64 > MAX_RECIPE_BYTES {
        return Err(io::Error::other("the recipe is larger than 1 MiB"));
    }
    Ok(text)
}

/// The description of a recipe: the comment at the top of its text.
pub fn about(text: &str) -> String {
    let comment = text.lines().take_while(|line| line.starts_with('#'));
    comment.map(|line| line.trim_start_matches('#').trim()).collect::<Vec<_>>().join(" ")
}
