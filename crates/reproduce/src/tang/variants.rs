//! Readings of the study's rewards: plain value iteration with a reward that is any function of a move.

use std::ops::Range;

use afterstate_core::policy::Choice;
use afterstate_core::{Game, Index};
use afterstate_games::spec::Spec;
use afterstate_games::tenten::{State, TenTen};
use afterstate_learn::solve::Chain;

use super::exact::chain;
use crate::Error;

/// Values that differ by less than this part are ties.
const TIE: f64 = 1e-9;

/// A reading of r1 and r3, and of how they are iterated.
#[derive(Clone, Copy)]
pub(super) struct Variant {
    pub(super) name: &'static str,
    /// What is counted as the moves of the next state.
    pub(super) moves: fn(&TenTen, &State, &Choice<TenTen>) -> f64,
    /// What the square of the lines is multiplied by in r1.
    pub(super) lines: f64,
    /// The value of a state without a move.
    pub(super) end: f64,
    pub(super) gamma: f64,
    pub(super) iterations: u64,
}

/// As the study states them, at gamma 0.8.
pub(super) const STATED: Variant = Variant {
    name: "as stated",
    moves: |game, _, choice| expected(game, choice.1.after.board.bits()),
    lines: 1.0,
    end: 0.0,
    gamma: 0.8,
    iterations: 16,
};

pub(super) const VARIANTS: [Variant; 10] = [
    STATED,
    Variant { name: "one iteration", iterations: 1, ..STATED },
    Variant { name: "three iterations", iterations: 3, ..STATED },
    Variant { name: "gamma 0.1", gamma: 0.1, ..STATED },
    Variant {
        name: "moves of all pieces alike",
        moves: |game, _, choice| {
            let bits = choice.1.after.board.bits();
            (0..game.pieces().len()).map(|piece| placements(game, bits, piece)).sum()
        },
        ..STATED
    },
    Variant {
        name: "moves before lines are cleared",
        moves: |game, state, choice| expected(game, uncleared(game, state, choice)),
        ..STATED
    },
    Variant {
        name: "moves of the same piece",
        moves: |game, _, choice| {
            placements(game, choice.1.after.board.bits(), usize::from(choice.0.piece))
        },
        ..STATED
    },
    Variant {
        name: "pieces that fit instead of moves",
        moves: |game, _, choice| {
            let bits = choice.1.after.board.bits();
            (0..game.pieces().len()).filter(|&piece| placements(game, bits, piece) > 0.0).count()
                as f64
        },
        ..STATED
    },
    Variant { name: "(10 n)^2 for n lines in r1", lines: 100.0, ..STATED },
    Variant { name: "-1000 at the end, as in LSPI", end: -1000.0, ..STATED },
];

/// The placements of a piece on a board, which may have full lines.
fn placements(game: &TenTen, bits: u128, piece: usize) -> f64 {
    let cells = game.pieces()[piece].shape.cells();
    let (width, height) = (game.width(), game.height());
    let fits = |&(row, column): &(usize, usize)| {
        cells.iter().all(|&(down, right)| {
            let (row, column) = (row + down, column + right);
            row < height && column < width && bits >> (row * width + column) & 1 == 0
        })
    };
    let corners = (0..height).flat_map(|row| (0..width).map(move |column| (row, column)));
    corners.filter(fits).count() as f64
}

/// The expected number of moves on a board.
fn expected(game: &TenTen, bits: u128) -> f64 {
    let weights = || game.pieces().iter().map(|piece| f64::from(piece.weight));
    let moves = weights().enumerate().map(|(piece, weight)| weight * placements(game, bits, piece));
    moves.sum::<f64>() / weights().sum::<f64>()
}

/// The board with the piece placed and full lines left on it.
fn uncleared(game: &TenTen, state: &State, choice: &Choice<TenTen>) -> u128 {
    let cells = game.shape_of(choice.0.piece).cells().iter();
    let corner = usize::from(choice.0.at);
    let bits = cells.map(|&(down, right)| 1 << (corner + down * game.width() + right));
    bits.fold(state.board.bits(), |all, bit: u128| all | bit)
}

