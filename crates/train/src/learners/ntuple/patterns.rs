//! Patterns: the tuples of a network as recipes write them.

use afterstate_games::{Cells, Tuples, TuplesError};
use serde::{Deserialize, Serialize};

/// A tuple, or a name for several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected the cells of a tuple, such as \"0145\" or [0, 1, 4, 5], or the name of tuples"
)]
#[non_exhaustive]
pub enum Pattern {
    /// The cells of one tuple.
    Cells(Vec<usize>),
    /// The cells as digits (`012456`, hexadecimal), a named set (`4x6`) or `rectangles WxH`.
    Word(String),
}

/// Published sets for the 4x4 board of 2048, with their sources.
pub const NAMED: &[(&str, &[&str], &str)] = &[
    ("4x6", &["012345", "456789", "012456", "45689a"], "Yeh et al. 2016"),
    ("5x6", &["012345", "456789", "89abcd", "012456", "45689a"], "Jaśkowski 2017, \"42-33\""),
    (
        "8x6",
        &["012456", "456789", "012345", "234569", "01259a", "345678", "134567", "01489a"],
        "Matsuzaki 2016",
    ),
    ("2x7", &["0123456", "456789a"], "Guei et al. 2021"),
    ("3x7", &["0123456", "456789a", "89abcde"], "Guei et al. 2021"),
    (
        "8x7",
        &["0124569", "456789a", "0123456", "234569a", "012569a", "3456789", "0134567", "014589a"],
        "the 6-tuples of 8x6, each with one more cell",
    ),
    (
        "mixed",
        &["012345", "456789", "012456", "45689a", "01567", "459ab", "0123", "4567"],
        "Chen 2022, four kinds of tuples",
    ),
    ("lines", &["0123", "4567"], "Szubert & Jaśkowski 2014, straight lines"),
    (
        "lines-rectangles",
        &["0123", "4567", "012456", "45689a"],
        "Szubert & Jaśkowski 2014, straight lines and rectangles",
    ),
];

/// Invalid patterns.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// The word is unknown.
    #[error(
        "unknown tuples {0:?}: write cells as digits, rectangles WxH, or one of {known}",
        known = names()
    )]
    Unknown(String),
    /// The rectangle is larger than the board.
    #[error("{0:?} does not fit on the board")]
    TooLarge(String),
    /// The cells are invalid.
    #[error(transparent)]
    Tuples(#[from] TuplesError),
}

fn names() -> String {
    NAMED.iter().map(|set| set.0).collect::<Vec<_>>().join(", ")
}

/// The tuples of some patterns on the board of a game.
pub fn tuples<G: Cells>(game: &G, patterns: &[Pattern]) -> Result<Tuples, PatternError> {
    let mut all = Vec::new();
    for pattern in patterns {
        match pattern {
            Pattern::Cells(cells) => all.push(cells.clone()),
            Pattern::Word(word) => all.extend(named_tuples(game, word)?),
        }
    }
    Ok(Tuples::new(game, &all)?)
}

fn named_tuples<G: Cells>(game: &G, word: &str) -> Result<Vec<Vec<usize>>, PatternError> {
    if let Some((_, set, _)) = NAMED.iter().find(|set| set.0 == word) {
        return Ok(set.iter().filter_map(|digits| hexadecimal(digits)).collect());
    }
    if let Some(size) = word.strip_prefix("rectangles ") {
        let sides =
            size.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
        let (width, height) = sides.ok_or_else(|| PatternError::Unknown(word.to_owned()))?;
        return rectangles(game, width, height)
            .ok_or_else(|| PatternError::TooLarge(word.to_owned()));
    }
    let cells =
        hexadecimal(word).ok_or_else(|| PatternError::Unknown(word.chars().take(40).collect()))?;
    Ok(vec![cells])
}

fn hexadecimal(digits: &str) -> Option<Vec<usize>> {
    let cells = digits.chars().map(|digit| digit.to_digit(16).map(|cell| cell as usize));
    cells.collect::<Option<Vec<_>>>().filter(|cells| !cells.is_empty())
}

