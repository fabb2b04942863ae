//! What a teacher teaches: the values of all moves of a state, and above all by how much they differ.
//!
//! Which move is the best depends on differences between the values of its moves alone (advantages), which are
//! some hundredths of the values themselves; so the error that all moves of a state share counts less than the
//! errors of their differences from the move that the teacher thinks best. How bad a bad move is need not be known
//! exactly: errors of differences count up to a limit (Huber 1964).

use afterstate_games::spec::Spec;
use afterstate_learn::Interrupted;
use afterstate_values::{Model, Scratch};

use super::NeuralPlan;
use super::games::StateMoves;

/// A teacher, and how its values are learned.
pub(super) struct Teaching<'a, G: Spec> {
    pub(super) game: &'a G,
    pub(super) teacher: &'a dyn Model<G>,
    pub(super) plan: &'a NeuralPlan,
    pub(super) interrupted: Interrupted<'a>,
}

impl<G: Spec> Teaching<'_, G> {
    /// The afterstates of all moves of some states with their targets; of no meaning if it was interrupted.
    pub(super) fn lessons(&self, states: &[StateMoves<G>]) -> Vec<(G::After, f32)> {
        let afters = || states.iter().flat_map(|state| state.choices).map(|choice| choice.1.after);
        if (self.interrupted)() {
            return Vec::new();
        }
        let mut taught = vec![0.0; afters().count()];
        if let Some(values) = self.teacher.afterstate_values() {
            let afters: Vec<_> = afters().collect();
            values.evaluate(self.game, &afters, &mut Scratch::default(), &mut taught);
        } else if let Some(table) = self.teacher.solved() {
            for (value, after) in taught.iter_mut().zip(afters()) {
                *value = table.value(self.game, &after);
            }
        }
        let (mut rest, mut targets) = (&taught[..], Vec::with_capacity(taught.len()));
        for state in states {
            let (taught, others) = rest.split_at(state.choices.len());
            rest = others;
            let rewards: Vec<f32> = state.choices.iter().map(|choice| choice.1.reward).collect();
            let values: Vec<f32> = state.values(self.plan.scale).collect();
            let limit = self.plan.advantage_limit.unwrap_or(f32::INFINITY);
            let errors = errors(&values, taught, &rewards, self.plan.advantage, limit);
            targets.extend(values.iter().zip(errors).map(|(value, error)| value - error));
        }
        afters().zip(targets).collect()
    }
}

/// By how much the values of the moves of a state are to change: the derivative of half the squared mean error,
/// times the number of moves, and of `advantage` times Huber's function of the errors of all differences from the best
/// move.
fn errors(values: &[f32], taught: &[f32], rewards: &[f32], advantage: f32, limit: f32) -> Vec<f32> {
    let own = |i: usize| values[i] - taught[i];
    let total = |i: usize| rewards[i] + taught[i];
    let count = values.len();
    let Some(best) = (0..count).reduce(|a, b| if total(b) > total(a) { b } else { a }) else {
        return Vec::new();
    };
    let mean = (0..count).map(own).sum::<f32>() / count as f32;
    let differences = (0..count).map(|i| (own(i) - own(best)).clamp(-limit, limit));
    let mut errors: Vec<f32> = differences.map(|error| advantage * error).collect();
    errors[best] = -errors.iter().sum::<f32>();
    errors.iter_mut().for_each(|error| *error += mean);
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAUGHT: [f32; 3] = [10.0, 14.0, 2.0];
    const REWARDS: [f32; 3] = [8.0, 0.0, 4.0];

    #[test]
    fn what_is_known_has_no_error() {
        assert_eq!(errors(&TAUGHT, &TAUGHT, &REWARDS, 30.0, 5.0), [0.0; 3]);
        assert!(errors(&[], &[], &[], 1.0, 1.0).is_empty());
    }

    #[test]
    fn a_common_error_counts_once() {
        let values = TAUGHT.map(|value| value + 3.0);
        assert_eq!(errors(&values, &TAUGHT, &REWARDS, 30.0, 5.0), [3.0; 3]);
    }

    /// The first move is the best one, by its reward.
    #[test]
    fn differences_count_more_up_to_a_limit() {
        let values = [10.0, 16.0, 2.0 + 40.0];
        let mean = 42.0 / 3.0;
        let expected = [mean - 30.0 * (2.0 + 5.0), mean + 30.0 * 2.0, mean + 30.0 * 5.0];
        assert_eq!(errors(&values, &TAUGHT, &REWARDS, 30.0, 5.0), expected);
    }
}