/// The moves of all states of a game, with both rewards of a variant.
struct Moves {
    /// The states after each board, with their probabilities and their moves.
    states: Vec<(usize, f64, Range<usize>)>,
    /// The board that each move leads to, and its lines squared and moves of the next state.
    moves: Vec<(usize, f64, f64)>,
    boards: usize,
}

impl Moves {
    fn new(game: &TenTen, variant: &Variant) -> Result<Moves, Error> {
        let none = || Error::NotEnumerable(game.spec());
        let boards = game.index_len().ok_or_else(none)?;
        let mut all = Moves { states: Vec::new(), moves: Vec::new(), boards: boards as usize };
        for board in 0..boards {
            let Some(after) = game.after_at(board) else { continue };
            game.for_each_chance(&after, |state, probability| {
                let first = all.moves.len();
                game.for_each_move(&state, |mv, step| {
                    let choice = (mv, step);
                    let lines = f64::from(game.lines(&state, &choice).unwrap_or(0));
                    let moves = (variant.moves)(game, &state, &choice);
                    let to = game.index_of(&step.after).unwrap_or(0) as usize;
                    all.moves.push((to, variant.lines * lines * lines, moves));
                });
                all.states.push((board as usize, probability, first..all.moves.len()));
            });
        }
        Ok(all)
    }
}

/// The Markov chains of the policies of a variant: for r1, then for r3.
pub(super) fn policies(game: &TenTen, variant: &Variant) -> Result<[Chain; 2], Error> {
    let all = Moves::new(game, variant)?;
    let policy = |with_lines: f64| {
        let Variant { gamma, end, iterations, .. } = *variant;
        let mut values = vec![0.0; all.boards];
        for _ in 1..iterations {
            let mut next = vec![0.0; all.boards];
            for (board, probability, moves) in &all.states {
                let value = |&(to, lines, moves): &(usize, f64, f64)| {
                    with_lines * lines + moves + gamma * values[to]
                };
                let best = all.moves[moves.clone()].iter().map(value).reduce(f64::max);
                next[*board] += probability * best.unwrap_or(end);
            }
            values = next;
        }
        chain(game, &mut |state, offer| {
            let value = |choice: &Choice<TenTen>| {
                let lines = f64::from(game.lines(state, choice).unwrap_or(0));
                let later = game.index_of(&choice.1.after).map_or(0.0, |to| values[to as usize]);
                let now = with_lines * variant.lines * lines * lines;
                now + (variant.moves)(game, state, choice) + gamma * later
            };
            let mut best: Option<(Choice<TenTen>, f64)> = None;
            game.for_each_move(state, |mv, step| {
                let new = value(&(mv, step));
                if best.is_none_or(|(_, old)| new > old + TIE * old.abs()) {
                    best = Some(((mv, step), new));
                }
            });
            if let Some((choice, _)) = best {
                offer(choice, 1.0);
            }
        })
    };
    Ok([policy(1.0)?, policy(0.0)?])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::super::exact::{best_play, rounds};
    use super::super::{board, rewards};
    use super::*;

    #[test]
    fn the_stated_rewards_are_those_of_the_solver() {
        let game = board(3, "7").unwrap();
        let [r1, _, r3] = rewards();
        for iterations in [2, 5, 16] {
            let variant = Variant { iterations, ..STATED };
            let plain = policies(&game, &variant).unwrap();
            for (chain, reward) in plain.iter().zip([r1, r3]) {
                let solved = best_play(&game, reward, 0.8, Some(iterations)).unwrap();
                let (plain, solved) = (rounds(chain).value, rounds(&solved).value);
                assert!((plain / solved - 1.0).abs() < 1e-9, "{iterations}: {plain}, {solved}");
            }
        }
    }
}
