//! Features on drawn boards counted by hand, and against their reference implementation.

use afterstate_core::features::{MAX_FEATURES, reference_best};
use afterstate_core::{Features, Game, Rng, Text};

use super::super::reference::{Grid, orientations};
use super::super::tests::reference::{grid, random_board};
use super::super::tests::variants;
use super::super::{Board, Placement, Setup, State, Tetris};
use super::SETS;
use super::reference::Drop;
use crate::spec::Spec;

fn described(game: &Tetris, set: &str, state: &str, mv: &str) -> Vec<(String, f32)> {
    let state = game.parse_state(state).unwrap();
    let mv = game.parse_move(&state, mv).unwrap();
    let step = game.play(&state, mv).unwrap();
    let features = game.features(set).unwrap();
    let mut out = vec![f32::NAN; features.names().len()];
    features.describe(game, &state, &(mv, step), &mut out);
    features.names().into_iter().zip(out).collect()
}

fn values(game: &Tetris, set: &str, state: &str, mv: &str) -> Vec<f32> {
    described(game, set, state, mv).into_iter().map(|(_, value)| value).collect()
}

/// A well of 6x6. The S at the left edge leaves this, by row from the top:
///
/// ```text
/// . . . . . .
/// . . . . . .
/// . S S . . .
/// S S . . . #
/// # # . # . #
/// # . . # . #
/// ```
const S_ON_SIX: &str = "S|.....#|##.#.#|#..#.#";

#[test]
fn bertsekas_by_hand() {
    let game = Tetris::new(Setup::sized(6, 6)).unwrap();
    let heights = [3.0, 4.0, 4.0, 2.0, 0.0, 3.0];
    let differences = [1.0, 0.0, 2.0, 2.0, 3.0];
    // Holes: one in column 2, three in column 3.
    let expected = [&[1.0][..], &heights, &differences, &[4.0, 4.0]].concat();
    assert_eq!(values(&game, "bertsekas", S_ON_SIX, "a1"), expected);
    let names: Vec<String> =
        described(&game, "bertsekas", S_ON_SIX, "a1").into_iter().map(|pair| pair.0).collect();
    assert_eq!(names[..2], ["constant", "height 1"]);
    assert_eq!(names[6..9], ["height 6", "difference 1", "difference 2"]);
    assert_eq!(names[12..], ["largest height", "holes"]);
}

#[test]
fn marchals_features_by_hand() {
    let game = Tetris::new(Setup::sized(6, 6)).unwrap();
    // The heights sum to 16; the highest is 4 and the lowest 0; the holes form one group; above the
    // lowest hole are three cells in column 2 and one in column 3.
    let found = values(&game, "cs3243", S_ON_SIX, "a1");
    assert_eq!(found[14..], [16.0, 4.0, 1.0, 4.0]);
    // Another row below, and a cell between the holes of column 3: three groups, and that column
    // counts two.
    let found = values(&game, "cs3243", "S|.....#|##.#.#|#.##.#|##.#.#", "a1");
    assert_eq!(found[14..], [21.0, 5.0, 3.0, 3.0 + 2.0]);
}

#[test]
fn dt_by_hand() {
    let game = Tetris::new(Setup::sized(6, 6)).unwrap();
    let expected = [
        // Rows 2 and 3 above the floor: the middle is 2.5.
        2.5,
        0.0,
        // From the floor: |#..#.#| 4, |##.#.#| 4, |##...#| 2, |.##...| 4, and two empty rows.
        18.0,
        // Columns: 1, 3, 3 (empty floor, then full, then empty), 1, 1 (floor to empty), 1.
        10.0,
        4.0,
        // Column 5: the lowest two cells are well cells, 1 + 2. Column 3: the cell of row 1 is one
        // and counts 2 down. Column 1: the cell above the S, beside the wall, counts 1.
        3.0 + 2.0 + 1.0,
        // Three cells above the lowest gap of column 2, one in column 3.
        4.0,
        // Rows 0, 1 and 2.
        3.0,
        // Steps 1, 0, -2, -2, 3.
        3.0,
    ];
    assert_eq!(values(&game, "dt6", S_ON_SIX, "a1"), expected);
    // From the top of the run in column 3: row 1 counts 1 and row 0 counts 2.
    let mut from_top = expected;
    from_top[5] = 3.0 + 3.0 + 1.0;
    assert_eq!(values(&game, "dt", S_ON_SIX, "a1"), from_top);
    assert_eq!(values(&game, "dellacherie", S_ON_SIX, "a1"), expected[..6]);
}

