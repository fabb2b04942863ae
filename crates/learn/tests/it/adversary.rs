//! Chance as an adversary, against plain recursion and against the solver of survival.

use afterstate_core::{Game, Index};
use afterstate_games::tetris::{After, Setup, State, Tetris, melax_pieces};
use afterstate_learn::solve::{Adversary, Direct, Limits, survive};

use crate::tenten;

/// Four columns with some of Melax's pieces.
fn well(height: usize, pieces: &[usize]) -> Tetris {
    let all = melax_pieces();
    let pieces = pieces.iter().map(|&piece| all[piece].clone()).collect();
    Tetris::new(Setup { pieces, ..Setup::sized(4, height) }).unwrap()
}

/// Whether an adversary ends every game after a board within so many outcomes.
fn ends_within(game: &Tetris, after: &After, outcomes: u16) -> bool {
    let lost = |state: &State| {
        let mut all = true;
        game.for_each_move(state, |_, step| {
            all = all && outcomes > 1 && ends_within(game, &step.after, outcomes - 1);
        });
        all
    };
    let mut any = false;
    game.for_each_chance(after, |state, _| any = any || lost(&state));
    any
}

#[test]
fn the_adversary_agrees_with_recursion() {
    let boards = |game: &Tetris, step: usize| -> Vec<After> {
        let len = game.index_len().unwrap();
        (0..len).step_by(step).filter_map(|index| game.after_at(index)).collect()
    };
    for (game, step) in [(well(2, &[0, 1, 2, 3, 4]), 1), (well(3, &[0, 1, 2, 3, 4]), 31)] {
        let solved = Adversary::new(&game).unwrap();
        for after in boards(&game, step) {
            let needed = solved.needed(&after).unwrap();
            assert!(ends_within(&game, &after, needed), "{after:?}");
            assert!(needed == 1 || !ends_within(&game, &after, needed - 1), "{after:?}");
        }
    }
}

#[test]
fn safe_boards_are_those_that_never_die() {
    let limits = Limits { max_sweeps: 1, ..Limits::of::<f64>() };
    let all = [0, 1, 2, 3, 4];
    for (height, pieces) in [(3, &all[..]), (3, &[0, 1, 2, 3]), (4, &[0, 1, 3, 4])] {
        let game = well(height, pieces);
        let solved = Adversary::new(&game).unwrap();
        let model = Direct::new(&game).unwrap();
        let reference = survive::<f64, _>(&model, &limits, |_| {});
        assert_eq!(solved.safe, reference.immortal, "{height} rows, pieces {pieces:?}");
        assert_eq!(solved.needed_at_start().is_none(), reference.never_dies);
    }
    // Another game, with eight symmetries.
    let game = tenten(3, 3, "3");
    let solved = Adversary::new(&game).unwrap();
    assert_eq!((solved.safe, solved.boards), (186, 265));
}

#[test]
fn a_fatal_sequence_ends_every_game() {
    let game = well(4, &[0, 1, 2, 3, 4]);
    let solved = Adversary::new(&game).unwrap();
    let empty = game.after_at(0).unwrap();
    let found = solved.fatal_sequence(&empty, 20, 200).unwrap();
    assert!(found.outcomes.len() >= usize::from(solved.needed(&empty).unwrap()));
    let survivors = |pieces: &[usize]| {
        let mut boards = vec![empty];
        for &piece in pieces {
            let mut next = Vec::new();
            for after in &boards {
                let state = State { board: after.board, piece: piece as u8, next: None };
                game.for_each_move(&state, |_, step| next.push(step.after));
            }
            next.sort_by_key(|after| game.index_of(after));
            next.dedup();
            boards = next;
        }
        boards.len()
    };
    assert_eq!(survivors(&found.outcomes), 0, "{found:?}");
    assert!(survivors(&found.outcomes[1..]) > 0 || !found.shortest);
    // Without the diagonal, boards are safe for ever and no sequence ends every game.
    let safe = well(4, &[0, 1, 3, 4]);
    let solved = Adversary::new(&safe).unwrap();
    assert_eq!(solved.fatal_sequence(&empty, 12, 50), None);
}
