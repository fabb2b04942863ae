//! Minimax by alpha-beta: chance is an adversary that deals the worst.
//!
//! What the moves of a line come to is handed down and added at its end, so that no bound is ever
//! shifted and rounded: alpha-beta finds bit by bit what plain minimax finds. Moves are tried by
//! what they are worth at first sight, deals by how often each refutes a move for what it costs.

use std::ops::ControlFlow;

use afterstate_core::Symmetry;

use crate::Evaluator;
use crate::walk::{Walk, try_deals};

/// How much of what a deal did before still counts when it is tried again.
const MEMORY: f32 = 0.98;

/// What is known of a deal, by its number among all: how often it has refuted moves, and its cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refuter {
    number: usize,
    tried: f32,
    refuted: f32,
    cost: f32,
}

impl Refuter {
    fn new(number: usize) -> Refuter {
        Refuter { number, tried: 1.0, refuted: 0.5, cost: 1.0 }
    }

    fn learn(&mut self, refuted: bool, cost: usize) {
        self.tried = MEMORY * self.tried + 1.0;
        self.refuted = MEMORY * self.refuted + f32::from(u8::from(refuted));
        self.cost = MEMORY * self.cost + cost as f32;
    }

    /// Whether more moves are refuted for the same cost by trying this deal first: the order that is
    /// best if refutations were independent.
    fn is_better_than(&self, other: &Refuter) -> bool {
        self.refuted * other.cost > other.refuted * self.cost
    }
}

impl<G: Symmetry, J: Evaluator<G>> Walk<'_, G, J> {
    /// The least that follows a move, so many plies deep. Between `alpha` and `beta` it is exact;
    /// otherwise it is known to lie beyond the one that it is not between.
    pub(crate) fn least(
        &mut self,
        after: &G::After,
        plies: u32,
        so_far: f32,
        alpha: f32,
        beta: f32,
    ) -> f32 {
        let game = self.frame.game;
        let mut deals = std::mem::take(&mut self.worker.deals[plies as usize]);
        deals.clear();
        let _ = try_deals(game, after, plies, |state, _| {
            deals.push(state);
            ControlFlow::<()>::Continue(())
        });
        let mut order = std::mem::take(&mut self.worker.refuters[plies as usize]);
        order.extend((order.len()..deals.len()).map(Refuter::new));
        let mut least = f32::INFINITY;
        for refuter in &mut order {
            let Some(state) = deals.get(refuter.number) else { continue };
            let before = self.worker.nodes;
            let value = self.most(state, plies, so_far, alpha, beta.min(least));
            least = least.min(value);
            if alpha > f32::NEG_INFINITY {
                let cost = match plies {
                    0 | 1 => game.count_moves(state),
                    _ => (self.worker.nodes - before) as usize,
                };
                refuter.learn(value <= alpha, cost);
            }
            if least <= alpha || self.is_over() {
                break;
            }
        }
        // One way from the back to the front: those that have become better move up.
        for place in (1..order.len()).rev() {
            if order[place].is_better_than(&order[place - 1]) {
                order.swap(place - 1, place);
            }
        }
        self.worker.refuters[plies as usize] = order;
        self.worker.deals[plies as usize] = deals;
        least
    }

    /// The most that a move of a state comes to, so many plies deep, within the same bounds.
    fn most(
        &mut self,
        state: &G::State,
        plies: u32,
        so_far: f32,
        mut alpha: f32,
        beta: f32,
    ) -> f32 {
        self.worker.nodes += 1;
        let game = self.frame.game;
        if plies <= 1 {
            self.check_time();
            let evaluator = &mut self.worker.evaluator;
            // The next number up: what is enough stays enough, whatever adding rounds off.
            let enough = (beta - so_far).next_up();
            return so_far
                + evaluator.best_until(game, state, enough).unwrap_or(evaluator.terminal_value());
        }
        let moves = self.promising(state, plies);
        let mut most = None;
        for (choice, worth) in &moves {
            let so_far = so_far + worth.immediate_reward;
            let value = self.least(&choice.1.after, plies - 1, so_far, alpha, beta);
            if most.is_none_or(|most| value > most) {
                most = Some(value);
                alpha = alpha.max(value);
            }
            if value >= beta || self.is_over() {
                break;
            }
        }
        self.give_back(moves, plies);
        most.unwrap_or(so_far + self.worker.evaluator.terminal_value())
    }
}