/// Every rectangle of a size, one of all its symmetric images.
fn rectangles<G: Cells>(game: &G, width: usize, height: usize) -> Option<Vec<Vec<usize>>> {
    let columns = game.cell_columns();
    let rows = game.cell_count() / columns;
    if width == 0 || height == 0 || width > columns || height > rows {
        return None;
    }
    let mut found: Vec<Vec<usize>> = Vec::new();
    let mut images: Vec<Vec<usize>> = Vec::new();
    for top in 0..=rows - height {
        for left in 0..=columns - width {
            let row = |r| (0..width).map(move |c| (top + r) * columns + left + c);
            let cells: Vec<usize> = (0..height).flat_map(row).collect();
            if images.contains(&cells) {
                continue;
            }
            for k in 0..game.symmetries() {
                let mut image: Vec<usize> =
                    cells.iter().map(|&c| game.apply_symmetry_to_cell(k, c)).collect();
                image.sort_unstable();
                images.push(image);
            }
            found.push(cells);
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use afterstate_games::tenten::{Scoring, TenTen, sets};
    use afterstate_games::twenty48::Twenty48;

    use super::*;

    fn word(text: &str) -> Pattern {
        Pattern::Word(text.to_owned())
    }

    #[test]
    fn named_sets_have_the_published_sizes() {
        let game = Twenty48::standard();
        for (name, count, weights) in [
            ("4x6", 4, 4 << 24),
            ("5x6", 5, 5 << 24),
            ("8x6", 8, 8 << 24),
            ("2x7", 2, 2 << 28),
            ("8x7", 8, 8 << 28),
            ("lines-rectangles", 4, (2 << 24) + (2 << 16)),
        ] {
            let tuples = tuples(&game, &[word(name)]).unwrap();
            assert_eq!((tuples.cells().len(), tuples.weights()), (count, weights), "{name}");
            assert_eq!(tuples.active_features(), 8 * count);
        }
        for set in NAMED {
            let tuples = tuples(&game, &[word(set.0)]).unwrap();
            // Images of one tuple would share all their features.
            let different: HashSet<_> = tuples.cells().iter().collect();
            assert_eq!(different.len(), tuples.cells().len(), "{}", set.0);
        }
    }

    #[test]
    fn symmetric_rectangles_are_counted_once() {
        let game = Twenty48::standard();
        // The 2x2 squares of a 4x4 board: in a corner, at an edge, in the middle.
        assert_eq!(tuples(&game, &[word("rectangles 2x2")]).unwrap().cells().len(), 3);
        let board = TenTen::new(10, 10, sets::named("19").unwrap(), 1, Scoring::Real).unwrap();
        assert_eq!(tuples(&board, &[word("rectangles 10x1")]).unwrap().cells().len(), 5);
    }

    #[test]
    fn errors_of_patterns_name_the_cause() {
        let game = Twenty48::new(3, 3, 0.1).unwrap();
        let error = |pattern: Pattern| tuples(&game, &[pattern]).err().unwrap().to_string();
        assert_eq!(
            error(word("hello")),
            "unknown tuples \"hello\": write cells as digits, rectangles WxH, or one of 4x6, 5x6, \
             8x6, 2x7, 3x7, 8x7, mixed, lines, lines-rectangles"
        );
        assert_eq!(error(word("rectangles 4x1")), "\"rectangles 4x1\" does not fit on the board");
        assert_eq!(
            error(word("019")),
            "tuple [0, 1, 9]: invalid cell 9: expected cells from 0 to 8, each once"
        );
        assert_eq!(
            error(Pattern::Cells(vec![2, 2])),
            "tuple [2, 2]: invalid cell 2: expected cells from 0 to 8, each once"
        );
        assert!(tuples(&game, &[Pattern::Cells((0..9).collect())]).is_ok(), "11^9 is few enough");
        let large = tuples(&Twenty48::standard(), &[Pattern::Cells((0..9).collect())]);
        assert_eq!(
            large.unwrap_err().to_string(),
            "the tuples have 68719476736 weights: a network has at most 4294967296"
        );
    }
}
