//! The position of a training in its budget, and the part of the budget that each phase covers.

use serde::{Deserialize, Serialize};

use crate::recipe::Budget;

/// The position of a training: what it has spent so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Games played.
    pub episodes: u64,
    /// Moves played.
    pub moves: u64,
    /// Seconds of wall-clock time.
    pub seconds: f64,
}

impl Position {
    /// The position in the unit of a budget.
    pub(crate) fn in_unit_of(&self, budget: &Budget) -> f64 {
        if budget.episodes.is_some() {
            self.episodes as f64
        } else if budget.moves.is_some() {
            self.moves as f64
        } else {
            self.seconds
        }
    }

    /// The spent share of a budget, from 0 to 1.
    pub fn share_of(&self, budget: &Budget) -> f64 {
        let whole = whole(budget);
        if whole > 0.0 { (self.in_unit_of(budget) / whole).min(1.0) } else { 1.0 }
    }

    /// Whether a budget is spent.
    pub(crate) fn spends(&self, budget: &Budget) -> bool {
        self.in_unit_of(budget) >= whole(budget)
    }
}

/// The whole of a budget, in its own unit.
pub(crate) fn whole(budget: &Budget) -> f64 {
    let Budget { episodes, moves, seconds } = *budget;
    episodes.or(moves).map(|count| count as f64).or(seconds).unwrap_or(0.0)
}

/// The part of the budget that one phase covers, in the unit of the budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    /// Where it begins.
    pub(crate) begin: f64,
    /// Where it ends.
    pub(crate) end: f64,
}

impl Span {
    /// The spans of all phases, one after the other.
    pub(crate) fn all(
        budget: &Budget,
        shares: impl ExactSizeIterator<Item = f64> + Clone,
    ) -> Vec<Span> {
        let counted = budget.seconds.is_none();
        let whole = whole(budget);
        let (count, sum): (usize, f64) = (shares.len(), shares.clone().sum());
        let mut begin = 0.0;
        let mut spans = Vec::new();
        for (number, share) in shares.enumerate() {
            let last = number + 1 == count;
            let mut end = begin + whole * share / sum;
            // Whole games and moves; the last span takes what rounding leaves.
            if counted {
                end = end.round();
            }
            if last {
                end = whole;
            }
            spans.push(Span { begin, end });
            begin = end;
        }
        spans
    }

    /// The share of the span before a position, from 0 to 1.
    pub(crate) fn fraction(&self, position: f64) -> f64 {
        let length = self.end - self.begin;
        if length > 0.0 { ((position - self.begin) / length).clamp(0.0, 1.0) } else { 1.0 }
    }

    /// A setting at a position, if it changes linearly over the span.
    pub(crate) fn interpolate(&self, first: f32, last: f32, position: f64) -> f32 {
        first + (last - first) * self.fraction(position) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_share_the_budget() {
        let budget = Budget { episodes: Some(1001), ..Budget::default() };
        let spans = Span::all(&budget, [9.0, 1.0].into_iter());
        assert_eq!(spans, [Span { begin: 0.0, end: 901.0 }, Span { begin: 901.0, end: 1001.0 }]);
        assert_eq!(spans[0].interpolate(0.1, 0.2, 0.0), 0.1);
        assert!((spans[0].interpolate(0.1, 0.2, 450.5) - 0.15).abs() < 1e-6);
        assert_eq!(spans[0].interpolate(0.1, 0.2, 5000.0), 0.2);
    }
}
