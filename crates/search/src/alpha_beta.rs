//! Minimax by alpha-beta: chance is an adversary that selects the worst outcome.
//!
//! The rewards of a line are passed down and added at its end, so that no bound is shifted and
//! rounded: alpha-beta gives bit by bit the values of the reference minimax. Moves are ordered by
//! their value without search, chance outcomes by a history of how often each caused a cutoff.

use std::ops::ControlFlow;

use afterstate_core::Symmetry;

use crate::tree_search::{TreeSearch, Worker, try_outcomes};
use crate::{Deadline, MoveValue};

/// The decay of the history of a chance outcome each time it is searched.
const DECAY: f32 = 0.98;

/// The history heuristic for chance outcomes: how often an outcome, given by its index among all of
/// an afterstate, caused a cutoff, and the cost of searching it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutcomeHistory {
    index: usize,
    cutoffs: f32,
    cost: f32,
}

impl OutcomeHistory {
    fn new(index: usize) -> OutcomeHistory {
        OutcomeHistory { index, cutoffs: 0.5, cost: 1.0 }
    }

    fn update(&mut self, cutoff: bool, cost: usize) {
        self.cutoffs = DECAY * self.cutoffs + f32::from(u8::from(cutoff));
        self.cost = DECAY * self.cost + cost as f32;
    }

    /// Whether this outcome has more cutoffs per cost: the best order if cutoffs were independent.
    fn is_better_than(&self, other: &OutcomeHistory) -> bool {
        self.cutoffs * other.cost > other.cutoffs * self.cost
    }
}

/// One pass of bubble sort from the back: outcomes that have become better move up.
fn reorder(order: &mut [OutcomeHistory]) {
    for place in (1..order.len()).rev() {
        if order[place].is_better_than(&order[place - 1]) {
            order.swap(place - 1, place);
        }
    }
}

impl<G: Symmetry> TreeSearch<'_, '_, G> {
    /// The minimum over the chance outcomes after a move, that many plies deep. Between `alpha` and
    /// `beta` it is exact; otherwise it is a bound beyond one of them.
    pub(crate) fn min_value(
        &mut self,
        after: &G::After,
        plies: u32,
        reward_so_far: f32,
        alpha: f32,
        beta: f32,
    ) -> f32 {
        if plies <= 1
            && let Some(smallest) = self.min_of_last_ply(after, plies, reward_so_far, alpha)
        {
            return smallest;
        }
        let game = self.context.game;
        let mut outcomes = std::mem::take(&mut self.worker.outcomes[plies as usize]);
        outcomes.clear();
        let _ = try_outcomes(game, after, plies, |state, _| {
            outcomes.push(state);
            ControlFlow::<()>::Continue(())
        });
        let mut order = std::mem::take(&mut self.worker.histories[plies as usize]);
        order.extend((order.len()..outcomes.len()).map(OutcomeHistory::new));
        let mut smallest = f32::INFINITY;
        for history in &mut order {
            let Some(state) = outcomes.get(history.index) else { continue };
            let before = self.worker.nodes;
            let value = self.max_value(state, plies, reward_so_far, alpha, beta.min(smallest));
            smallest = smallest.min(value);
            if alpha > f32::NEG_INFINITY {
                let cost = match plies {
                    0 | 1 => game.count_moves(state),
                    _ => (self.worker.nodes - before) as usize,
                };
                history.update(value <= alpha, cost);
            }
            if smallest <= alpha || self.is_stopped() {
                break;
            }
        }
        reorder(&mut order);
        self.worker.histories[plies as usize] = order;
        self.worker.outcomes[plies as usize] = outcomes;
        smallest
    }

    /// The same for the last ply, by an evaluator that evaluates the outcomes of an afterstate
    /// together; `None` for others, and for the first afterstate, whose outcomes are not counted.
    fn min_of_last_ply(
        &mut self,
        after: &G::After,
        plies: u32,
        reward_so_far: f32,
        alpha: f32,
    ) -> Option<f32> {
        let (game, deadline) = (self.context.game, self.context.deadline);
        let Worker { evaluator, histories, numbers, nodes, .. } = &mut *self.worker;
        let order = &mut histories[plies as usize];
        if order.is_empty() {
            return None;
        }
        numbers.clear();
        numbers.extend(order.iter().map(|history| history.index));
        let terminal_value = evaluator.terminal_value();
        let (mut smallest, mut place) = (f32::INFINITY, 0);
        let found = evaluator.best_in_order(game, after, numbers, &mut |state, best| {
            *nodes += 1;
            let stopped = deadline.is_some_and(Deadline::check);
            let value = reward_so_far + best.unwrap_or(terminal_value);
            smallest = smallest.min(value);
            if alpha > f32::NEG_INFINITY {
                order[place].update(value <= alpha, game.count_moves(state));
            }
            place += 1;
            if smallest <= alpha || stopped {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        reorder(order);
        found.then_some(smallest)
    }

    /// The maximum over the moves of a state, that many plies deep, within the same bounds.
    fn max_value(
        &mut self,
        state: &G::State,
        plies: u32,
        reward_so_far: f32,
        mut alpha: f32,
        beta: f32,
    ) -> f32 {
        self.worker.nodes += 1;
        let game = self.context.game;
        if plies <= 1 {
            self.check_time();
            let evaluator = &mut self.worker.evaluator;
            // The next float up: a value of `enough` reaches beta however the sum is rounded.
            let enough = (beta - reward_so_far).next_up();
            return reward_so_far
                + evaluator.best_until(game, state, enough).unwrap_or(evaluator.terminal_value());
        }
        let moves = self.ordered_moves(state, plies);
        let mut largest = None;
        for (choice, MoveValue { immediate_reward, .. }) in &moves {
            let reward_so_far = reward_so_far + immediate_reward;
            let value = self.min_value(&choice.1.after, plies - 1, reward_so_far, alpha, beta);
            if largest.is_none_or(|largest| value > largest) {
                largest = Some(value);
                alpha = alpha.max(value);
            }
            if value >= beta || self.is_stopped() {
                break;
            }
        }
        self.reuse(moves, plies);
        largest.unwrap_or(reward_so_far + self.worker.evaluator.terminal_value())
    }
}
