//! The built-in recipes.

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
    "2048-small",
    "2048-3x3",
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
    "1010",
    "1010-record",
    "1010-record-without-3x3",
    "1010-lspi",
);

/// The description of a recipe: the comment at the top of its text.
pub fn about(text: &str) -> String {
    let comment = text.lines().take_while(|line| line.starts_with('#'));
    comment.map(|line| line.trim_start_matches('#').trim()).collect::<Vec<_>>().join(" ")
}