#[test]
fn eroded_cells_by_hand() {
    let game = Tetris::new(Setup::sized(6, 6)).unwrap();
    // The I upright in column 1 clears two rows, each with one of its cells; rows 0 to 3.
    let found = values(&game, "dt", "I|..####|.#####|.#####", "a1");
    assert_eq!(found[..2], [1.5, 4.0]);
    // Flat on the floor: one row, four cells; the board is empty after it.
    let found = values(&game, "dt", "I|....##", "a2");
    assert_eq!(found, [0.0, 4.0, 12.0, 6.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
}

/// Compares all moves of a board; returns their number.
fn compare(game: &Tetris, board: &Board, sets: &[(&str, Box<dyn Features<Tetris>>)]) -> usize {
    let before = grid(game, board);
    let mut compared = 0;
    for (piece, shape) in game.setup().pieces.iter().enumerate() {
        let shapes = orientations(&shape.shape);
        let next = game.setup().preview.then_some(0);
        let state = State { board: *board, piece: piece as u8, next };
        game.for_each_move(&state, |mv, step| {
            let Placement { orientation, column } = mv;
            let after: Grid = grid(game, &step.after.board);
            let (shape, left) = (&shapes[usize::from(orientation)], usize::from(column));
            let drop = Drop { setup: game.setup(), before: &before, shape, left, after: &after };
            for (name, features) in sets {
                let mut out = [f32::NAN; MAX_FEATURES];
                let out = &mut out[..features.names().len()];
                features.describe(game, &state, &(mv, step), out);
                let found: Vec<f64> = out.iter().map(|&value| f64::from(value)).collect();
                let expected = drop.describe(name);
                assert_eq!(found, expected, "{name}, {}", game.state_text(&state));
            }
            compared += 1;
        });
    }
    compared
}

#[test]
fn every_feature_equals_the_reference() {
    let mut rng = Rng::stream(21, 0);
    let games: Vec<Tetris> = variants().into_iter().map(|s| Tetris::new(s).unwrap()).collect();
    let mut compared = 0;
    while compared < 20_000 {
        for game in &games {
            let sets = SETS.iter().map(|&(name, _)| (name, game.features(name).unwrap()));
            let sets: Vec<_> = sets.collect();
            compared += compare(game, &random_board(game, &mut rng), &sets);
        }
    }
}

#[test]
fn every_board_of_a_small_well() {
    let game = Tetris::new(Setup { height: 4, ..Setup::sized(4, 4) }).unwrap();
    let sets: Vec<_> = SETS.iter().map(|&(name, _)| (name, game.features(name).unwrap())).collect();
    let mut boards = 0;
    for bits in (0..1u32 << 16).step_by(13) {
        let mut board = Board::default();
        for (column, cells) in board.columns[..4].iter_mut().enumerate() {
            *cells = bits >> (4 * column) & 15;
        }
        if game.well.full_rows(&board) == 0 {
            compare(&game, &board, &sets);
            boards += 1;
        }
    }
    assert!(boards > 3_000, "{boards}");
}

#[test]
fn every_feature_has_a_name() {
    for width in [4, 10, 16] {
        let game = Tetris::new(Setup::sized(width, 20)).unwrap();
        for (set, expected) in [
            ("dt", 9),
            ("dt6", 9),
            ("dellacherie", 6),
            ("bertsekas", 2 * width + 2),
            ("cs3243", 2 * width + 6),
        ] {
            let names = game.features(set).unwrap().names();
            assert_eq!(names.len(), expected);
            assert!(names.iter().enumerate().all(|(i, name)| !names[..i].contains(name)));
        }
        assert!(game.features("none").is_none());
    }
}

/// `best` has the argmax and the value of `reference_best`, with ties to the first move.
#[test]
fn the_best_move_is_that_of_the_reference() {
    let mut rng = Rng::stream(22, 0);
    for setup in variants() {
        let game = Tetris::new(setup).unwrap();
        for (name, _) in SETS {
            let features = game.features(name).unwrap();
            for _ in 0..20 {
                let board = random_board(&game, &mut rng);
                let mut state = State { board, ..game.start(&mut rng) };
                let weights: Vec<f32> =
                    features.names().iter().map(|_| (rng.unit() - 0.7) as f32).collect();
                // Continues the game, because rows clear more often in play.
                for _ in 0..100 {
                    let found = features.best(&game, &state, 1.0, &weights);
                    let expected = reference_best(&*features, &game, &state, 1.0, &weights);
                    assert_eq!(found, expected, "{name} {state:?}");
                    assert_eq!(found.map(|f| f.1.to_bits()), expected.map(|e| e.1.to_bits()));
                    let until = |enough| features.best_until(&game, &state, 1.0, &weights, enough);
                    let value = expected.map(|e| e.1);
                    assert_eq!(until(f32::INFINITY), value, "{name} {state:?}");
                    // A bound that some move reaches: the value of one that does.
                    if let Some(value) = value {
                        let enough = value - 1.0;
                        let reached = until(enough).unwrap();
                        assert!(enough <= reached && reached <= value, "{name} {state:?}");
                    }
                    let Some(((_, step), _)) = found else { break };
                    state = game.sample(&step.after, &mut rng);
                }
            }
        }
    }
}
