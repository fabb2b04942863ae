//! Minimax by alpha-beta: chance is an adversary that deals the worst.
//!
//! What the moves of a line come to is handed down and added at its end, so that no bound is ever
//! shifted and rounded: alpha-beta finds bit by bit what plain minimax finds. Moves are tried by
//! what they are worth at first sight, deals by which of them refuted a move last.

use std::ops::ControlFlow;

use afterstate_core::Cells;

use crate::Judge;
use crate::walk::{Walk, try_deals};

impl<G: Cells, J: Judge<G>> Walk<'_, G, J> {
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
        let mut order = std::mem::take(&mut self.worker.refuted[plies as usize]);
        order.extend(order.len() as u16..deals.len() as u16);
        let mut least = f32::INFINITY;
        let mut refutation = None;
        for (place, &number) in order.iter().enumerate() {
            let Some(state) = deals.get(usize::from(number)) else { continue };
            let value = self.most(state, plies, so_far, alpha, beta.min(least));
            if value < least {
                (least, refutation) = (value, Some(place));
            }
            if least <= alpha || self.is_over() {
                break;
            }
        }
        if let Some(place) = refutation {
            order[..=place].rotate_right(1);
        }
        self.worker.refuted[plies as usize] = order;
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
            let judge = &mut self.worker.judge;
            // The next number up: what is enough stays enough, whatever adding rounds off.
            let enough = (beta - so_far).next_up();
            return so_far + judge.best_until(game, state, enough).unwrap_or(judge.lost());
        }
        let moves = self.promising(state, plies);
        let mut most = None;
        for (choice, worth) in &moves {
            let so_far = so_far + worth.passing;
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
        most.unwrap_or(so_far + self.worker.judge.lost())
    }
}
