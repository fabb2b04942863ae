//! Subwell policies: a table of a narrow well plays a wider one by the values of all windows that
//! contain the whole move.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Combine, RewardFunction};
use afterstate_core::policy::Choice;
use afterstate_core::{Game, Policy, Rng};

use super::aggregation::ContourAggregation;
use crate::tetris::{State, Tetris};

/// Combines values; `None` if there is none.
#[inline]
fn combined(combine: Combine, values: impl Iterator<Item = f32>) -> Option<f32> {
    let start = (0u32, 0.0, f32::NEG_INFINITY);
    let (count, sum, max) =
        values.fold(start, |(count, sum, max), value| (count + 1, sum + value, max.max(value)));
    match combine {
        _ if count == 0 => None,
        Combine::Average => Some(sum / count as f32),
        Combine::Largest => Some(max),
        Combine::Sum => Some(sum),
    }
}

/// An entry of a table of floats.
#[inline]
pub(super) fn value(entries: &[AtomicU32], number: u32) -> f32 {
    f32::from_bits(entries[number as usize].load(Ordering::Relaxed))
}

/// The leftmost columns of the subwells that contain all columns of a move.
#[inline]
fn subwells(
    game: &Tetris,
    aggregation: &ContourAggregation,
    state: &State,
    choice: &Choice<Tetris>,
) -> std::ops::RangeInclusive<usize> {
    let left = usize::from(choice.0.column);
    let width = game.form(state.piece).orientations[usize::from(choice.0.orientation)].width;
    let first = (left + width).saturating_sub(aggregation.columns());
    first..=left.min(game.setup().width - aggregation.columns())
}

/// The argmax of a value over the legal moves; ties go to the first.
pub(super) fn best(
    game: &Tetris,
    state: &State,
    mut value: impl FnMut(&Choice<Tetris>) -> Option<f32>,
) -> Option<Choice<Tetris>> {
    // A piece wider than a subwell is in none of them: its moves have the lowest value.
    let best = game.best_move(state, |choice| value(choice).unwrap_or(f32::NEG_INFINITY));
    best.map(|(choice, _)| choice)
}

/// The greedy policy of a table of afterstates of a narrower well: the reward of the move plus the
/// discounted combined value of the subwells around it.
pub struct SubwellAfterstatePolicy<'a, R: ?Sized> {
    /// The aggregation of a subwell.
    pub aggregation: &'a ContourAggregation,
    /// The value of each class.
    pub values: &'a [AtomicU32],
    /// The reward function.
    pub reward: &'a R,
    /// The discount factor.
    pub discount: f32,
    /// How the values of the subwells are combined.
    pub combine: Combine,
}

impl<R: RewardFunction<Tetris> + ?Sized> Policy<Tetris> for SubwellAfterstatePolicy<'_, R> {
    fn choose(&mut self, game: &Tetris, state: &State, _: &mut Rng) -> Option<Choice<Tetris>> {
        let SubwellAfterstatePolicy { aggregation, values, reward, discount, combine } = *self;
        best(game, state, |choice| {
            let board = choice.1.after.board.columns();
            let subwell_values = subwells(game, aggregation, state, choice).map(|left| {
                value(
                    values,
                    aggregation
                        .class(aggregation.pattern(&board[left..left + aggregation.columns()])),
                )
            });
            let next = combined(combine, subwell_values)?;
            Some(reward.reward(game, state, choice) + discount * next)
        })
    }
}

/// The greedy policy of a table of action values of a narrower well.
pub struct SubwellActionPolicy<'a> {
    /// The aggregation of a subwell.
    pub aggregation: &'a ContourAggregation,
    /// The value of each entry.
    pub values: &'a [AtomicU32],
    /// How the values of the subwells are combined.
    pub combine: Combine,
}

impl Policy<Tetris> for SubwellActionPolicy<'_> {
    fn choose(&mut self, game: &Tetris, state: &State, _: &mut Rng) -> Option<Choice<Tetris>> {
        let SubwellActionPolicy { aggregation, values, combine } = *self;
        let board = state.board.columns();
        best(game, state, |choice| {
            let subwell_values = subwells(game, aggregation, state, choice).map(|left| {
                let pattern = aggregation.pattern(&board[left..left + aggregation.columns()]);
                value(values, aggregation.pair(game, pattern, state, choice.0, left))
            });
            combined(combine, subwell_values)
        })
    }
}
