//! The value of the best placement of each piece that may be next.

use afterstate_core::Game;
use afterstate_core::features::EachOutcome;

use super::super::{After, State, Tetris};
use super::fast::EachPiece;
use crate::pieces::MAX_PIECES;

/// Calls `outcome` with the probability of each chance outcome of an afterstate and the value of its
/// best placement. `largest` writes these values for the state's piece and those numbered after it.
pub(super) fn best_of_each(
    game: &Tetris,
    after: &After,
    outcome: &mut dyn FnMut(f64, Option<f32>),
    largest: impl FnOnce(&State, &mut [Option<f32>]),
) {
    // With a preview the piece to drop is known and the same for all chance outcomes.
    let (piece, pieces) = after.next.map_or((0, game.setup().pieces.len()), |piece| (piece, 1));
    let state = State { board: after.board, piece, next: None };
    let mut found = [None; MAX_PIECES];
    largest(&state, &mut found[..pieces]);
    if after.next.is_some() {
        found = [found[0]; MAX_PIECES];
    }
    let mut values = found.iter();
    game.for_each_chance(after, |_, probability| {
        outcome(probability, values.next().copied().flatten());
    });
}

/// Calls `outcome` with chance outcomes, by their numbers, and the values of their best placements,
/// until it breaks; `false` if `in_order` does not evaluate the pieces or the next piece is known.
pub(super) fn best_in_order(
    game: &Tetris,
    after: &After,
    order: &[usize],
    outcome: EachOutcome<Tetris>,
    in_order: impl FnOnce(&State, EachPiece) -> bool,
) -> bool {
    let kinds = game.setup().pieces.len();
    if after.next.is_some() || order.iter().any(|&piece| piece >= kinds) {
        return false;
    }
    let first = State { board: after.board, piece: 0, next: None };
    let mut state = first;
    in_order(&first, &mut |piece, value| {
        state.piece = piece;
        outcome(&state, value)
    })
}
