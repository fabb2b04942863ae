//! The built-in recipes.

/// Every recipe: its name and its text.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("2048", include_str!("../../../recipes/2048.toml")),
    ("2048-td", include_str!("../../../recipes/2048-td.toml")),
    ("2048-optimistic", include_str!("../../../recipes/2048-optimistic.toml")),
    ("2048-small", include_str!("../../../recipes/2048-small.toml")),
    ("2048-3x3", include_str!("../../../recipes/2048-3x3.toml")),
    ("melax", include_str!("../../../recipes/melax.toml")),
    ("contour4", include_str!("../../../recipes/contour4.toml")),
    ("contour4-sarsa", include_str!("../../../recipes/contour4-sarsa.toml")),
    ("contour5", include_str!("../../../recipes/contour5.toml")),
    ("contour5-sarsa", include_str!("../../../recipes/contour5-sarsa.toml")),
    ("contour-ntuple", include_str!("../../../recipes/contour-ntuple.toml")),
    ("tetris", include_str!("../../../recipes/tetris.toml")),
    ("tetris-lambda-pi", include_str!("../../../recipes/tetris-lambda-pi.toml")),
    ("tetris-annealing", include_str!("../../../recipes/tetris-annealing.toml")),
    ("tetris-genetic", include_str!("../../../recipes/tetris-genetic.toml")),
    ("tetris-ce", include_str!("../../../recipes/tetris-ce.toml")),
    ("tetris-cmaes", include_str!("../../../recipes/tetris-cmaes.toml")),
    ("tetris-record", include_str!("../../../recipes/tetris-record.toml")),
    ("tetris-cbmpi", include_str!("../../../recipes/tetris-cbmpi.toml")),
    ("tetris-evaluation", include_str!("../../../recipes/tetris-evaluation.toml")),
    ("1010", include_str!("../../../recipes/1010.toml")),
    ("1010-lspi", include_str!("../../../recipes/1010-lspi.toml")),
];

/// The description of a recipe: the comment at the top of its text.
pub fn about(text: &str) -> String {
    let comment = text.lines().take_while(|line| line.starts_with('#'));
    comment.map(|line| line.trim_start_matches('#').trim()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Recipe;

    #[test]
    fn every_recipe_parses_and_has_a_description() {
        for (name, text) in BUILT_IN {
            Recipe::parse(text, &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!about(text).is_empty(), "{name}");
        }
    }
}
