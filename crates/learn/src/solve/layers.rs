//! `Layers`: a game that only moves forward, such as 2048: one sweep from its end to its start.
//!
//! In 2048 every new tile adds to the sum of all tiles and no slide changes it, so the afterstates
//! lie in layers by [`Cells::progress`]. Only those that play can reach are kept.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use afterstate_core::Index;
use afterstate_games::transition_model::Size;
use afterstate_games::{Cells, RewardMixture};
use rayon::prelude::*;

use super::direct::{best_move, canonical};

/// The afterstates of one value of progress, sorted by number, and what it is worth to leave each.
#[derive(Clone, Debug, Default)]
struct Layer {
    numbers: Vec<u64>,
    worth: Vec<f64>,
}

/// The afterstates that play can reach, one for all images, layer by layer.
pub struct Layers<'a, G> {
    game: &'a G,
    layers: BTreeMap<u64, Layer>,
    size: Size,
}

/// A game that was solved in one sweep.
pub struct Forward<'a, G> {
    layers: Layers<'a, G>,
    /// What the start is worth.
    pub start: f64,
}

/// The game cannot be solved this way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ForwardError {
    /// There are too many afterstates to number.
    #[error("met rules with too many boards to number, expected a small board")]
    TooLarge,
    /// Something leads back to an earlier layer.
    #[error("met a game that can return to a board, expected one that only moves forward")]
    Returns,
}

impl<'a, G: Index + Cells> Layers<'a, G> {
    /// Bytes of memory for each board.
    pub const BYTES: u64 = 16;

    /// All afterstates that play can reach.
    pub fn reach(game: &'a G) -> Result<Layers<'a, G>, ForwardError> {
        game.index_len().ok_or(ForwardError::TooLarge)?;
        let mut open: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        let _ = game.try_start(|state, _| {
            game.for_each_move(&state, |_, step| {
                let layer = open.entry(game.progress(&step.after)).or_default();
                layer.extend(canonical(game, &step.after));
            });
            ControlFlow::<()>::Continue(())
        });
        let (mut layers, mut edges) = (BTreeMap::new(), 0);
        while let Some((progress, mut numbers)) = open.pop_first() {
            numbers.par_sort_unstable();
            numbers.dedup();
            let found: Vec<_> = numbers.par_iter().map(|&number| follow(game, number)).collect();
            for (count, followers) in found {
                edges += count;
                for (later, number) in followers {
                    if later <= progress {
                        return Err(ForwardError::Returns);
                    }
                    open.entry(later).or_default().push(number);
                }
            }
            // Several afterstates lead to the same one: forget that as soon as memory grows.
            for numbers in open.values_mut().filter(|numbers| numbers.len() > 1 << 22) {
                numbers.par_sort_unstable();
                numbers.dedup();
            }
            layers.insert(progress, Layer { numbers, worth: Vec::new() });
        }
        let boards = layers.values().map(|layer| layer.numbers.len() as u64).sum();
        Ok(Layers { game, layers, size: Size { boards, edges } })
    }

    /// Boards that play can reach and their edges, images counted once.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Solves the game for a reward and a discount.
    pub fn solve(mut self, reward: &RewardMixture, gamma: f64) -> Forward<'a, G> {
        let progresses: Vec<u64> = self.layers.keys().copied().collect();
        for progress in progresses.into_iter().rev() {
            let layer = self.layers.remove(&progress).unwrap_or_default();
            let worth = layer.numbers.par_iter().map(|&number| {
                let mut value = 0.0;
                let Some(after) = self.game.after_at(number) else { return value };
                self.game.for_each_chance(&after, |state, odds| {
                    value += odds * self.best(reward, &state);
                });
                f64::from(reward.of_after(self.game, &after)) + gamma * value
            });
            let worth = worth.collect();
            self.layers.insert(progress, Layer { numbers: layer.numbers, worth });
        }
        let mut start = 0.0;
        let _ = self.game.try_start(|state, odds| {
            start += odds * self.best(reward, &state);
            ControlFlow::<()>::Continue(())
        });
        Forward { layers: self, start }
    }

    fn worth(&self, after: &G::After) -> Option<f64> {
        let layer = self.layers.get(&self.game.progress(after))?;
        let place = layer.numbers.binary_search(&canonical(self.game, after)?).ok()?;
        layer.worth.get(place).copied()
    }

    fn best(&self, reward: &RewardMixture, state: &G::State) -> f64 {
        best_move(self.game, reward, state, |after| self.worth(after).unwrap_or(0.0)).0
    }
}

impl<G: Index + Cells> Forward<'_, G> {
    /// What it is worth to leave a board, if play can reach it.
    pub fn worth(&self, after: &G::After) -> Option<f64> {
        self.layers.worth(after)
    }

    /// Every number with what it is worth to leave that board, by ascending number.
    pub fn numbered(&self) -> Vec<(u64, f64)> {
        let layers = self.layers.layers.values();
        let pairs = |layer: &Layer| {
            let pairs = layer.numbers.iter().copied().zip(layer.worth.iter().copied());
            pairs.collect::<Vec<_>>()
        };
        let mut all: Vec<(u64, f64)> = layers.flat_map(pairs).collect();
        all.par_sort_unstable_by_key(|pair| pair.0);
        all
    }
}

/// The boards that follow an afterstate with the layer of each, and how many edges lead there.
fn follow<G: Index + Cells>(game: &G, number: u64) -> (u64, BTreeSet<(u64, u64)>) {
    let (mut edges, mut found) = (0, BTreeSet::new());
    if let Some(after) = game.after_at(number) {
        game.for_each_chance(&after, |state, _| {
            game.for_each_move(&state, |_, step| {
                edges += 1;
                let number = canonical(game, &step.after);
                found.extend(number.map(|number| (game.progress(&step.after), number)));
            });
        });
    }
    (edges, found)
}
