//! The exact optimum of a game that only moves forward: value iteration, layer by layer.
//!
//! In 2048 every new tile adds to the sum of all tiles and no slide changes it, so the afterstates
//! lie in layers by [`Cells::progress`], and one pass from the last layer to the first is enough.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use afterstate_core::{Cells, Index, Symmetry};
use rayon::prelude::*;

/// What optimal play comes to.
#[derive(Clone, Debug)]
pub struct Exact {
    /// The expected score from the start.
    pub optimum: f64,
    /// Afterstates that play can reach, one for all of its images.
    pub afterstates: u64,
    layers: BTreeMap<u64, Layer>,
}

/// The afterstates of one value of progress, sorted by number, and what each is worth.
#[derive(Clone, Debug, Default)]
struct Layer {
    numbers: Vec<u64>,
    values: Vec<f64>,
}

/// The game cannot be solved this way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExactError {
    /// There are too many afterstates to number.
    #[error("met rules with too many boards to number, expected a small board")]
    TooLarge,
    /// Something leads back to an earlier layer.
    #[error("met a game that can return to a board, expected one that only moves forward")]
    Returns,
}

/// Solves a game.
pub fn solve<G: Index + Symmetry + Cells>(game: &G) -> Result<Exact, ExactError> {
    game.index_len().ok_or(ExactError::TooLarge)?;
    let mut layers = reach(game)?;
    let progresses: Vec<u64> = layers.keys().copied().collect();
    for progress in progresses.into_iter().rev() {
        let layer = layers.remove(&progress).unwrap_or_default();
        let values = layer.numbers.par_iter().map(|&number| {
            let mut value = 0.0;
            if let Some(after) = game.after_at(number) {
                game.for_each_chance(&after, |state, odds| {
                    value += odds * best(game, &state, &layers);
                });
            }
            value
        });
        let values = values.collect();
        layers.insert(progress, Layer { numbers: layer.numbers, values });
    }
    let mut optimum = 0.0;
    let _ = game.try_start(|state, odds| {
        optimum += odds * best(game, &state, &layers);
        ControlFlow::<()>::Continue(())
    });
    let afterstates = layers.values().map(|layer| layer.numbers.len() as u64).sum();
    Ok(Exact { optimum, afterstates, layers })
}

impl Exact {
    /// What an afterstate is worth under optimal play, if play can reach it.
    pub fn value<G: Index + Symmetry + Cells>(&self, game: &G, after: &G::After) -> Option<f64> {
        value(game, after, &self.layers)
    }
}

/// All afterstates that play can reach, layer by layer.
fn reach<G: Index + Symmetry + Cells>(game: &G) -> Result<BTreeMap<u64, Layer>, ExactError> {
    let mut open: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let _ = game.try_start(|state, _| {
        game.for_each_move(&state, |_, step| {
            open.entry(game.progress(&step.after))
                .or_default()
                .extend(canonical(game, &step.after));
        });
        ControlFlow::<()>::Continue(())
    });
    let mut layers = BTreeMap::new();
    while let Some((progress, mut numbers)) = open.pop_first() {
        numbers.par_sort_unstable();
        numbers.dedup();
        let follow = |&number: &u64| {
            let mut found = BTreeSet::new();
            if let Some(after) = game.after_at(number) {
                game.for_each_chance(&after, |state, _| {
                    game.for_each_move(&state, |_, step| {
                        let number = canonical(game, &step.after);
                        found.extend(number.map(|number| (game.progress(&step.after), number)));
                    });
                });
            }
            found
        };
        let found: Vec<(u64, u64)> = numbers.par_iter().flat_map_iter(follow).collect();
        for (later, number) in found {
            if later <= progress {
                return Err(ExactError::Returns);
            }
            open.entry(later).or_default().push(number);
        }
        // Several afterstates lead to the same one: forget that as soon as memory grows.
        for numbers in open.values_mut().filter(|numbers| numbers.len() > 1 << 22) {
            numbers.par_sort_unstable();
            numbers.dedup();
        }
        layers.insert(progress, Layer { numbers, values: Vec::new() });
    }
    Ok(layers)
}

/// The smallest number of all images of an afterstate.
fn canonical<G: Index + Symmetry>(game: &G, after: &G::After) -> Option<u64> {
    (0..game.symmetries()).filter_map(|k| game.index_of(&game.turn_after(k, after))).min()
}

fn value<G: Index + Symmetry + Cells>(
    game: &G,
    after: &G::After,
    layers: &BTreeMap<u64, Layer>,
) -> Option<f64> {
    let layer = layers.get(&game.progress(after))?;
    let place = layer.numbers.binary_search(&canonical(game, after)?).ok()?;
    layer.values.get(place).copied()
}

/// The best that a move of a state comes to; nothing if there is no move.
fn best<G: Index + Symmetry + Cells>(
    game: &G,
    state: &G::State,
    layers: &BTreeMap<u64, Layer>,
) -> f64 {
    let mut best = f64::NEG_INFINITY;
    game.for_each_move(state, |_, step| {
        let later = value(game, &step.after, layers).unwrap_or(0.0);
        best = best.max(f64::from(step.reward) + later);
    });
    if best == f64::NEG_INFINITY { 0.0 } else { best }
}

#[cfg(test)]
mod tests {
    use afterstate_games::tenten::{Scoring, TenTen, sets};
    use afterstate_games::twenty48::Twenty48;

    use super::*;

    #[test]
    fn two_by_two_is_worth_66_96415() {
        let exact = solve(&Twenty48::new(2, 2, 0.1).unwrap()).unwrap();
        assert!((exact.optimum - 66.96415).abs() < 5e-6, "{}", exact.optimum);
        let game = Twenty48::new(3, 2, 0.1).unwrap();
        let exact = solve(&game).unwrap();
        assert!(exact.optimum > 200.0 && exact.afterstates > 1_000, "{exact:?}");
    }

    #[test]
    fn other_games_are_refused() {
        assert_eq!(solve(&Twenty48::standard()).unwrap_err(), ExactError::TooLarge);
        let board = TenTen::new(3, 3, sets::named("3").unwrap(), 1, Scoring::Real).unwrap();
        assert_eq!(solve(&board).unwrap_err(), ExactError::Returns);
    }
}
