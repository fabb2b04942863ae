//! The rules against the reference implementation: every small board and a million random ones.

use std::sync::Mutex;

use afterstate_core::{Game, Rng};

use super::super::hand::Hand;
use super::super::reference::{Cells, ReferenceGame, bits};
use super::super::{Board, Placement, Scoring, State, TenTen};
use super::{custom, rules};
use crate::positions::compare_parts;
use crate::tenten::sets;

#[test]
fn every_board_of_3x3_with_every_piece() {
    for set in ["3", "7"] {
        let rules = rules(3, 3, set, 1);
        let reference = ReferenceGame::new(&rules);
        for board in (0..512).filter_map(|bits| rules.board(bits)) {
            for piece in 0..rules.pieces().len() {
                let hand = Hand::EMPTY.with(piece as u8);
                let mut moves = reference.moves(&reference.cells_of(board), &[piece]).into_iter();
                rules.for_each_move(&State { board, hand }, |mv, step| {
                    let placed = moves.next().expect("no more moves than the reference has");
                    let at = placed.row * 3 + placed.column;
                    assert_eq!((usize::from(mv.piece), usize::from(mv.at)), (placed.piece, at));
                    assert_eq!(step.after.board.bits(), bits(&placed.board));
                    assert!(step.after.hand.is_empty() && placed.hand.is_empty());
                    assert_eq!(step.reward, placed.reward as f32);
                });
                assert_eq!(moves.next(), None, "piece {piece} on {board:?}");
            }
        }
    }
}

/// Writes bits to cells.
fn fill(cells: &mut Cells, mut bits: u128) {
    for cell in cells.iter_mut().flatten() {
        *cell = bits & 1 == 1;
        bits >>= 1;
    }
}

/// All boards, including those with full lines.
#[test]
fn every_small_board_is_cleared() {
    for (width, height) in [(4, 4), (3, 5), (5, 3), (3, 3)] {
        let rules = rules(width, height, "7", 1);
        let reference = ReferenceGame::new(&rules);
        let (mut cells, mut full_boards) = (reference.empty(), 0);
        for board in 0..1u128 << rules.cells() {
            fill(&mut cells, board);
            let lines = reference.clear(&mut cells);
            let expected = (bits(&cells), lines as u32);
            assert_eq!(rules.grid.cleared(board), expected, "{board:#b} of {width}x{height}");
            assert_eq!(rules.board(board).is_none(), lines > 0, "{board:#b}");
            full_boards += usize::from(lines > 0);
        }
        // 41,503 boards of 4x4 have no full line, and 265 of 3x3.
        match (width, height) {
            (4, 4) => assert_eq!(full_boards, 65_536 - 41_503),
            (3, 3) => assert_eq!(full_boards, 512 - 265),
            _ => {}
        }
    }
}

#[test]
fn every_placement_of_every_piece_on_every_small_board() {
    let odd = "s:##./.##+ring:###/#.#/###+bar:####+gap:#.#*2+tall:#/#/#/#";
    for rules in [rules(4, 4, "7", 1), custom(4, 4, odd, 1, Scoring::Real)] {
        let reference = ReferenceGame::new(&rules);
        let mut cells = reference.empty();
        for board in 0..1u128 << rules.cells() {
            fill(&mut cells, board);
            for piece in 0..rules.pieces().len() {
                let fits = |at: &usize| reference.fits(&cells, piece, at / 4, at % 4);
                let expected = (0..16).filter(fits).fold(0, |places, at| places | 1 << at);
                let found = rules.origins(Board::new(board), piece as u8);
                assert_eq!(found, expected, "piece {piece} on {board:#b}");
            }
        }
    }
}

/// A random board on which the piece often fits and often completes lines: fills some lines, then
/// cuts holes of the piece's shape.
fn draw_board(
    reference: &ReferenceGame,
    holes: &[(usize, usize)],
    rng: &mut Rng,
    board: &mut Cells,
) {
    let density = rng.below(17);
    let filled_rows = rng.bits() & rng.bits();
    let filled_columns = rng.bits() & rng.bits() & rng.bits();
    for (r, row) in board.iter_mut().enumerate() {
        let mut random = rng.bits();
        for (c, cell) in row.iter_mut().enumerate() {
            let in_line = filled_rows >> r & 1 == 1 || filled_columns >> c & 1 == 1;
            *cell = in_line || (random & 15) < density as u64;
            random >>= 4;
        }
    }
    let (height, width) = (reference.height, reference.width);
    let down = holes.iter().map(|hole| hole.0).max().unwrap_or(0);
    let across = holes.iter().map(|hole| hole.1).max().unwrap_or(0);
    for _ in 0..=rng.below(3) {
        let (top, left) = (rng.below(height - down), rng.below(width - across));
        for (r, c) in holes {
            board[top + r][left + c] = false;
        }
    }
    reference.clear(board);
}

