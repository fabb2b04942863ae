//! Tetris against its laws, its slow twin and the skeleton's published tables.

use afterstate_core::perft::perft;
use afterstate_core::{Game, Rng, Step, Symmetry, Text, laws};

use super::plain::{self, Grid};
use super::{Board, Overflow, Placement, Setup, State, Tetris, melax_pieces};
use crate::pieces::parse_pieces;

/// The variants that every comparison below walks through.
fn variants() -> Vec<Setup> {
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
    laws::check(&Tetris::standard(), 1, 10_000);
}

#[test]
fn laws_of_every_variant() {
    for setup in variants() {
        laws::check(&Tetris::new(setup).unwrap(), 2, 3_000);
    }
}

#[test]
fn laws_of_the_whole_index() {
    assert_eq!(laws::check_whole_index(&Tetris::new(Setup::melax()).unwrap()), 63 * 63);
    let small = Setup { pieces: melax_pieces(), ..Setup::sized(4, 4) };
    assert_eq!(laws::check_whole_index(&Tetris::new(small).unwrap()), 15u64.pow(4));
}

#[test]
fn sets_that_their_mirror_changes_have_no_mirror() {
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
    assert_eq!(after, left, "met\n{}", game.after_text(&after));
}

#[test]
fn the_top_is_judged_before_clearing_unless_asked_otherwise() {
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

fn grid(game: &Tetris, board: &Board) -> Grid {
    let row = |r| (0..game.setup().width).map(|c| board.get(r, c)).collect();
    (0..game.setup().height).map(row).collect()
}

/// A random board up to a random height, without full rows, with more gaps near the top.
fn random_board(game: &Tetris, rng: &mut Rng) -> Board {
    let Setup { width, height, .. } = *game.setup();
    let filled = rng.below(height + 1);
    let mut board = Board::default();
    for row in 0..filled {
        let gap = rng.below(width);
        let density = 2 + rng.below(6);
        for column in (0..width).filter(|&column| column != gap) {
            if rng.below(8) < density {
                board = board.with(row, column);
            }
        }
    }
    board
}

#[test]
fn a_million_placements_settle_like_their_slow_twins() {
    let mut rng = Rng::stream(12, 0);
    let mut compared = 0;
    let games: Vec<Tetris> = variants().into_iter().map(|s| Tetris::new(s).unwrap()).collect();
    while compared < 1_000_000 {
        for game in &games {
            let board = random_board(game, &mut rng);
            let before = grid(game, &board);
            for piece in 0..game.setup().pieces.len() {
                let next = game.setup().preview.then_some(0);
                let mut fast = Vec::new();
                game.for_each_move(&State { board, piece: piece as u8, next }, |mv, step| {
                    let (o, c) = (usize::from(mv.orientation), usize::from(mv.column));
                    fast.push((o, c, grid(game, &step.after.board), step.reward));
                });
                let slow = plain::moves(game.setup(), &before, piece);
                assert_eq!(fast, slow, "piece {piece} on {board:?}");
                compared += fast.len();
            }
        }
    }
}

#[test]
fn perft_agrees_with_the_slow_twin() {
    for setup in variants() {
        let game = Tetris::new(setup).unwrap();
        let mut rng = Rng::stream(13, 0);
        let depth = if game.setup().width <= 6 { 2 } else { 1 };
        for _ in 0..4 {
            let board = random_board(&game, &mut rng);
            let state = State { board, ..game.start(&mut rng) };
            let fast = perft(&game, &state, depth);
            let hand = (usize::from(state.piece), state.next.map(usize::from));
            let slow = plain::perft(game.setup(), &grid(&game, &board), hand, depth);
            assert_eq!((fast.sequences, fast.dead_ends, fast.last_rewards), slow);
        }
    }
}

#[test]
fn bad_boards_are_refused_with_their_place() {
    let game = Tetris::new(Setup::sized(4, 3)).unwrap();
    for (text, said) in [
        ("", "met nothing, expected a line of pieces, then the rows of the well"),
        ("Q|....", "met \"Q\", expected a first line of pieces from O, I, L, J, T, S, Z"),
        ("T S|....", "met 2 pieces on the first line, expected the piece"),
        ("-|....", "met 0 pieces on the first line, expected the piece"),
        ("T|....|...", "row 2: met 3 cells, expected 4"),
        ("T|..x.", "row 1, column 3: met 'x', expected '#' or '.'"),
        ("T|....|....|....|....", "met 4 rows, expected at most 3"),
        ("T|....|####|#...", "row 2: met a full row, expected a row with a gap"),
    ] {
        assert_eq!(game.parse_state(text).unwrap_err().to_string(), said, "{text}");
    }
    let state = game.parse_state("T|....").unwrap();
    let said = "expected a column from a to d and an orientation from 1 to 4";
    for word in ["", "e1", "a5", "a0", "1a", "a99999999999999999999", "ä"] {
        let error = game.parse_move(&state, word).unwrap_err().to_string();
        assert!(error.ends_with(said), "{word}: {error}");
    }
}

#[test]
fn texts_of_any_kind_never_panic() {
    let game = Tetris::new(Setup { preview: true, ..Setup::sized(5, 4) }).unwrap();
    let mut rng = Rng::stream(14, 0);
    let letters: Vec<char> = "TIOS-.#|\n \té\u{0}x19ab".chars().collect();
    for _ in 0..100_000 {
        let text: String = (0..rng.below(30)).map(|_| letters[rng.below(letters.len())]).collect();
        if let Ok(state) = game.parse_state(&text) {
            assert_eq!(game.parse_state(&game.state_text(&state)).unwrap(), state);
            let _ = game.parse_move(&state, &text);
        }
        let _ = game.parse_after(&text);
    }
}

#[test]
fn impossible_rules_are_refused() {
    let pieces = |text| parse_pieces(text).unwrap();
    for (setup, said) in [
        (Setup::sized(3, 20), "met a well of 3x20, expected 4 to 16 columns and 2 to 32 rows"),
        (Setup::sized(10, 33), "met a well of 10x33, expected 4 to 16 columns and 2 to 32 rows"),
        (
            Setup { pieces: pieces("wide:#####/#####/#####/#####/#####"), ..Setup::sized(4, 20) },
            "met piece wide, 5 columns wide at least, expected a piece that fits 4 columns",
        ),
        (
            Setup { pieces: pieces("long:######"), ..Setup::sized(10, 20) },
            "met piece long of 6x1 cells, expected at most 5x5",
        ),
        (
            Setup { pieces: pieces("block:###/###/###"), ..Setup::sized(10, 2) },
            "met piece block, 3 rows high at least, expected a piece that fits 2 rows",
        ),
        (
            Setup { limit: Some(0), ..Setup::sized(10, 20) },
            "met a limit of 0 pieces, expected 1 or more",
        ),
    ] {
        assert_eq!(Tetris::new(setup).err().unwrap().to_string(), said);
    }
}
