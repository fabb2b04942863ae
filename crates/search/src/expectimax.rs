//! Expectimax: the mean over what chance may deal, with transpositions and star cut-offs.
//!
//! With one player only upper bounds can cut: a chance node whose remaining deals, all of them at
//! their best, cannot lift it over the best move known is left (Ballard's Star1, 1983). Star2's
//! probes look for lower bounds, which no node above could use.

use std::ops::ControlFlow;

use afterstate_core::Symmetry;

use crate::Evaluator;
use crate::walk::{Walk, try_deals};

/// More deals than this are not judged at once while a clock is running.
const MAX_AT_ONCE: u32 = 64;

/// Whether chance may deal very many states: a whole hand of 1010!.
fn is_wide<G: Symmetry>(game: &G, after: &G::After) -> bool {
    let mut deals = 0;
    let counted = game.try_next_turn(after, |_, _| {
        deals += 1;
        if deals > MAX_AT_ONCE { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    counted.is_break()
}

/// What an unlikely deal costs of a line's allowance, in sixteenths of a bit.
fn cost(odds: f64) -> u32 {
    (-16.0 * odds.log2()).ceil().max(0.0) as u32
}

/// The allowance of lines that may become as unlikely as this.
pub(crate) fn allowance(min_probability: f64) -> Option<u32> {
    (min_probability > 0.0).then(|| (-16.0 * min_probability.log2()).floor().max(0.0) as u32)
}

impl<G: Symmetry, J: Evaluator<G>> Walk<'_, G, J> {
    /// What follows a move, so many plies deep: the mean over all deals. At most `least` is only
    /// known to be at most that.
    pub(crate) fn expect(
        &mut self,
        after: &G::After,
        plies: u32,
        unlikely: Option<u32>,
        least: f32,
    ) -> f32 {
        if !self.frame.shared {
            return self.expect_anew(after, plies, unlikely, least).0;
        }
        // Values are always of the same image, for sums of other images round differently.
        let after = &self.frame.game.canonical(after);
        let Some(table) = self.frame.table else {
            return self.expect_anew(after, plies, unlikely, least).0;
        };
        let way = u64::from(plies) | u64::from(unlikely.map_or(0, |left| left + 1)) << 8;
        let key = table.key(after, way);
        if let Some(value) = table.get(key) {
            return value;
        }
        let (value, exact) = self.expect_anew(after, plies, unlikely, least);
        if exact && !self.is_over() {
            table.put(key, value);
        }
        value
    }

    /// The same without the table, and whether it is exact.
    fn expect_anew(
        &mut self,
        after: &G::After,
        plies: u32,
        unlikely: Option<u32>,
        least: f32,
    ) -> (f32, bool) {
        let game = self.frame.game;
        if plies <= 1 {
            if self.check_time() {
                return (0.0, false);
            }
            if self.frame.deadline.is_some() && is_wide(game, after) {
                return (self.expect_in_time(after), true);
            }
            let (value, states) = self.worker.evaluator.expect(game, after);
            self.worker.nodes += states;
            return (value, true);
        }
        let bounds = self.worker.evaluator.bounds(plies);
        let (mut mean, mut rest, mut exact) = (0.0f32, 1.0f32, true);
        let _ = try_deals(game, after, plies, |state, odds| {
            if self.is_over() {
                return ControlFlow::Break(());
            }
            let cost = unlikely.map_or(0, |_| cost(odds));
            let odds = odds as f32;
            rest = (rest - odds).max(0.0);
            // What this deal has to be worth, if all others are as good as can be.
            let needed = match bounds {
                Some((_, high)) => (least - self.frame.slack - mean - high * rest) / odds,
                None => f32::NEG_INFINITY,
            };
            let value = match unlikely {
                Some(left) if left < cost => {
                    self.worker.nodes += 1;
                    let evaluator = &mut self.worker.evaluator;
                    evaluator.best(game, &state).unwrap_or(evaluator.terminal_value())
                }
                _ => {
                    let left = unlikely.map(|left| left - cost);
                    let (value, own) = self.best(&state, plies, left, needed);
                    exact &= own;
                    value
                }
            };
            mean += odds * value;
            if let (Some((_, high)), true) = (bounds, value <= needed) {
                mean += high * rest;
                exact = false;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        (mean, exact)
    }

    /// The mean of the best replies, with a look at the clock before each.
    fn expect_in_time(&mut self, after: &G::After) -> f32 {
        let game = self.frame.game;
        let mut mean = 0.0;
        let _ = game.try_next_turn(after, |state, odds| {
            if self.check_time() {
                return ControlFlow::Break(());
            }
            self.worker.nodes += 1;
            let evaluator = &mut self.worker.evaluator;
            mean +=
                odds as f32 * evaluator.best(game, &state).unwrap_or(evaluator.terminal_value());
            ControlFlow::Continue(())
        });
        mean
    }

    /// What a state is worth, so many plies deep, and whether that is exact: at most `least` may be
    /// too much.
    fn best(
        &mut self,
        state: &G::State,
        plies: u32,
        unlikely: Option<u32>,
        least: f32,
    ) -> (f32, bool) {
        self.worker.nodes += 1;
        let game = self.frame.game;
        let bounded = self.worker.evaluator.bounds(plies).is_some();
        let (mut best, mut most) = (None, least);
        let mut follow = |walk: &mut Self, after: &G::After, immediate_reward: f32| {
            let needed = if bounded { most - immediate_reward } else { f32::NEG_INFINITY };
            let value = immediate_reward + walk.expect(after, plies - 1, unlikely, needed);
            if best.is_none_or(|best| value > best) {
                best = Some(value);
                most = most.max(value);
            }
        };
        if bounded || self.frame.beam < usize::MAX {
            let moves = self.promising(state, plies);
            for (choice, worth) in &moves {
                if self.is_over() {
                    break;
                }
                follow(self, &choice.1.after, worth.immediate_reward);
            }
            self.give_back(moves, plies);
        } else {
            game.for_each_move(state, |mv, step| {
                let immediate_reward =
                    self.worker.evaluator.immediate_reward(game, state, &(mv, step));
                follow(self, &step.after, immediate_reward);
            });
        }
        // A move that was cut off is worth no more than what it had to beat.
        let exact = !bounded || best.is_none_or(|best| best > least);
        (best.unwrap_or(self.worker.evaluator.terminal_value()), exact)
    }
}
