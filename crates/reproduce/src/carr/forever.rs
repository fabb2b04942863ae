//! Can four columns be played for ever? Chance as an adversary in wells that are small enough to be
//! written out.

use afterstate_core::Index;
use afterstate_games::spec::Spec;
use afterstate_games::tetris::Tetris;
use afterstate_learn::solve::Adversary;
use afterstate_values::memory;

use super::{optimum, well};
use crate::experiment::{Experiment, Measured, Measurement, Quantity, Results, published};
use crate::measure::Value;
use crate::verdict::{Figures, Statement};
use crate::{Error, TrainingCache};

const SAFE: Quantity = Quantity::Named("boards that can be played for ever");
const KILLS: Quantity = Quantity::Named("pieces by which an adversary ends every game");
const LONGEST: Quantity = Quantity::Named("the same from the board that lasts longest");
const FIXED: Quantity = Quantity::Named("pieces of a fixed sequence that ends every game");
const EXPECTED: Quantity = Quantity::Decimal("rows of best play, pieces at random");

/// The heights of four columns, by the scale at which they are solved.
const HEIGHTS: [(&str, usize); 7] =
    [("4x2", 2), ("4x3", 3), ("4x4", 4), ("4x5", 5), ("4x6", 6), ("4x7", 7), ("4x8", 8)];

/// Four columns of six rows with some of the five pieces: dot, domino, diagonal, corner, square.
const SETS: [(&str, &[usize]); 9] = [
    ("4x6 without the dot", &[1, 2, 3, 4]),
    ("4x6 without the domino", &[0, 2, 3, 4]),
    ("4x6 without the diagonal", &[0, 1, 3, 4]),
    ("4x6 without the corner", &[0, 1, 2, 4]),
    ("4x6 without the square", &[0, 1, 2, 3]),
    ("4x6, diagonal and square", &[2, 4]),
    ("4x6, dot, diagonal and square", &[0, 2, 4]),
    ("4x6, corner, diagonal and square", &[2, 3, 4]),
    ("4x6, domino, diagonal and square", &[1, 2, 4]),
];

const SQUARES: &str = "5x5, squares only";

pub(crate) const FOREVER: &[Experiment] = &[Experiment {
    name: "carr-forever",
    title: "Can four columns with reduced pieces be played for ever?",
    source: "Carr 2005, section 5.3: a conjecture, decided in low wells",
    published: published![
        HEIGHTS[0].0 => SAFE, KILLS, LONGEST, FIXED, EXPECTED;
        HEIGHTS[1].0 => SAFE, KILLS, LONGEST, FIXED, EXPECTED;
        HEIGHTS[2].0 => SAFE, KILLS, LONGEST, FIXED, EXPECTED;
        HEIGHTS[3].0 => SAFE, KILLS, LONGEST, FIXED, EXPECTED;
        HEIGHTS[4].0 => SAFE, KILLS, LONGEST; HEIGHTS[5].0 => SAFE, KILLS, LONGEST;
        HEIGHTS[6].0 => SAFE, KILLS, LONGEST;
        SETS[0].0 => SAFE, KILLS; SETS[1].0 => SAFE, KILLS; SETS[2].0 => SAFE;
        SETS[3].0 => SAFE, KILLS; SETS[4].0 => SAFE; SETS[5].0 => SAFE;
        SETS[6].0 => SAFE, KILLS; SETS[7].0 => SAFE, KILLS; SETS[8].0 => SAFE;
        SQUARES => SAFE, KILLS;
    ],
    differences: &[
        "The wells of the thesis have twenty rows, which are too many to be written out; a board that \
            can be played for ever in a low well can be in a high one, but not the other way round. What was \
            tried is two to eight rows, where an adversary needs some three pieces more for each row: it does \
            not decide twenty.",
        "An adversary sees the board and selects each piece, a fixed sequence ends every game even if \
            the player knows it; both have a positive probability when pieces are dealt at random, so \
            that every player of these wells loses in the end.",
        "Fixed sequences are found by a beam search and are the shortest where the notes say so; eight rows \
            take 8 GiB of memory and some 17 minutes of one core, and an empty row was not measured.",
    ],
    reasons: &[
        (
            "It is possible that the game using the reduced piece set and having width four could be \
         played indefinitely [in the low wells below]",
            "no board of these wells can be played for ever, whatever the player does",
        ),
        (
            "there are no obvious combinations",
            "an adversary ends every game of two to eight rows with 3 to 17 pieces, and fixed sequences \
             of 3 to 19 do so up to five rows",
        ),
    ],
    statements: &[
        Statement {
            says: "It is possible that the game using the reduced piece set and having width four could \
                be played indefinitely [in the low wells below]",
            holds: |figures| Some(safe_boards(figures)? > 0.0),
        },
        Statement {
            says: "there are no obvious combinations of tetrominoes that would be terminal in the well \
                of width four [in the low wells below]",
            holds: |figures| {
                Some(HEIGHTS.iter().all(|(case, _)| figures.of(case, KILLS).is_none()))
            },
        },
        Statement {
            says: "a long sequence of square tetrominoes in the well of width five would completely \
                overwhelm the agent",
            holds: |figures| Some(figures.of(SQUARES, SAFE)? == 0.0),
        },
    ],
    minutes: 25,
    rules: "tetris:4x8,pieces=melax",
    measure,
    ..Experiment::NONE
}];