/// Compares all moves of random positions. Returns the frequency of each number of cleared lines.
fn compare(rules: &TenTen, positions: usize, rng: &mut Rng) -> [usize; 21] {
    let reference = ReferenceGame::new(rules);
    let (mut board, mut after) = (reference.empty(), reference.empty());
    let mut cleared = [0; 21];
    for _ in 0..positions {
        let piece = rng.below(rules.pieces().len());
        draw_board(&reference, rules.shape_of(piece as u8).cells(), rng, &mut board);
        let state = State {
            board: rules.board(bits(&board)).expect("full lines were cleared"),
            hand: Hand::EMPTY.with(piece as u8),
        };
        let mut expected = 0u128;
        for row in 0..reference.height {
            for column in 0..reference.width {
                let fits = reference.fits(&board, piece, row, column);
                expected |= u128::from(fits) << (row * reference.width + column);
            }
        }
        let mut found = 0u128;
        let mut number = 0;
        rules.for_each_move(&state, |mv, step| {
            assert!(found >> mv.at == 0, "{mv:?} out of order in {state:?}");
            found |= 1 << mv.at;
            after.clone_from(&board);
            let at = usize::from(mv.at);
            let (row, column) = (at / reference.width, at % reference.width);
            let (lines, reward) = reference.place(&mut after, piece, row, column);
            assert_eq!(step.after.board.bits(), bits(&after), "{mv:?} in {state:?}");
            assert_eq!(step.reward, reward as f32, "{mv:?} in {state:?}");
            assert_eq!(rules.nth_move(&state, number), Some((mv, step)));
            cleared[lines] += 1;
            number += 1;
        });
        assert_eq!(found, expected, "the moves of {state:?}");
        assert_eq!(rules.count_moves(&state), expected.count_ones() as usize);
    }
    cleared
}

/// Compares all moves of random positions with up to three pieces in hand, and what each leaves in it.
fn compare_hands(rules: &TenTen, positions: usize, rng: &mut Rng) {
    let reference = ReferenceGame::new(rules);
    let mut board = reference.empty();
    for _ in 0..positions {
        let count = 1 + rng.below(usize::from(rules.hand()));
        let pieces: Vec<usize> = (0..count).map(|_| rng.below(rules.pieces().len())).collect();
        let of = |pieces: &[usize]| {
            pieces.iter().fold(Hand::EMPTY, |hand, &piece| hand.with(piece as u8))
        };
        let hand = of(&pieces);
        draw_board(&reference, rules.shape_of(pieces[0] as u8).cells(), rng, &mut board);
        let state = State { board: rules.board(bits(&board)).expect("no full lines"), hand };
        let mut moves = reference.moves(&board, &pieces).into_iter();
        rules.for_each_move(&state, |mv, step| {
            let placed = moves.next().expect("no more moves than the reference has");
            let at = placed.row * reference.width + placed.column;
            assert_eq!((usize::from(mv.piece), usize::from(mv.at)), (placed.piece, at));
            assert_eq!(step.after.board.bits(), bits(&placed.board), "{mv:?} in {state:?}");
            assert_eq!(step.after.hand, of(&placed.hand), "{mv:?} in {state:?}");
            assert_eq!(step.reward, placed.reward as f32, "{mv:?} in {state:?}");
        });
        assert_eq!(moves.next(), None, "{state:?}");
    }
}

#[test]
fn a_million_random_positions() {
    let cleared = Mutex::new([0; 21]);
    compare_parts(7, 1_000_000, 40, |mut rng| {
        let add = |more: [usize; 21]| {
            for (sum, more) in cleared.lock().unwrap().iter_mut().zip(more) {
                *sum += more;
            }
        };
        // All 64 sizes, the standard size more often, every set of pieces.
        for width in 3..=10 {
            for height in 3..=10 {
                let sets = if width.min(height) < 5 { ["7", "3"] } else { ["19", "18"] };
                for (set, positions) in sets.into_iter().zip([9_000, 3_000]) {
                    add(compare(&rules(width, height, set, 1), positions, &mut rng));
                }
            }
        }
        add(compare(&rules(10, 10, "19", 1), 216_000, &mut rng));
        let square =
            |set, hand| TenTen::new(10, 10, sets::named(set).unwrap(), hand, Scoring::Square);
        add(compare(&square("18", 1).unwrap(), 10_000, &mut rng));
        for set in ["18", "19"] {
            compare_hands(&rules(10, 10, set, 3), 1_500, &mut rng);
            compare_hands(&square(set, 3).unwrap(), 1_500, &mut rng);
        }
    });
    // Placements that clear up to five lines must occur.
    let cleared = cleared.into_inner().unwrap();
    assert!(cleared[..=5].iter().all(|&times| times > 100), "{cleared:?}");
}

#[test]
fn placing_outside_a_state_agrees_with_play() {
    let rules = rules(10, 10, "19", 1);
    let mv = Placement { piece: 9, at: 3 };
    let (board, lines) = rules.place_unchecked(Board::EMPTY, mv);
    assert_eq!((board.bits(), board.count(), lines), (0b1111 << 3, 4, 0));
    assert_eq!(rules.origins(board, 9).count_ones(), 70 - 7);
}
