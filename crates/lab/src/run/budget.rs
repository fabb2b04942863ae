//! How far a training has come, and which part of its budget each phase covers.

use serde::{Deserialize, Serialize};

use crate::recipe::{Budget, Phase};

/// How far a training has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Games played.
    pub episodes: u64,
    /// Moves made.
    pub moves: u64,
    /// Seconds spent.
    pub seconds: f64,
}

impl Position {
    /// The position in the unit of a budget.
    pub(super) fn in_unit_of(&self, budget: &Budget) -> f64 {
        if budget.episodes.is_some() {
            self.episodes as f64
        } else if budget.moves.is_some() {
            self.moves as f64
        } else {
            self.seconds
        }
    }

    /// The part of a budget that is spent, from 0 to 1.
    pub fn part_of(&self, budget: &Budget) -> f64 {
        let whole = whole(budget);
        if whole > 0.0 { (self.in_unit_of(budget) / whole).min(1.0) } else { 1.0 }
    }

    /// Whether nothing is left of a budget.
    pub(super) fn spends(&self, budget: &Budget) -> bool {
        self.in_unit_of(budget) >= whole(budget)
    }
}

/// The whole of a budget, in its own unit.
pub(super) fn whole(budget: &Budget) -> f64 {
    let Budget { episodes, moves, seconds } = *budget;
    episodes.or(moves).map(|count| count as f64).or(seconds).unwrap_or(0.0)
}

/// The part of the budget that one phase covers, in the unit of the budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    /// Where it begins.
    pub(super) begin: f64,
    /// Where it ends.
    pub(super) end: f64,
}

impl Span {
    /// The spans of all phases, one after the other.
    pub(super) fn all(budget: &Budget, phases: &[Phase]) -> Vec<Span> {
        let counted = budget.seconds.is_none();
        let whole = whole(budget);
        let shares: f64 = phases.iter().map(|phase| phase.share).sum();
        let mut begin = 0.0;
        let mut spans = Vec::new();
        for (number, phase) in phases.iter().enumerate() {
            let last = number + 1 == phases.len();
            let mut end = begin + whole * phase.share / shares;
            // Whole games and moves, and nothing of the budget lost to rounding.
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

    /// How much of the span lies before a position, from 0 to 1.
    pub(super) fn fraction(&self, position: f64) -> f64 {
        let length = self.end - self.begin;
        if length > 0.0 { ((position - self.begin) / length).clamp(0.0, 1.0) } else { 1.0 }
    }

    /// The learning rate of a phase at a position.
    pub(super) fn rate(&self, phase: &Phase, position: f64) -> f32 {
        let last = phase.final_rate.unwrap_or(phase.rate);
        phase.rate + (last - phase.rate) * self.fraction(position) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::{LearnerPlan, Recipe};

    fn phases(text: &str) -> Vec<Phase> {
        let text =
            format!("game = '2048:2x2'\n[budget]\nmoves = 10\n[network]\ntuples = '01'\n{text}");
        let learner = Recipe::parse(&text, &[]).unwrap().learner;
        let LearnerPlan::Network { phases, .. } = learner else { panic!() };
        phases
    }

    #[test]
    fn phases_share_the_budget() {
        let text = "[[phase]]\nmethod='td'\nrate=0.1\nfinal_rate=0.2\nshare=9\n[[phase]]\nmethod='tc'\nrate=1";
        let phases = phases(text);
        let budget = Budget { episodes: Some(1001), ..Budget::default() };
        let spans = Span::all(&budget, &phases);
        assert_eq!(spans, [Span { begin: 0.0, end: 901.0 }, Span { begin: 901.0, end: 1001.0 }]);
        let phase = phases[0];
        assert_eq!(spans[0].rate(&phase, 0.0), 0.1);
        assert!((spans[0].rate(&phase, 450.5) - 0.15).abs() < 1e-6);
        assert_eq!(spans[0].rate(&phase, 5000.0), 0.2);
    }
}
