//! Published counts of boards and edges, and perft counts of the reference implementation.

use afterstate_core::perft::{Perft, perft};
use afterstate_core::{Game, Index, Text, laws};

use super::super::reference::ReferenceGame;
use super::super::{Scoring, TenTen};
use super::{custom, rules};
use crate::goldens;

#[test]
fn boards_that_can_occur() {
    assert_eq!(laws::check_whole_index(&rules(3, 3, "3", 1)), 265);
    assert_eq!(laws::check_whole_index(&rules(3, 3, "7", 1)), 265);
    assert_eq!(laws::check_whole_index(&rules(4, 4, "7", 1)), 41_503);
}

#[test]
fn only_small_boards_and_single_pieces_have_an_index() {
    assert_eq!(rules(5, 6, "7", 1).index_len(), Some(1 << 30));
    assert_eq!(rules(10, 3, "7", 1).index_len(), Some(1 << 30));
    assert_eq!(rules(6, 6, "7", 1).index_len(), None);
    assert_eq!(rules(3, 3, "7", 2).index_len(), None);
    let small = rules(3, 3, "7", 1);
    assert_eq!(small.after_at(0b111), None, "a full row");
    assert_eq!(small.after_at(0b001_001_001), None, "a full column");
    assert_eq!(small.after_at(1 << 9), None, "beyond the board");
    assert_eq!(rules(3, 3, "7", 2).after_at(0), None);
    let with_a_piece = rules(3, 3, "7", 2).parse_after("1x1|...|...|...").unwrap();
    assert_eq!(small.index_of(&with_a_piece), None, "a piece left in hand");
}

/// Every (board, piece, placement) on boards without a full line.
fn edges(rules: &TenTen) -> usize {
    let mut count = 0;
    for after in (0..rules.index_len().unwrap()).filter_map(|index| rules.after_at(index)) {
        rules.for_each_chance(&after, |state, _| count += rules.count_moves(&state));
    }
    count
}

#[test]
fn edges_as_published() {
    assert_eq!(edges(&rules(3, 3, "7", 1)), 3_317);
    // The study prints 892,062.
    assert_eq!(edges(&rules(4, 4, "7", 1)), 892_064);
}

fn perft_of_all_starts(rules: &TenTen, depth: u32) -> Perft {
    let mut total = Perft::default();
    rules.for_each_start(|state, _| total += perft(rules, &state, depth));
    total
}

#[test]
fn perft_equals_the_reference() {
    let tee = "t:###/.#.+bar:####+dot:#*3";
    for (rules, depth) in [
        (rules(3, 3, "3", 1), 4),
        (rules(3, 3, "7", 1), 4),
        (rules(4, 4, "7", 1), 3),
        (rules(3, 4, "7", 2), 2),
        (rules(3, 3, "3", 3), 4),
        (rules(6, 5, "19", 1), 2),
        (rules(10, 10, "19", 1), 1),
        (custom(4, 3, tee, 1, Scoring::Square), 5),
        (custom(4, 5, tee, 2, Scoring::Square), 2),
        (custom(3, 3, "all:###/###/###+bar:###", 2, Scoring::Real), 4),
    ] {
        for depth in 1..=depth {
            let expected = ReferenceGame::new(&rules).perft(depth);
            let found = perft_of_all_starts(&rules, depth);
            assert_eq!(found, expected, "depth {depth} of {rules:?}");
            assert!(found.sequences > 0);
        }
    }
}

#[test]
fn golden_counts_equal_the_reference() {
    goldens::compare(|rules: &TenTen, state, depth| {
        let reference = ReferenceGame::new(rules);
        let hand: Vec<usize> = state.hand.pieces().map(usize::from).collect();
        reference.perft_from(&reference.cells_of(state.board), &hand, depth)
    });
}
