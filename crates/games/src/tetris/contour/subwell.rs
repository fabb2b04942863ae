//! Subwells: a table of a narrow well plays a wider one by looking at every part of it that holds
//! the whole move.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Combine, RewardFunction};
use afterstate_core::policy::Choice;
use afterstate_core::{Game, Policy, Rng};

use super::seen::Seen;
use crate::tetris::{State, Tetris};

/// One value of several; `None` of none.
#[inline]
fn combined(combine: Combine, values: impl Iterator<Item = f32>) -> Option<f32> {
    let start = (0u32, 0.0, f32::NEG_INFINITY);
    let (count, sum, most) =
        values.fold(start, |(count, sum, most), value| (count + 1, sum + value, most.max(value)));
    match combine {
        _ if count == 0 => None,
        Combine::Average => Some(sum / count as f32),
        Combine::Largest => Some(most),
        Combine::Sum => Some(sum),
    }
}

/// An entry of a table of floats.
#[inline]
pub(super) fn value(entries: &[AtomicU32], number: u32) -> f32 {
    f32::from_bits(entries[number as usize].load(Ordering::Relaxed))
}

/// The leftmost columns of the subwells that hold all columns of a move.
#[inline]
fn subwells(
    game: &Tetris,
    seen: &Seen,
    state: &State,
    choice: &Choice<Tetris>,
) -> std::ops::RangeInclusive<usize> {
    let left = usize::from(choice.0.column);
    let width = game.form(state.piece).orientations[usize::from(choice.0.orientation)].width;
    let first = (left + width).saturating_sub(seen.columns());
    first..=left.min(game.setup().width - seen.columns())
}

pub(super) fn best(
    game: &Tetris,
    state: &State,
    mut value: impl FnMut(&Choice<Tetris>) -> Option<f32>,
) -> Option<Choice<Tetris>> {
    let mut best: Option<(Choice<Tetris>, f32)> = None;
    game.for_each_move(state, |mv, step| {
        // A piece wider than a subwell is in none of them: its move is the last choice.
        let value = value(&(mv, step)).unwrap_or(f32::NEG_INFINITY);
        if best.is_none_or(|(_, most)| value > most) {
            best = Some(((mv, step), value));
        }
    });
    best.map(|(choice, _)| choice)
}

/// Plays by a table of afterstates of a narrower well: the pay of the move, plus what the subwells
/// around it are worth afterwards.
pub struct SubwellAfters<'a, R: ?Sized> {
    /// What is seen of a subwell.
    pub seen: &'a Seen,
    /// What a class is worth.
    pub values: &'a [AtomicU32],
    /// What a move pays.
    pub reward: &'a R,
    /// What a value counts against a pay of now.
    pub discount: f32,
    /// How subwells become one.
    pub combine: Combine,
}

impl<R: RewardFunction<Tetris> + ?Sized> Policy<Tetris> for SubwellAfters<'_, R> {
    fn choose(&mut self, game: &Tetris, state: &State, _: &mut Rng) -> Option<Choice<Tetris>> {
        let SubwellAfters { seen, values, reward, discount, combine } = *self;
        best(game, state, |choice| {
            let board = choice.1.after.board.columns();
            let worth = subwells(game, seen, state, choice).map(|left| {
                value(values, seen.class(seen.word(&board[left..left + seen.columns()])))
            });
            Some(reward.reward(game, state, choice) + discount * combined(combine, worth)?)
        })
    }
}

/// Plays by a table of moves of a narrower well.
pub struct SubwellPairs<'a> {
    /// What is seen of a subwell.
    pub seen: &'a Seen,
    /// What an entry is worth.
    pub values: &'a [AtomicU32],
    /// How subwells become one.
    pub combine: Combine,
}

impl Policy<Tetris> for SubwellPairs<'_> {
    fn choose(&mut self, game: &Tetris, state: &State, _: &mut Rng) -> Option<Choice<Tetris>> {
        let SubwellPairs { seen, values, combine } = *self;
        let board = state.board.columns();
        best(game, state, |choice| {
            let worth = subwells(game, seen, state, choice).map(|left| {
                let word = seen.word(&board[left..left + seen.columns()]);
                value(values, seen.pair(game, word, state, choice.0, left))
            });
            combined(combine, worth)
        })
    }
}
