//! The processor's learner as one warp of a GPU learns, for comparisons of the two.

use std::cell::{Cell, RefCell};
use std::sync::atomic::AtomicU32;

use afterstate_core::policy::Choice;
use afterstate_core::{Policy, Rng};
use afterstate_games::Cells;
use afterstate_values::weights::{load, store};
use afterstate_values::{Network, Values};

use crate::Update;

/// Temporal coherence for all active weights at once: all rates are read before any sum changes.
pub struct TcAtOnce<'a> {
    /// The total learning rate.
    pub rate: f32,
    /// For each weight the sum of its errors and of their absolute values.
    pub sums: &'a RefCell<Vec<(f32, f32)>>,
}

impl Update for TcAtOnce<'_> {
    fn apply(&self, weights: &[AtomicU32], indices: &[u32], error: f32) {
        let mut sums = self.sums.borrow_mut();
        let share = self.rate * error / indices.len() as f32;
        let rate = |&index: &u32| match sums[index as usize] {
            (_, 0.0) => 1.0,
            (signed, absolute) => signed.abs() / absolute,
        };
        let rates: Vec<f32> = indices.iter().map(rate).collect();
        for (&index, rate) in indices.iter().zip(rates) {
            let (signed, absolute) = &mut sums[index as usize];
            *signed += error;
            *absolute += error.abs();
            let word = &weights[index as usize];
            store(word, load(word) + share * rate);
        }
    }

    fn rate_mut(&mut self) -> &mut f32 {
        &mut self.rate
    }
}

/// Makes the moves that lead to given afterstates, and compares each with the best one.
///
/// Afterstates that are images of each other have equal values, and rounding decides between them:
/// a GPU adds up weights in another order and may select another of them.
pub struct Replay<'a, G: Cells> {
    /// The network that selects the best moves.
    pub network: &'a Network<G>,
    /// The afterstates, one after the other.
    pub afters: std::slice::Iter<'a, G::After>,
    /// The largest loss of a move against the best one, relative to its value or to 100; infinite
    /// if a move was not legal.
    pub worst: &'a Cell<f32>,
}

impl<G: Cells> Policy<G> for Replay<'_, G> {
    fn choose(&mut self, game: &G, state: &G::State, _: &mut Rng) -> Option<Choice<G>> {
        let value = |(_, step): &Choice<G>| {
            let mut indices = vec![0; self.network.active_features()];
            self.network.indices(game, &step.after, &mut indices);
            step.reward + self.network.sum(&indices)
        };
        let mut choices: Vec<Choice<G>> = Vec::new();
        game.for_each_move(state, |mv, step| choices.push((mv, step)));
        let best = choices.iter().map(value).reduce(f32::max)?;
        let after = self.afters.next();
        let chosen = choices.into_iter().find(|(_, step)| Some(&step.after) == after);
        let lost = chosen.as_ref().map_or(f32::INFINITY, |chosen| best - value(chosen));
        self.worst.set(self.worst.get().max(lost / best.abs().max(100.0)));
        chosen
    }
}