/// The safe boards of all heights that were measured.
fn safe_boards(figures: &Figures) -> Option<f64> {
    HEIGHTS.iter().filter_map(|(case, _)| figures.of(case, SAFE)).reduce(|all, one| all + one)
}

/// A well with some of Melax's pieces.
fn well_of(width: usize, height: usize, pieces: &[usize]) -> Result<Tetris, Error> {
    let all = ["dot:#", "domino:##", "diagonal:.#/#.", "corner:#./##", "square:##/##"];
    let drawn: Vec<&str> = pieces.iter().filter_map(|&piece| all.get(piece).copied()).collect();
    well(&format!("tetris:{width}x{height},pieces={}", drawn.join("+")))
}

pub(super) fn count(number: impl Into<f64>) -> Value {
    Value::exact(number.into())
}

fn measure(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let highest = cache.scale.pick([8, 5, 8]);
    // Value iteration takes far longer than the adversary.
    let (highest_expected, height_of_sets) = cache.scale.pick([(5, 3), (4, 5), (5, 6)]);
    // For tests, all wells are as low as the lowest.
    let rows = cache.scale.pick([3, usize::MAX, usize::MAX]);
    let (mut measured, mut notes) = (Vec::new(), Vec::new());
    for (case, height) in HEIGHTS.into_iter().filter(|&(_, height)| height <= highest) {
        cache.observer.begin(case)?;
        cache.check_stopped()?;
        let game = well_of(4, height.min(rows), &[0, 1, 2, 3, 4])?;
        // Two bytes per board: 8 GiB for eight rows.
        let needed = game.index_len().map_or(u64::MAX, |boards| boards.saturating_mul(2));
        if let Some(free) = memory::free().filter(|&free| free < needed) {
            let (needed, free) = (memory::show(needed), memory::show(free));
            notes.push(format!(
                "{case} was left out: it needs {needed} of memory, {free} are free."
            ));
            continue;
        }
        let solved = solve(&game)?;
        measured.extend(figures(case, &solved));
        if solved.safe == 0 {
            measured.push(Measurement::training(case, LONGEST, count(solved.longest)));
        }
        let sequence = (height <= 5).then(|| game.after_at(0)).flatten();
        // Wide enough to keep every sequence of the lower wells, which makes the found one shortest.
        let width = if height <= 4 { cache.scale.pick([100, 20_000, 20_000]) } else { 1_000 };
        let sequence = sequence.and_then(|empty| solved.fatal_sequence(&empty, 40, width));
        if let Some(sequence) = sequence {
            let length = count(sequence.outcomes.len() as u32);
            measured.push(Measurement::training(case, FIXED, length));
            let names =
                sequence.outcomes.iter().map(|&piece| game.setup().pieces[piece].name.as_str());
            let names: Vec<&str> = names.collect();
            let which = if sequence.shortest { "the shortest fixed" } else { "a fixed" };
            notes.push(format!(
                "{case}: {which} sequence that ends every game is {}.",
                names.join(", ")
            ));
        }
        if height <= highest_expected {
            let rows = Value::exact(optimum(&game, None)?);
            measured.push(Measurement::training(case, EXPECTED, rows));
        }
    }
    for (case, pieces) in SETS {
        cache.observer.begin(case)?;
        cache.check_stopped()?;
        measured.extend(figures(case, &solve(&well_of(4, height_of_sets, pieces)?)?));
    }
    let height = cache.scale.pick([3, 4, 5]);
    measured.extend(figures(SQUARES, &solve(&well_of(5, height, &[4])?)?));
    notes.extend(cache.scale.note("lower wells, and sets of pieces in five rows instead of six."));
    Ok(Results { rows: experiment.rows(&measured), notes, ..Results::default() })
}

pub(super) fn solve(game: &Tetris) -> Result<Adversary<'_, Tetris>, Error> {
    Adversary::new(game).ok_or_else(|| Error::NotEnumerable(game.spec()))
}

/// The safe boards, and what an adversary needs from the empty well.
fn figures(case: &'static str, solved: &Adversary<Tetris>) -> Vec<Measurement> {
    let mut figures = vec![Measurement::training(case, SAFE, count(solved.safe as f64))];
    let kills = solved.needed_at_start();
    figures.extend(kills.map(|kills| Measurement::training(case, KILLS, count(kills))));
    figures
}
