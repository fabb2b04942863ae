//! Tetris against its laws, on drawn boards, and against the published tables of the CS3243
//! skeleton.

mod input;
pub(super) mod reference;
mod settle;

use afterstate_core::{Game, Step, Symmetry, Text, laws};

use super::{Board, Overflow, Placement, Setup, State, Tetris, melax_pieces};
use crate::pieces::parse_pieces;

/// The rules of the comparisons below.
pub(super) fn variants() -> Vec<Setup> {
    let custom = parse_pieces("U:#.#/###*2+V:#../#../###+gap:#.#+dot:#*3+bar:#####").unwrap();
    vec![
        Setup::sized(10, 20),
        Setup::sized(4, 5),
        Setup::sized(16, 32),
        Setup { overflow: Overflow::ClearFirst, ..Setup::sized(6, 5) },
        Setup { overflow: Overflow::ClearFirst, ..Setup::sized(5, 32) },
        Setup { preview: true, ..Setup::sized(7, 6) },
        Setup { pieces: melax_pieces(), ..Setup::sized(4, 20) },
        Setup { pieces: custom.clone(), ..Setup::sized(6, 8) },
        Setup { pieces: custom, overflow: Overflow::Push, preview: true, ..Setup::sized(5, 3) },
        Setup { overflow: Overflow::Push, ..Setup::sized(4, 32) },
        Setup::melax(),
    ]
}

#[test]
fn laws_of_the_standard_game() {
    crate::laws::check(&Tetris::standard(), 1, 10_000);
}

#[test]
fn laws_of_every_variant() {
    for setup in variants() {
        crate::laws::check(&Tetris::new(setup).unwrap(), 2, 3_000);
    }
}

#[test]
fn laws_of_the_whole_index() {
    assert_eq!(laws::check_whole_index(&Tetris::new(Setup::melax()).unwrap()), 63 * 63);
    let small = Setup { pieces: melax_pieces(), ..Setup::sized(4, 4) };
    assert_eq!(laws::check_whole_index(&Tetris::new(small).unwrap()), 15u64.pow(4));
}

#[test]
fn only_sets_closed_under_reflection_have_a_mirror() {
    let symmetries = |pieces: &str| {
        let pieces = parse_pieces(pieces).unwrap();
        Tetris::new(Setup { pieces, ..Setup::sized(6, 8) }).unwrap().symmetries()
    };
    assert_eq!(Tetris::standard().symmetries(), 2);
    assert_eq!(symmetries("S:.##/##."), 1, "no Z");
    assert_eq!(symmetries("S:.##/##.+Z:##./.##"), 2);
    assert_eq!(symmetries("S:.##/##.*2+Z:##./.##"), 1, "Z is rarer than S");
}

/// The skeleton's tables: width, height, bottom and top of every orientation, order O I L J T S Z.
#[test]
fn orientations_are_the_skeletons() {
    type Row = (&'static [usize], &'static [usize]);
    let tables: [&[Row]; 7] = [
        &[(&[0, 0], &[2, 2])],
        &[(&[0], &[4]), (&[0, 0, 0, 0], &[1, 1, 1, 1])],
        &[
            (&[0, 0], &[3, 1]),
            (&[0, 1, 1], &[2, 2, 2]),
            (&[2, 0], &[3, 3]),
            (&[0, 0, 0], &[1, 1, 2]),
        ],
        &[
            (&[0, 0], &[1, 3]),
            (&[0, 0, 0], &[2, 1, 1]),
            (&[0, 2], &[3, 3]),
            (&[1, 1, 0], &[2, 2, 2]),
        ],
        &[
            (&[0, 1], &[3, 2]),
            (&[1, 0, 1], &[2, 2, 2]),
            (&[1, 0], &[2, 3]),
            (&[0, 0, 0], &[1, 2, 1]),
        ],
        &[(&[0, 0, 1], &[1, 2, 2]), (&[1, 0], &[3, 2])],
        &[(&[1, 0, 0], &[2, 2, 1]), (&[0, 1], &[2, 3])],
    ];
    let game = Tetris::standard();
    for (piece, table) in tables.iter().enumerate() {
        let orientations = &game.form(piece as u8).orientations;
        assert_eq!(orientations.len(), table.len(), "orientations of piece {piece}");
        for (orientation, (bottoms, tops)) in orientations.iter().zip(*table) {
            assert_eq!(&orientation.bottoms[..orientation.width], *bottoms);
            let top = |cells: &u32| (32 - cells.leading_zeros()) as usize;
            let reached: Vec<usize> =
                orientation.columns[..orientation.width].iter().map(top).collect();
            assert_eq!(reached, *tops);
            assert_eq!(orientation.height, *tops.iter().max().unwrap());
        }
    }
}

#[test]
fn placements_on_an_empty_ten_wide_well() {
    let game = Tetris::standard();
    let state = |piece| State { board: Board::default(), piece, next: None };
    let counts: Vec<usize> = (0..7).map(|piece| game.count_moves(&state(piece))).collect();
    assert_eq!(counts, [9, 17, 34, 34, 34, 17, 17]);
    assert_eq!(counts.iter().sum::<usize>(), 162);
}

#[test]
fn a_drop_clears_every_full_row() {
    let game = Tetris::new(Setup::sized(4, 6)).unwrap();
    let state = game.parse_state("I|##..|###.|##..|###.|###.").unwrap();
    let Step { after, reward } =
        game.play(&state, Placement { orientation: 0, column: 3 }).unwrap();
    assert_eq!(reward, 3.0);
    let left = game.parse_after("-|##..|##.#").unwrap();
    assert_eq!(after, left, "found\n{}", game.after_text(&after));
}

#[test]
fn overflow_is_checked_before_or_after_clearing() {
    let drawn = "I|###.|###.|###.|#.##";
    let drop = Placement { orientation: 0, column: 3 };
    let simplified = Tetris::new(Setup::sized(4, 4)).unwrap();
    let state = simplified.parse_state(drawn).unwrap();
    assert!(simplified.play(&state, drop).is_err(), "rests on the last column, reaches row 5 of 4");
    let lenient = Setup { overflow: Overflow::ClearFirst, ..Setup::sized(4, 4) };
    let Step { after, reward } = Tetris::new(lenient).unwrap().play(&state, drop).unwrap();
    assert_eq!(
        (reward, after.board.height()),
        (3.0, 2),
        "three rows clear, one cell is left above"
    );
}

#[test]
fn melax_rows_are_pushed_out_at_the_bottom() {
    let game = Tetris::new(Setup::melax()).unwrap();
    let state = game.parse_state("square|#.....|##....").unwrap();
    let Step { after, reward } =
        game.play(&state, Placement { orientation: 0, column: 0 }).unwrap();
    assert_eq!(reward, -2.0);
    assert_eq!(after, game.parse_after("-|##....|##....").unwrap());
    let state = game.parse_state("domino|......|##.###").unwrap();
    let Step { after, reward } =
        game.play(&state, Placement { orientation: 1, column: 2 }).unwrap();
    assert_eq!((reward, after), (0.0, game.parse_after("-|..#...").unwrap()));
}
