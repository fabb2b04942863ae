//! `Layers`: a game that never returns to a board, such as 2048, solved by backward induction.
//!
//! In 2048 every new tile adds to the sum of all tiles and no slide changes it, so the afterstates
//! lie in layers by [`Cells::progress`]. Only reachable ones are kept.

use std::collections::{BTreeMap, BTreeSet};

use afterstate_core::Index;
use afterstate_games::transition_model::Size;
use afterstate_games::{Cells, RewardMixture};

use super::direct::{best_move, canonical};
use super::parallel::{filter_map, sort_and_dedup, sort_by_number};

/// The afterstates of one value of progress, sorted by index, and their values.
#[derive(Clone, Debug, Default)]
struct Layer {
    indices: Vec<u64>,
    values: Vec<f64>,
}

/// The reachable afterstates, one per orbit of symmetric images, layer by layer.
pub struct Layers<'a, G> {
    game: &'a G,
    layers: BTreeMap<u64, Layer>,
    size: Size,
}

/// A game solved by backward induction.
pub struct Forward<'a, G> {
    layers: Layers<'a, G>,
    /// The value of the start.
    pub start: f64,
}

/// The game cannot be solved this way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ForwardError {
    /// The afterstates have no indices.
    #[error("the board is too large to be solved: its boards cannot be indexed")]
    TooLarge,
    /// A move leads back to an earlier layer.
    #[error("the game can return to a board: backward induction needs one that cannot")]
    Returns,
}

impl<'a, G: Index + Cells> Layers<'a, G> {
    /// All reachable afterstates.
    pub fn reach(game: &'a G) -> Result<Layers<'a, G>, ForwardError> {
        game.index_len().ok_or(ForwardError::TooLarge)?;
        let mut open: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        game.for_each_start(|state, _| {
            game.for_each_move(&state, |_, step| {
                let layer = open.entry(game.progress(&step.after)).or_default();
                layer.extend(canonical(game, &step.after));
            });
        });
        let (mut layers, mut edges) = (BTreeMap::new(), 0);
        while let Some((progress, mut indices)) = open.pop_first() {
            sort_and_dedup(&mut indices);
            let found = filter_map(indices.len(), |number| follow(game, indices[number]));
            for (count, followers) in found {
                edges += count;
                for (later, index) in followers {
                    if later <= progress {
                        return Err(ForwardError::Returns);
                    }
                    open.entry(later).or_default().push(index);
                }
            }
            // Duplicates are removed early where they take much memory.
            for indices in open.values_mut().filter(|indices| indices.len() > 1 << 22) {
                sort_and_dedup(indices);
            }
            layers.insert(progress, Layer { indices, values: Vec::new() });
        }
        let boards = layers.values().map(|layer| layer.indices.len() as u64).sum();
        Ok(Layers { game, layers, size: Size { boards, edges } })
    }

    /// The reachable boards and their edges, symmetric images counted once.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Solves the game for a reward and a discount.
    pub fn solve(mut self, reward: &RewardMixture, gamma: f64) -> Forward<'a, G> {
        let progresses: Vec<u64> = self.layers.keys().copied().collect();
        for progress in progresses.into_iter().rev() {
            let layer = self.layers.remove(&progress).unwrap_or_default();
            let values = filter_map(layer.indices.len(), |number| {
                let (after, mut value) = (self.game.after_at(layer.indices[number])?, 0.0);
                self.game.for_each_chance(&after, |state, probability| {
                    value += probability * self.best(reward, &state);
                });
                Some(f64::from(reward.of_after(self.game, &after)) + gamma * value)
            });
            self.layers.insert(progress, Layer { indices: layer.indices, values });
        }
        let mut start = 0.0;
        self.game.for_each_start(|state, probability| {
            start += probability * self.best(reward, &state);
        });
        Forward { layers: self, start }
    }

    fn value(&self, after: &G::After) -> Option<f64> {
        let layer = self.layers.get(&self.game.progress(after))?;
        let position = layer.indices.binary_search(&canonical(self.game, after)?).ok()?;
        layer.values.get(position).copied()
    }

    fn best(&self, reward: &RewardMixture, state: &G::State) -> f64 {
        best_move(self.game, reward, state, |after| self.value(after).unwrap_or(0.0)).0
    }
}

impl<G: Index + Cells> Forward<'_, G> {
    /// The value of an afterstate, if it is reachable.
    pub fn value(&self, after: &G::After) -> Option<f64> {
        self.layers.value(after)
    }

    /// Every index with the value of its afterstate, by ascending index.
    pub fn indexed_values(&self) -> Vec<(u64, f64)> {
        let layers = self.layers.layers.values();
        let pairs = |layer: &Layer| {
            let pairs = layer.indices.iter().copied().zip(layer.values.iter().copied());
            pairs.collect::<Vec<_>>()
        };
        let mut all: Vec<(u64, f64)> = layers.flat_map(pairs).collect();
        sort_by_number(&mut all);
        all
    }
}

/// The number of edges to the next afterstates of an afterstate, and these with their layers.
fn follow<G: Index + Cells>(game: &G, index: u64) -> Option<(u64, BTreeSet<(u64, u64)>)> {
    let (mut edges, mut found) = (0, BTreeSet::new());
    game.for_each_chance(&game.after_at(index)?, |state, _| {
        game.for_each_move(&state, |_, step| {
            edges += 1;
            let index = canonical(game, &step.after);
            found.extend(index.map(|index| (game.progress(&step.after), index)));
        });
    });
    Some((edges, found))
}
