//! Expectimax: the expectation over chance outcomes, with transpositions and Star1 cutoffs.
//!
//! With one player only upper bounds can cut: a chance node is left as soon as it cannot exceed the
//! best move so far even if all remaining outcomes reach the upper bound (Star1, Ballard 1983).
//! Star2 probes for lower bounds, which no node above could use.

use std::ops::ControlFlow;

use afterstate_core::Symmetry;

use crate::tree_search::{TreeSearch, try_outcomes};

/// The largest number of chance outcomes that is evaluated in one call under a deadline.
const MAX_BATCH: u32 = 64;

/// Whether an afterstate has more than [`MAX_BATCH`] chance outcomes, such as a new hand of 1010!.
pub(crate) fn is_wide<G: Symmetry>(game: &G, after: &G::After) -> bool {
    let mut outcomes = 0;
    let counted = game.try_next_turn(after, |_, _| {
        outcomes += 1;
        if outcomes > MAX_BATCH { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    counted.is_break()
}

/// The surprisal -log2(p) of a chance outcome, in sixteenths of a bit, rounded up.
pub fn surprisal(probability: f64) -> u32 {
    (-16.0 * probability.log2()).ceil().max(0.0) as u32
}

/// The largest surprisal of a line whose probability is at least `min_probability`.
pub fn max_surprisal(min_probability: f64) -> Option<u32> {
    (min_probability > 0.0).then(|| (-16.0 * min_probability.log2()).floor().max(0.0) as u32)
}

/// The depth of a value in the transposition table. The last ply has no line to cut, whatever its
/// surprisal.
pub(crate) fn depth(plies: u32, surprisal_left: Option<u32>) -> u64 {
    let surprisal_left = surprisal_left.filter(|_| plies > 1);
    u64::from(plies) | u64::from(surprisal_left.map_or(0, |left| left + 1)) << 8
}

impl<G: Symmetry> TreeSearch<'_, '_, G> {
    /// The expected value of an afterstate, that many plies deep. A result of at most `alpha` is
    /// only an upper bound. `surprisal_left` is what the rest of the line may have.
    pub(crate) fn expected_value(
        &mut self,
        after: &G::After,
        plies: u32,
        surprisal_left: Option<u32>,
        alpha: f32,
    ) -> f32 {
        // Always the same image: sums over other images round differently.
        let canonical = self.context.canonical.then(|| self.context.game.canonical(after));
        let after = canonical.as_ref().unwrap_or(after);
        let Some(table) = self.context.table else {
            return self.compute_expected_value(after, plies, surprisal_left, alpha).0;
        };
        let depth = depth(plies, surprisal_left);
        let key = table.key(after, depth);
        if let Some(value) = table.get(key, depth) {
            return value;
        }
        let (value, exact) = self.compute_expected_value(after, plies, surprisal_left, alpha);
        if exact && !self.is_stopped() {
            table.put(key, depth, value);
        }
        value
    }

    /// The same without the table, and whether it is exact.
    fn compute_expected_value(
        &mut self,
        after: &G::After,
        plies: u32,
        surprisal_left: Option<u32>,
        alpha: f32,
    ) -> (f32, bool) {
        let game = self.context.game;
        if plies <= 1 {
            if self.check_time() {
                return (0.0, false);
            }
            if self.context.deadline.is_some() && is_wide(game, after) {
                return (self.expected_value_by_deadline(after), true);
            }
            let (value, states) = self.worker.evaluator.expected_value(game, after);
            self.worker.nodes += states;
            return (value, true);
        }
        let bounds = self.worker.evaluator.bounds(plies);
        if plies == 2 && self.evaluates_leaves(after) {
            let (mut mean, outcomes) = (0.0, 0..usize::MAX);
            let all = self.leaf_outcomes(after, surprisal_left, &outcomes, |probability, value| {
                mean += probability * value;
            });
            return (mean, all);
        }
        let (mut mean, mut rest, mut exact) = (0.0f32, 1.0f32, true);
        let _ = try_outcomes(game, after, plies, |state, probability| {
            if self.is_stopped() {
                return ControlFlow::Break(());
            }
            let chance = probability;
            let probability = probability as f32;
            rest = (rest - probability).max(0.0);
            // The value this outcome must exceed if all later ones reach the upper bound.
            let needed = match bounds {
                Some((_, high)) => {
                    (alpha - self.context.tolerance - mean - high * rest) / probability
                }
                None => f32::NEG_INFINITY,
            };
            let (value, value_is_exact) =
                self.outcome_value(&state, chance, plies, surprisal_left, needed);
            exact &= value_is_exact;
            mean += probability * value;
            if let (Some((_, high)), true) = (bounds, value <= needed) {
                mean += high * rest;
                exact = false;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        (mean, exact)
    }

    /// The value of a chance outcome, that many plies deep, and whether it is exact. One that is less
    /// probable than the line may be is not searched.
    pub(crate) fn outcome_value(
        &mut self,
        state: &G::State,
        probability: f64,
        plies: u32,
        surprisal_left: Option<u32>,
        alpha: f32,
    ) -> (f32, bool) {
        let cost = surprisal_left.map_or(0, |_| surprisal(probability));
        match surprisal_left {
            Some(left) if left < cost => {
                self.worker.nodes += 1;
                let evaluator = &mut self.worker.evaluator;
                let best = evaluator.best(self.context.game, state);
                (best.unwrap_or(evaluator.terminal_value()), true)
            }
            left => self.state_value(state, plies, left.map(|left| left - cost), alpha),
        }
    }

    /// The expectation of the best replies, reading the clock before each outcome.
    fn expected_value_by_deadline(&mut self, after: &G::After) -> f32 {
        let game = self.context.game;
        let mut mean = 0.0;
        let _ = game.try_next_turn(after, |state, probability| {
            if self.check_time() {
                return ControlFlow::Break(());
            }
            self.worker.nodes += 1;
            let evaluator = &mut self.worker.evaluator;
            let value = evaluator.best(game, &state).unwrap_or(evaluator.terminal_value());
            mean += probability as f32 * value;
            ControlFlow::Continue(())
        });
        mean
    }

    /// The value of a state, that many plies deep, and whether it is exact: a result of at most
    /// `alpha` may be an upper bound.
    fn state_value(
        &mut self,
        state: &G::State,
        plies: u32,
        surprisal_left: Option<u32>,
        alpha: f32,
    ) -> (f32, bool) {
        self.worker.nodes += 1;
        let game = self.context.game;
        let bounded = self.worker.evaluator.bounds(plies).is_some();
        let (mut best, mut largest) = (None, alpha);
        let mut search_move = |search: &mut Self, after: &G::After, immediate_reward: f32| {
            let needed = if bounded { largest - immediate_reward } else { f32::NEG_INFINITY };
            let expected = search.expected_value(after, plies - 1, surprisal_left, needed);
            let value = immediate_reward + expected;
            if best.is_none_or(|best| value > best) {
                best = Some(value);
                largest = largest.max(value);
            }
        };
        if bounded || self.context.beam < usize::MAX {
            let moves = self.ordered_moves(state, plies);
            for (choice, value) in &moves {
                if self.is_stopped() {
                    break;
                }
                search_move(self, &choice.1.after, value.immediate_reward);
            }
            self.reuse(moves, plies);
        } else {
            game.for_each_move(state, |mv, step| {
                let immediate_reward =
                    self.worker.evaluator.immediate_reward(game, state, &(mv, step));
                search_move(self, &step.after, immediate_reward);
            });
        }
        // The bound of a move that was cut does not exceed the value it had to beat.
        let exact = !bounded || best.is_none_or(|best| best > alpha);
        (best.unwrap_or(self.worker.evaluator.terminal_value()), exact)
    }
}
